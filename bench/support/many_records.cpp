#include "support/many_records.hpp"

#include "support/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace umavez::bench {
namespace {

// Far from those that the engine hands out.
constexpr const char* first_id = "1000000000000";

using Overrides = std::map<std::string, std::string>;

std::vector<std::string> columns_of(Database& database, const std::string& table)
{
    const bool is_sqlite = database.dialect() == Dialect::sqlite;
    const std::string sql =
        is_sqlite ? fmt::format("SELECT name FROM pragma_table_info('{}')", table)
                  : fmt::format(
                        "SELECT column_name::text FROM information_schema.columns WHERE "
                        "table_schema = current_schema() AND table_name = '{}'",
                        table
                    );
    std::vector<std::string> columns;
    must(database.read([&](Transaction& transaction) -> Result<void> {
        const auto rows = transaction.query(sql);
        if (!rows) return std::unexpected(rows.error());
        for (const Row& row : *rows) columns.push_back(row.text(0));
        return {};
    }));
    return columns;
}

// INSERT INTO table (columns) SELECT what is overridden, or as the template `t` has it.
std::string copy_sql(
    const std::string& table, std::vector<std::string> columns, const Overrides& overrides
)
{
    std::vector<std::string> values;
    for (const std::string& column : columns) {
        const auto found = overrides.find(column);
        values.push_back(found == overrides.end() ? "t." + column : found->second);
    }
    return fmt::format(
        "INSERT INTO {} ({}) SELECT {} ", table, fmt::join(columns, ", "), fmt::join(values, ", ")
    );
}

// With {first}, {end} and {expires_at}.
std::string records_sql(Database& database)
{
    const bool is_sqlite = database.dialect() == Dialect::sqlite;
    const Overrides overrides = {
        {"id", fmt::format("{} + s.n", first_id)},
        {"identity", is_sqlite ? "random()" : "t.identity"},
        {"key", is_sqlite ? "lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-' || "
                            "hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(6)))"
                          : "gen_random_uuid()::text"},
        {"expires_at", "{expires_at} + s.n"},
    };
    const std::string series =
        is_sqlite ? "WITH RECURSIVE s(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM s "
                    "WHERE n + 1 < {end}) "
                  : "";
    const std::string from =
        is_sqlite ? "FROM s, " : "FROM generate_series({first}::bigint, {end}::bigint - 1) AS s(n), ";
    return series + copy_sql("umavez_records", columns_of(database, "umavez_records"), overrides) + from +
           fmt::format("(SELECT * FROM umavez_records WHERE id < {} LIMIT 1) AS t", first_id);
}

std::string audit_sql(Database& database)
{
    std::vector<std::string> columns = columns_of(database, "umavez_audit");
    std::erase(columns, "id");
    return copy_sql("umavez_audit", columns, {{"subject", "r.id"}, {"key", "r.key"}}) +
           fmt::format(
               "FROM umavez_records AS r, umavez_audit AS t WHERE r.id >= {0} + {{first}} AND "
               "r.id < {0} + {{end}} AND t.subject BETWEEN 1 AND {0} - 1",
               first_id
           );
}

void run_in(Database& database, const std::string& sql)
{
    must(database.transact([&](Transaction& transaction) -> Result<void> {
        const auto done = transaction.execute(sql);
        if (!done) return std::unexpected(done.error());
        return {};
    }));
}

std::int64_t now_of(Database& database)
{
    std::int64_t now = 0;
    must(database.read([&](Transaction& transaction) -> Result<void> {
        now = to_micros(transaction.now());
        return {};
    }));
    return now;
}

}  // namespace

void make_many(Database& database, const ManyRecords& records)
{
    const std::array statements = {records_sql(database), audit_sql(database)};
    const std::int64_t expires_at = now_of(database) + records.expires_in.count();
    for (std::uint64_t first = 0; first < records.count; first += records.chunk) {
        const std::uint64_t end = std::min(first + records.chunk, records.count);
        for (const std::string& statement : statements) {
            const std::string sql = fmt::format(
                fmt::runtime(statement), fmt::arg("first", first), fmt::arg("end", end),
                fmt::arg("expires_at", expires_at)
            );
            if (records.run) {
                records.run(sql);
            } else {
                run_in(database, sql);
            }
        }
        if (end % 250'000 == 0 || end == records.count) {
            fmt::print(stderr, "  {} of {} records made\n", end, records.count);
        }
    }
}

}  // namespace umavez::bench
