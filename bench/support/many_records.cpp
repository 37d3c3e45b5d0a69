#include "support/many_records.hpp"

#include "support/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace umavez::bench {
namespace {

constexpr std::uint64_t chunk = 10'000;

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

std::string records_sql(Database& database)
{
    const bool is_sqlite = database.dialect() == Dialect::sqlite;
    const Overrides overrides = {
        {"id", fmt::format("{} + s.n", first_id)},
        {"identity", is_sqlite ? "random()" : "t.identity"},
        {"key", is_sqlite ? "lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-' || "
                            "hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(6)))"
                          : "gen_random_uuid()::text"},
        {"expires_at", "$3 + s.n"},
    };
    const std::string series =
        is_sqlite ? "WITH RECURSIVE s(n) AS (SELECT $1 UNION ALL SELECT n + 1 FROM s WHERE n + 1 < $2) " : "";
    const std::string from =
        is_sqlite ? "FROM s, " : "FROM generate_series($1::bigint, $2::bigint - 1) AS s(n), ";
    return series + copy_sql("umavez_records", columns_of(database, "umavez_records"), overrides) + from +
           fmt::format("(SELECT * FROM umavez_records WHERE id < {} LIMIT 1) AS t", first_id);
}

std::string audit_sql(Database& database)
{
    std::vector<std::string> columns = columns_of(database, "umavez_audit");
    std::erase(columns, "id");
    return copy_sql("umavez_audit", columns, {{"subject", "r.id"}, {"key", "r.key"}}) +
           fmt::format(
               "FROM umavez_records AS r, umavez_audit AS t WHERE r.id >= {0} + $1 AND "
               "r.id < {0} + $2 AND t.subject BETWEEN 1 AND {0} - 1",
               first_id
           );
}

}  // namespace

void make_many(Database& database, const ManyRecords& records)
{
    const std::string record_sql = records_sql(database);
    const std::string entry_sql = audit_sql(database);
    for (std::uint64_t first = 0; first < records.count; first += chunk) {
        const std::uint64_t end = std::min(first + chunk, records.count);
        must(database.transact([&](Transaction& transaction) -> Result<void> {
            const auto from = static_cast<std::int64_t>(first);
            const auto to = static_cast<std::int64_t>(end);
            const std::int64_t expires_at = to_micros(transaction.now() + records.expires_in);
            const auto made = transaction.execute(record_sql, {from, to, expires_at});
            if (!made) return std::unexpected(made.error());
            const auto told = transaction.execute(entry_sql, {from, to});
            if (!told) return std::unexpected(told.error());
            return {};
        }));
        if (end % 250'000 == 0 || end == records.count) {
            fmt::print(stderr, "  {} of {} records made\n", end, records.count);
        }
    }
}

}  // namespace umavez::bench
