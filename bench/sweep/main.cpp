// bench_sweep: how long claims take while millions of expired records are swept, against the same claims on
// a quiet database, on SQLite and on a private PostgreSQL.
//
// The sweep is the engine's own worker, as `umavez serve` runs it. Windows with and without it take turns.
//
//     bench_sweep [sqlite|postgres]…       UMAVEZ_BENCH_SWEEP_RECORDS: how many [2,000,000]

#include "support/comparison.hpp"
#include "support/many_records.hpp"
#include "support/postgres_server.hpp"
#include "support/scratch_folder.hpp"
#include "sweep/paced_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace umavez::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto window = 3000ms;
constexpr int pairs = 7;
constexpr int claims_per_second = 300;
constexpr double goal = 2.0;  // p99 while sweeping, of p99 without

std::uint64_t records_wanted()
{
    const char* const wanted = std::getenv("UMAVEZ_BENCH_SWEEP_RECORDS");
    return wanted == nullptr ? 2'000'000 : std::stoull(wanted);
}

std::unique_ptr<Engine> make_engine(Database& database, std::optional<Duration> worker_period)
{
    auto engine = must(open_engine(database, {.worker_period = worker_period}));
    must(engine->declare(
        {.name = std::string{operation_text}, .policy = {.guarantee = Guarantee::leased}}
    ));
    must(engine->start());
    return engine;
}

std::uint64_t records_of(Engine& engine)
{
    std::uint64_t records = 0;
    for (const RecordsByStatus& each : must(wait(engine.async_count()))) records += each.records;
    return records;
}

void write_one(Engine& engine)
{
    Begun begun = must(engine.begin(Requests{}.make(~std::uint64_t{0})));
    must(std::get<Lease>(begun).finish(make_response()));
}

void print_times(
    std::string_view what,
    const ClaimTimes& idle,
    const ClaimTimes& sweeping,
    std::uint64_t swept,
    std::chrono::duration<double> time
)
{
    fmt::print(
        "{}: idle p50 {:.0f} p99 {:.0f} µs, sweeping p50 {:.0f} p99 {:.0f} µs, {} swept, "
        "{:.0f}/s\n",
        what,
        idle.percentile(0.5),
        idle.percentile(0.99),
        sweeping.percentile(0.5),
        sweeping.percentile(0.99),
        swept,
        static_cast<double>(swept) / time.count()
    );
    std::fflush(stdout);
}

// Whether the goal was met: by the median of the pairs' ratios, as everywhere (support/comparison.hpp). The
// percentiles of the whole run are told beside it: one stop of the disk counts more there than all the rest.
bool compare(std::string_view store, Database& database, ManyRecords many)
{
    const auto engine = make_engine(database, std::nullopt);
    write_one(*engine);
    const std::uint64_t records = records_wanted();
    many.count = records;
    many.expires_in = -1h;
    make_many(database, many);
    // As on any day but the first: what was made is on disk, and the server has log files to use again.
    if (many.run) many.run("CHECKPOINT");
    PacedClaims claims{*engine, claims_per_second};
    claims.measure(window);
    ClaimTimes idle;
    ClaimTimes sweeping;
    std::uint64_t swept = 0;
    std::vector<double> ratios;
    for (int pair = 0; pair < pairs; ++pair) {
        const ClaimTimes without = claims.measure(window);
        const std::uint64_t before = records_of(*engine);
        const auto sweeper = make_engine(database, Duration{1s});
        const ClaimTimes with = claims.measure(window);
        sweeper->stop();
        const std::uint64_t gone = before + with.count() - records_of(*engine);
        swept += gone;
        print_times(fmt::format("  {}", store), without, with, gone, window);
        if (gone == 0) give_up("nothing was left to sweep: ask for more records");
        ratios.push_back(with.percentile(0.99) / without.percentile(0.99));
        idle.add(without);
        sweeping.add(with);
    }
    print_times(
        fmt::format("{}, {} records, {} claims/s", store, records, claims_per_second),
        idle,
        sweeping,
        swept,
        window * pairs
    );
    const auto [least, most] = std::ranges::minmax(ratios);
    const double ratio = median(ratios);
    fmt::print(
        "{}: p99 ratio {:.2f} [{:.2f}..{:.2f}], of the whole run {:.2f}, goal <= {:.1f}: {}\n",
        store,
        ratio,
        least,
        most,
        sweeping.percentile(0.99) / idle.percentile(0.99),
        goal,
        ratio <= goal ? "yes" : "NO"
    );
    std::fflush(stdout);
    return ratio <= goal;
}

bool compare_sqlite()
{
    const ScratchFolder folder;
    const auto database = must(open_database("sqlite:" + folder.file("sweep.db")));
    return compare("sqlite", *database, {});
}

bool compare_postgres()
{
    test::PostgresServer server{
        {.durable = true,
         .settings = {"shared_buffers=128MB", "max_wal_size=4GB"},
         .parent = "/var/tmp"}
    };
    const auto database = must(open_database(server.url("umavez_connections=32")));
    const auto run = [&](const std::string& sql) { server.run(sql); };
    return compare("postgres", *database, {.run = run, .chunk = 250'000});
}

}  // namespace
}  // namespace umavez::bench

int main(int count, char** arguments)
{
    using namespace umavez::bench;
    const auto is_wanted = [&](std::string_view part) {
        for (int i = 1; i < count; ++i) {
            if (part == arguments[i]) return true;
        }
        return count == 1;
    };
    bool is_met = true;
    if (is_wanted("sqlite")) is_met = compare_sqlite() && is_met;
    if (is_wanted("postgres")) is_met = compare_postgres() && is_met;
    return is_met ? EXIT_SUCCESS : EXIT_FAILURE;
}
