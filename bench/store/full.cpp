#include "store/full.hpp"

#include "support/engine_side.hpp"
#include "support/many_records.hpp"
#include "support/postgres_server.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace umavez::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto window = 2000ms;

std::uint64_t records_wanted()
{
    const char* const wanted = std::getenv("UMAVEZ_BENCH_STORE_RECORDS");
    return wanted == nullptr ? 10'000'000 : std::stoull(wanted);
}

std::string url_of(const test::PostgresServer& server, const std::string& database)
{
    std::string url = server.url("umavez_connections=32");
    return url.replace(
        url.find("/postgres?"), std::string{"/postgres?"}.size(), "/" + database + "?"
    );
}

}  // namespace

void compare_full(Table& table)
{
    const std::uint64_t records = records_wanted();
    test::PostgresServer server{
        {.durable = true,
         .settings = {"shared_buffers=128MB", "max_wal_size=4GB"},
         .parent = "/var/tmp"}
    };
    server.run("CREATE DATABASE filled");
    server.run("CREATE DATABASE empty");
    EngineSide full{url_of(server, "filled")};
    EngineSide empty{url_of(server, "empty")};
    full.leave_one_record();
    {
        const auto database = must(open_database(url_of(server, "filled")));
        make_many(
            *database,
            {.count = records,
             .expires_in = 24h,
             .run = [&](const std::string& sql) { server.run_in("filled", sql); },
             .chunk = 250'000}
        );
    }
    server.run_in("filled", "ANALYZE umavez_records");
    // What filling left to be written is not the claims' to wait for.
    server.run("CHECKPOINT");
    table.compare({
        .what = fmt::format("claim+finish/s, 64 callers, {} records; none", records),
        .ours = [&] { return full.leased_by_tasks(window); },
        .limit = [&] { return empty.leased_by_tasks(window); },
        .goal = 0.8,
    });
}

}  // namespace umavez::bench
