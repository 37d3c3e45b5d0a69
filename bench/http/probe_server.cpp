// A payment service in small, for probes and for `wrk`: POST /charges runs once per Idempotency-Key
// and answers 300 bytes of JSON; GET /count tells how often it ran. Not part of the product.
//
//     PORT=7200 STORE=sqlite:probe.db EXEC_LOG=exec.log LEASE_MS=5000 probe_server
//
// STORE is `memory:` or `redis://HOST` (cached), or `sqlite:PATH` (leased). A charge is a line of
// EXEC_LOG: the effect outside that nobody can take back, and what the reconciler asks when a run was
// killed. Without EXEC_LOG a charge is nothing but its answer. Of a request, `x-delay-ms` makes the
// charge last, `x-fail` makes it end with an exception after the effect.

#include "access/token_book.hpp"
#include "http/charge.hpp"
#include "http/server.hpp"
#include "key_protocol/problems.hpp"
#include "key_protocol/protect.hpp"
#include "support/requests.hpp"

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <semaphore>
#include <thread>
#include <unistd.h>

namespace umavez::bench {
namespace {

using key_protocol::Exchange;
using key_protocol::LeasedAction;
using key_protocol::OrProblem;

std::string setting(const char* name, const char* otherwise)
{
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : otherwise;
}

// The outside world: what was charged, by key.
class ChargeLog {
public:
    explicit ChargeLog(std::string path) : path_(std::move(path))
    {
        if (path_.empty()) return;
        file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (file_ < 0) give_up("cannot open " + path_);
    }
    ~ChargeLog() { ::close(file_); }
    ChargeLog(const ChargeLog&) = delete;
    ChargeLog& operator=(const ChargeLog&) = delete;

    void add(const Lease& lease)
    {
        ++count_;
        if (file_ < 0) return;
        const std::string line = fmt::format("{} {}\n", ::getpid(), lease.effect_key());
        if (::write(file_, line.data(), line.size()) != std::ssize(line)) give_up("cannot charge");
    }
    bool has(const std::string& effect_key) const
    {
        std::ifstream lines{path_};
        for (std::string line; std::getline(lines, line);) {
            if (line.ends_with(" " + effect_key)) return true;
        }
        return false;
    }
    std::uint64_t count() const noexcept { return count_; }

private:
    std::string path_;
    int file_ = -1;
    std::atomic<std::uint64_t> count_ = 0;
};

// Goes on elsewhere after a while. A thread each: only the probes ask for it, and only owners wait.
struct Pause {
    std::chrono::milliseconds length;

    bool await_ready() const noexcept { return length.count() <= 0; }
    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> handle) const
    {
        Scheduler* const scheduler = handle.promise().scheduler;
        std::thread{[scheduler, handle, length = length] {
            std::binary_semaphore nobody{0};
            static_cast<void>(nobody.try_acquire_for(length));
            scheduler->resume_soon(handle);
        }}.detach();
    }
    void await_resume() const noexcept {}
};

Response charged()
{
    return {
        .status = 200,
        .headers = {{"Content-Type", "application/json"}},
        .body = charge(),
        .entity = {},
    };
}

struct Wishes {
    std::chrono::milliseconds delay{0};
    bool fails = false;
};

Task<OrProblem<Response>> create(ChargeLog& log, Wishes wishes, Lease& lease)
{
    log.add(lease);
    const Pause pause{wishes.delay};
    co_await pause;
    if (wishes.fails) throw std::runtime_error{"handler failed"};
    co_return charged();
}

OrProblem<LeasedAction> prepare(ChargeLog& log, const Exchange& exchange)
{
    Wishes wishes;
    if (const auto delay = http::find_header(exchange.request.headers, "x-delay-ms")) {
        wishes.delay = std::chrono::milliseconds{std::atoi(std::string{*delay}.c_str())};
    }
    wishes.fails = http::find_header(exchange.request.headers, "x-fail").has_value();
    return [&log, wishes](Lease& lease) { return create(log, wishes, lease); };
}

key_protocol::LeasedRoute charges(ChargeLog& log, bool is_cached)
{
    const std::chrono::milliseconds lease{std::atoi(setting("LEASE_MS", "30000").c_str())};
    key_protocol::LeasedRoute route{
        .route = {.method = "POST", .pattern = "/charges", .body = http::Body{}},
        .operation = {.name = "charges.create"},
        .prepare = [&log](const Exchange& exchange) { return prepare(log, exchange); },
    };
    Policy& policy = route.operation.policy;
    policy.guarantee = is_cached ? Guarantee::cached : Guarantee::leased;
    policy.key = KeyRule::required;
    policy.lease = lease;
    policy.settle = lease / 5;
    if (!is_cached) {
        route.operation.reconcile =
            blocking_reconciler([&log](const Enquiry& enquiry) -> Reconciliation {
                if (log.has(enquiry.effect_key)) return Happened{charged()};
                return DidNotHappen{};
            });
    }
    return route;
}

int serve()
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);

    const std::string store = setting("STORE", "memory:");
    const bool is_redis = store.starts_with("redis:") || store.starts_with("redis+unix:");
    const bool is_cached = is_redis || store == "memory:";
    ChargeLog log{setting("EXEC_LOG", "")};
    const auto database = must(open_database(is_cached ? "sqlite::memory:" : store));
    EngineOptions options;
    options.audit = !is_cached;
    options.worker_period = std::chrono::milliseconds{200};
    const auto engine = must(
        is_redis    ? open_redis_engine(store, options)
        : is_cached ? open_memory_engine(options)
                    : open_engine(*database, options)
    );
    const auto tokens = must(access::TokenBook::open(*database));
    const auto problems = key_protocol::standard_problems();

    key_protocol::Api api;
    api.add(charges(log, is_cached));
    for (const OperationSpec* const operation : api.operations()) must(engine->declare(*operation));
    must(engine->start());
    http::Router router;
    api.bind(router, {*engine, *database, *tokens, problems, system_clock(), {}});
    router.add("GET", "/count", [&log](http::Request) -> Task<http::Response> {
        co_return http::json_response(200, fmt::format(R"({{"count":{}}})", log.count()));
    });
    const auto server = must(http::Server::listen(
        {.port = static_cast<std::uint16_t>(std::atoi(setting("PORT", "7200").c_str())),
         .threads = 1},
        [&router](http::Request request) { return router.answer(std::move(request)); },
        nullptr
    ));
    server->start();
    int signal = 0;
    ::sigwait(&signals, &signal);
    server->stop(std::chrono::seconds{5});
    engine->stop();
    return 0;
}

}  // namespace
}  // namespace umavez::bench

int main()
{
    return umavez::bench::serve();
}
