// bench_redis: cached operations on Redis against the server's own load generator, which does the
// same number of plain writes of the same size, as many at a time.
//
// Each side has a private server of its own, on a Unix socket; both stay up and grow alike.

#include "redis/cpu.hpp"
#include "redis/engine_side.hpp"
#include "redis/redis_benchmark.hpp"
#include "support/comparison.hpp"
#include "support/redis_server.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

namespace umavez::bench {
namespace {

using namespace std::chrono_literals;
using test::RedisServer;

constexpr auto window = 1000ms;
// 64 callers, over as many connections as the store has where there is no log.
constexpr Pipelines same_depth{.connections = 2, .depth = 32};

// "?connections=1" and the like, to try what a setting does.
std::string engine_options()
{
    const char* const options = std::getenv("UMAVEZ_BENCH_REDIS");
    return options == nullptr ? "" : options;
}

// The bytes of a finished record, so that the other side writes as many.
std::size_t record_bytes(const RedisServer& server)
{
    const std::string names =
        server.command({"SCAN", "0", "MATCH", "umavez:{*}:r:*", "COUNT", "10000"});
    const std::size_t begin = names.find("umavez:");
    if (begin == names.npos) give_up("the engine left no record");
    return std::stoul(
        server.command({"STRLEN", names.substr(begin, names.find('\n', begin) - begin)})
    );
}

void compare_pairs(
    Table& table,
    const char* what,
    const std::vector<std::string>& settings,
    std::uint64_t count,
    double goal
)
{
    RedisServer ours{settings};
    RedisServer theirs{settings};
    EngineSide engine{ours.socket_url() + engine_options()};
    engine.pairs(100ms);
    const std::string value(record_bytes(ours), 'x');
    table.compare({
        .what =
            fmt::format("claim+finish/s, 64 callers, {}; two SET of {} bytes", what, value.size()),
        .ours = [&] { return engine.pairs(window); },
        .limit =
            [&] {
                return run_redis_benchmark(
                           theirs.socket_path(),
                           same_depth,
                           count,
                           1'000'000'000,
                           {"SET", "key:__rand_int__", value}
                       ) /
                       2;
            },
        .goal = goal,
    });
    table.show("claim p50, µs, a lone blocking caller", [&] { return engine.claim_p50(window); });
}

void compare_replays(Table& table)
{
    RedisServer ours;
    RedisServer theirs;
    EngineSide engine{ours.socket_url() + engine_options()};
    engine.pairs(2 * window);
    const std::string value(record_bytes(ours), 'x');
    constexpr std::uint64_t keys = 50'000;
    run_redis_benchmark(
        theirs.socket_path(), same_depth, 10 * keys, keys, {"SET", "key:__rand_int__", value}
    );
    table.compare({
        .what = "replay/s, 64 callers, by script, audited; pipelined GET",
        .ours = [&] { return engine.replays(window); },
        .limit =
            [&] {
                return run_redis_benchmark(
                    theirs.socket_path(), same_depth, 400'000, keys, {"GET", "key:__rand_int__"}
                );
            },
        .goal = 0.15,
    });
}

// Processor time of each, in turns of short windows; no goal. The least of the windows is the one
// that others disturbed least.
void show_costs(const char* what, const std::vector<std::string>& settings)
{
    RedisServer ours{settings};
    RedisServer theirs{settings};
    EngineSide engine{ours.socket_url() + engine_options()};
    engine.pairs(300ms);
    const std::string value(record_bytes(ours), 'x');
    constexpr auto part = window / 5;
    const auto benchmark = [&](std::uint64_t count, const std::vector<std::string>& command) {
        run_redis_benchmark(theirs.socket_path(), same_depth, count, 50'000, command);
        return static_cast<double>(count);
    };
    Costs pairs{"claim+finish"};
    Costs sets{"two SET"};
    Costs replays{"replay"};
    Costs gets{"GET"};
    for (int turn = 0; turn < 15; ++turn) {
        pairs.add(cost_of(ours, [&] {
            const std::uint64_t before = engine.keys();
            engine.pairs(part);
            return static_cast<double>(engine.keys() - before);
        }));
        sets.add(cost_of(theirs, [&] {
            return benchmark(40'000, {"SET", "key:__rand_int__", value}) / 2;
        }));
        replays.add(cost_of(ours, [&] {
            const std::uint64_t before = engine.replayed();
            engine.replays(part);
            return static_cast<double>(engine.replayed() - before);
        }));
        gets.add(cost_of(theirs, [&] { return benchmark(80'000, {"GET", "key:__rand_int__"}); }));
    }
    fmt::print("{}: µs of a processor each, least and median of 15\n", what);
    for (const Costs* const costs : {&pairs, &sets, &replays, &gets}) costs->show();
}

}  // namespace
}  // namespace umavez::bench

// With arguments: only the parts named, of `none`, `always`, `replay`; `cpu` is run only when it is
// named.
int main(int count, char** arguments)
{
    using namespace umavez::bench;
    const auto is_wanted = [&](std::string_view part) {
        for (int i = 1; i < count; ++i) {
            if (part == arguments[i]) return true;
        }
        return count == 1 && part != "cpu";
    };
    if (is_wanted("cpu")) {
        show_costs("no persistence", {});
        show_costs("appendfsync always", {"--appendonly", "yes", "--appendfsync", "always"});
        return EXIT_SUCCESS;
    }
    Table table{7};
    if (is_wanted("none")) compare_pairs(table, "no persistence", {}, 300'000, 0.3);
    if (is_wanted("always")) {
        compare_pairs(
            table,
            "appendfsync always",
            {"--appendonly", "yes", "--appendfsync", "always"},
            100'000,
            0.45
        );
    }
    if (is_wanted("replay")) compare_replays(table);
    return table.all_met() ? EXIT_SUCCESS : EXIT_FAILURE;
}
