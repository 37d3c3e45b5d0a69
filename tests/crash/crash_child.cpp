// crash_child DIRECTORY endless|finish: the process that dies.
//
// Opens DIRECTORY/crash.db and lets several threads retry the same intents until each has its last
// answer. Every answer is one line on standard output, written only after the engine returned it.
// Intents come in generations, noted in DIRECTORY/generations before they begin. `endless` works on
// the latest few and opens one more whenever it is done, until it is killed: from outside, or by
// itself at UMAVEZ_CRASH_AT=<point>:<n>. `finish` opens none, brings all of them to their end and
// exits with 0.

#include "child_process.hpp"
#include "kill_switch.hpp"
#include "market.hpp"
#include "support/wait_limit.hpp"

#include <umavez/engine.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <mutex>
#include <random>
#include <thread>
#include <unistd.h>

namespace umavez::crash {
namespace {

using namespace std::chrono_literals;

constexpr unsigned threads_count = 4;
constexpr unsigned generations_open = 3;

// Shorter than PIPE_BUF: a line arrives whole or not at all.
void print_line(const std::string& line)
{
    const std::string text = line.substr(0, 2000) + "\n";
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written != static_cast<ssize_t>(text.size())) std::_Exit(4);
}

Duration milliseconds_from(const char* name, Duration otherwise)
{
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : Duration{std::chrono::milliseconds{std::atoi(text)}};
}

unsigned read_generations(const std::string& path)
{
    std::ifstream file{path};
    unsigned count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
}

// Threads that wait for others to get on: woken by every last answer.
class Progress {
public:
    void note()
    {
        const std::lock_guard guard{mutex_};
        ++steps_;
        changed_.notify_all();
    }
    void wait_a_little()
    {
        std::unique_lock lock{mutex_};
        changed_.wait_for(lock, 5ms, [this, before = steps_] { return steps_ != before; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t steps_ = 0;
};

class Crowd {
public:
    Crowd(Engine& engine, Market& market) : engine_(engine), market_(market) {}

    // Every thread gets the last answer to every intent. False: not before the deadline.
    bool serve(const std::vector<Intent>& intents)
    {
        std::vector<std::thread> threads;
        for (unsigned i = 0; i < threads_count; ++i) {
            threads.emplace_back([this, intents, i] { visit_all(intents, i); });
        }
        for (std::thread& thread : threads) thread.join();
        return !is_late_;
    }

private:
    void visit_all(std::vector<Intent> left, unsigned seed)
    {
        const Duration until = system_clock().boottime() + Duration{test::wait_limit()};
        std::mt19937 shuffle{seed};
        std::ranges::shuffle(left, shuffle);
        while (!left.empty()) {
            std::erase_if(left, [this](const Intent& intent) { return visit(intent); });
            if (left.empty()) return;
            if (system_clock().boottime() > until) {
                print_line("late " + left.front().key());
                is_late_ = true;
                return;
            }
            progress_.wait_a_little();
        }
    }

    bool visit(const Intent& intent)
    {
        const Answer answer = market_.call(engine_, intent);
        if (answer.response) {
            const Response& response = *answer.response;
            print_line(fmt::format("ack {} {} {}", intent.key(), response.status, response.body));
        } else if (answer.is_last || answer.note.starts_with("unavail")) {
            print_line(fmt::format("note {} {}", intent.key(), answer.note));
        } else if (answer.note.starts_with("mismatch") || answer.note.starts_with("error")) {
            // A lease lost on the way is told to whoever kept it himself; anything else is our
            // mistake.
            const bool is_lost =
                answer.note.find("another owner holds the key") != std::string::npos;
            if (!is_lost) print_line(fmt::format("broken {}: {}", intent.key(), answer.note));
        }
        if (answer.is_last) progress_.note();
        return answer.is_last;
    }

    Engine& engine_;
    Market& market_;
    Progress progress_;
    std::atomic<bool> is_late_ = false;
};

int report(const Error& error)
{
    print_line("failed " + error.detail);
    return 3;
}

bool run_endless(Crowd& crowd, const std::string& path)
{
    std::ofstream generations{path, std::ios::app};
    for (unsigned next = read_generations(path);; ++next) {
        generations << next << std::endl;
        std::vector<Intent> intents;
        for (unsigned i = next < generations_open ? 0 : next - generations_open; i <= next; ++i) {
            std::ranges::copy(intents_of(i), std::back_inserter(intents));
        }
        if (!crowd.serve(intents)) return false;
    }
}

bool run_to_end(Crowd& crowd, const std::string& path)
{
    std::vector<Intent> intents;
    for (unsigned i = 0; i < read_generations(path); ++i) {
        std::ranges::copy(intents_of(i), std::back_inserter(intents));
    }
    return crowd.serve(intents);
}

int run(const std::string& directory, bool is_endless)
{
    std::optional<KillAt> kill;
    if (const char* const text = std::getenv("UMAVEZ_CRASH_AT")) {
        kill = parse_kill_at(text);
        if (!kill)
            return report({Errc::misconfigured, fmt::format("UMAVEZ_CRASH_AT={}", text), {}});
    }
    KillSwitch kill_switch{map_arrivals(directory + "/arrivals"), kill};
    fault_hook = &kill_switch;

    const Timing defaults;
    Market market{{
        .directory = directory,
        .timing =
            {.lease = milliseconds_from("UMAVEZ_CRASH_LEASE_MS", defaults.lease),
             .settle = milliseconds_from("UMAVEZ_CRASH_SETTLE_MS", defaults.settle)},
        .arrivals = &kill_switch,
        .on_broken = [](const std::string& what) { print_line("broken " + what); },
    }};
    auto database = open_database("sqlite:" + directory + "/crash.db");
    if (!database) return report(database.error());
    if (auto prepared = Market::prepare(**database); !prepared) return report(prepared.error());
    auto engine = open_engine(**database, {.worker_period = 40ms, .sweep_batch = 20});
    if (!engine) return report(engine.error());
    if (auto declared = market.declare(**engine); !declared) return report(declared.error());
    if (auto started = (*engine)->start(); !started) return report(started.error());

    Crowd crowd{**engine, market};
    const std::string generations = directory + "/generations";
    const bool is_done =
        is_endless ? run_endless(crowd, generations) : run_to_end(crowd, generations);
    engine->reset();
    database->reset();
    fault_hook = nullptr;
    return is_done ? 0 : exit_code_late;
}

}  // namespace
}  // namespace umavez::crash

int main(int count, char** arguments)
{
    const std::string mode = count == 3 ? arguments[2] : "";
    if (mode != "endless" && mode != "finish") {
        umavez::crash::print_line("usage: crash_child DIRECTORY endless|finish");
        return 2;
    }
    try {
        return umavez::crash::run(arguments[1], mode == "endless");
    } catch (const std::exception& error) {
        umavez::crash::print_line(fmt::format("broken exception: {}", error.what()));
        return 6;
    }
}
