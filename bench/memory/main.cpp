// bench_memory: cached operations through the blocking API, two threads, audit off, against a bare map.
//
// A window is a fixed number of fresh keys in a fresh store, so that both sides grow alike. The heap is
// kept between windows: page faults of memory touched for the first time would hide everything else.

#include "memory/bare_map.hpp"
#include "support/comparison.hpp"
#include "support/requests.hpp"

#include <umavez/engine.hpp>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace umavez::bench {
namespace {

constexpr std::uint64_t threads = 2;
constexpr std::uint64_t keys_per_thread = 150'000;

// Calls `once` with every number, spread over the threads, and gives the rate of all of them.
double measure(const std::function<void(std::uint64_t)>& once)
{
    const auto started_at = std::chrono::steady_clock::now();
    {
        std::vector<std::jthread> running;
        for (std::uint64_t thread = 0; thread < threads; ++thread) {
            running.emplace_back([&once, first = thread * keys_per_thread] {
                for (std::uint64_t i = 0; i < keys_per_thread; ++i) once(first + i);
            });
        }
    }
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - started_at;
    return static_cast<double>(threads * keys_per_thread) / passed.count();
}

std::unique_ptr<Engine> make_cached_engine()
{
    auto engine = must(open_memory_engine({.audit = false}));
    must(engine->declare(
        {.name = std::string{operation_text}, .policy = {.guarantee = Guarantee::cached}}
    ));
    must(engine->start());
    return engine;
}

void claim_and_finish(Engine& engine, const Requests& requests, std::uint64_t number)
{
    auto begun = engine.begin(requests.make(number));
    Lease* const lease = begun ? std::get_if<Lease>(&*begun) : nullptr;
    if (lease == nullptr) give_up("a fresh key was not claimed");
    must(lease->finish(make_response()));
}

void replay(Engine& engine, const Requests& requests, std::uint64_t number)
{
    const auto begun = engine.begin(requests.make(number));
    const auto* const outcome = begun ? std::get_if<Outcome>(&*begun) : nullptr;
    if (outcome == nullptr || !std::holds_alternative<Replayed>(*outcome)) {
        give_up("a finished key was not replayed");
    }
}

void compare_claims(Table& table, const Requests& requests)
{
    table.compare({
        .what = "claim+finish/s, 2 threads; insert+update of a bare map",
        .ours =
            [&] {
                const auto engine = make_cached_engine();
                return measure([&](std::uint64_t number) {
                    claim_and_finish(*engine, requests, number);
                });
            },
        .limit =
            [] {
                const auto map = std::make_unique<BareMap>();
                return measure([&](std::uint64_t number) {
                    map->insert(number);
                    map->update(number, make_response());
                });
            },
        .goal = 0.6,
    });
}

void compare_replays(Table& table, const Requests& requests)
{
    const auto engine = make_cached_engine();
    const auto map = std::make_unique<BareMap>();
    for (std::uint64_t number = 0; number < threads * keys_per_thread; ++number) {
        claim_and_finish(*engine, requests, number);
        map->insert(number);
        map->update(number, make_response());
    }
    table.compare({
        .what = "replay/s, 2 threads; find+copy of a bare map",
        .ours =
            [&] { return measure([&](std::uint64_t number) { replay(*engine, requests, number); }); },
        .limit =
            [&] {
                return measure([&](std::uint64_t number) {
                    if (map->find(number).status != 201) give_up("a kept answer is gone");
                });
            },
        .goal = 0.6,
    });
}

}  // namespace
}  // namespace umavez::bench

int main()
{
    using namespace umavez::bench;
    const Requests requests;
    Table table{9};
    compare_claims(table, requests);
    compare_replays(table, requests);
    return table.all_met() ? EXIT_SUCCESS : EXIT_FAILURE;
}
