// scan and stories: pages of records and of the audit for people, by row id, the newest first.
//
// No index serves them, because every index costs each write. Instead a page looks at a bounded
// number of rows and tells where to go on. The statuses that people look for, processing and in
// doubt, have partial indexes of their own, in which only rows of that status are looked at.

#include "base/limits.hpp"
#include "store/sqlite/record_codec.hpp"
#include "store/sqlite/record_queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace umavez {
namespace {

using RowNumber = std::int64_t;

Result<RowNumber> parse_cursor(const std::string& cursor)
{
    if (cursor.empty()) return std::numeric_limits<RowNumber>::max();
    RowNumber before = 0;
    const char* const end = cursor.data() + cursor.size();
    const auto [rest, error] = std::from_chars(cursor.data(), end, before);
    if (error == std::errc{} && rest == end && before > 0) return before;
    return fail(Errc::invalid_argument, "this cursor is none that a page gave; begin without one");
}

// The rows that a page looks at: $1 is where the page before ended.
std::string candidates(const RecordsQuery& query, std::size_t visited_max)
{
    std::string_view from = "WHERE";
    if (query.status == Status::processing) {
        from = "INDEXED BY umavez_records_abandoned WHERE status = 'processing' AND";
    } else if (query.status == Status::in_doubt) {
        from = "INDEXED BY umavez_records_doubted WHERE status = 'in_doubt' AND";
    }
    return fmt::format(
        "SELECT id FROM umavez_records {} id < $1 ORDER BY id DESC LIMIT {}", from, visited_max
    );
}

struct Filter {
    std::string conditions;
    Values parameters;

    void require(std::string_view condition, Value value)
    {
        parameters.push_back(std::move(value));
        conditions += " AND ";
        conditions += fmt::format(fmt::runtime(condition), parameters.size());
    }
};

Filter make_filter(const RecordsQuery& query, RowNumber before)
{
    Filter filter{.conditions = {}, .parameters = {before}};
    if (query.tenant_id) filter.require("tenant_id = ${}", query.tenant_id->text());
    if (query.operation) filter.require("operation = ${}", query.operation->text());
    if (query.status) filter.require("status = ${}", std::string{to_text(*query.status)});
    if (!query.key_prefix.empty()) {
        filter.require(
            fmt::format("substr(CAST(key AS BLOB), 1, {}) = ${{}}", query.key_prefix.size()),
            Blob{query.key_prefix}
        );
    }
    return filter;
}

struct Visited {
    std::size_t rows = 0;
    RowNumber last = 0;
};

Result<Visited> count_visited(
    SqliteTransaction& transaction, const std::string& visited, RowNumber before
)
{
    const std::string sql = fmt::format("SELECT count(*), coalesce(min(id), 0) FROM ({})", visited);
    const auto rows = transaction.query(sql, {before});
    if (!rows) return std::unexpected(rows.error());
    return Visited{static_cast<std::size_t>(rows->at(0).integer(0)), rows->at(0).integer(1)};
}

// Nullopt: all rows were read. Otherwise the page is full, and this is its last row.
Result<std::optional<RowNumber>> read_page(
    SqliteTransaction& transaction,
    Statement& select,
    std::size_t count_max,
    std::vector<NamedRecord>& records
)
{
    std::size_t bytes = 0;
    while (true) {
        const auto has_row = transaction.step(select);
        if (!has_row) return std::unexpected(has_row.error());
        if (!*has_row) return std::nullopt;
        auto named = read_named_record(select);
        if (!named) return std::unexpected(std::move(named.error()));
        if (named->record.response) bytes += named->record.response->response.body.size();
        records.push_back(std::move(*named));
        if (records.size() == count_max || bytes >= limits::scan_bytes_max)
            return select.integer(0);
    }
}

}  // namespace

Result<RecordsPage> query_scan(SqliteTransaction& transaction, const RecordsQuery& query)
{
    const auto before = parse_cursor(query.cursor);
    if (!before) return std::unexpected(before.error());
    const std::size_t count_max =
        std::clamp<std::size_t>(query.count_max, 1, limits::scan_page_max);
    Filter filter = make_filter(query, *before);
    const bool takes_all = filter.parameters.size() == 1;
    const std::size_t visited_max = takes_all ? count_max : limits::scan_visited_max;
    const std::string visited = candidates(query, visited_max);
    const auto counted = count_visited(transaction, visited, *before);
    if (!counted) return std::unexpected(counted.error());

    const std::string sql = fmt::format(
        "SELECT " UMAVEZ_RECORD_COLUMNS ", " UMAVEZ_RECORD_ID_COLUMNS
        " FROM umavez_records WHERE id IN ({}){} ORDER BY id DESC",
        visited,
        filter.conditions
    );
    auto statement = transaction.use(sql, filter.parameters);
    if (!statement) return std::unexpected(statement.error());
    RecordsPage page{.records = {}, .next = {}, .now = transaction.now()};
    const auto last = read_page(transaction, **statement, count_max, page.records);
    if (!last) return std::unexpected(last.error());
    if (*last && **last != counted->last) {
        page.next = std::to_string(**last);
    } else if (counted->rows == visited_max) {
        page.next = std::to_string(counted->last);
    }
    return page;
}

Result<StoriesPage> query_stories(SqliteTransaction& transaction, const StoriesQuery& query)
{
    const auto before = parse_cursor(query.cursor);
    if (!before) return std::unexpected(before.error());
    const std::string visited = fmt::format(
        "SELECT id FROM umavez_audit WHERE id < $1 ORDER BY id DESC LIMIT {}",
        limits::scan_visited_max
    );
    const auto counted = count_visited(transaction, visited, *before);
    if (!counted) return std::unexpected(counted.error());

    Filter filter{.conditions = {}, .parameters = {*before}};
    filter.require("key = ${}", query.key);
    if (query.tenant_id) filter.require("tenant_id = ${}", query.tenant_id->text());
    if (query.operation) filter.require("operation = ${}", query.operation->text());
    // An entry of a record has its id as subject; the others have a negative number.
    auto statement = transaction.use(
        fmt::format(
            "SELECT DISTINCT " UMAVEZ_RECORD_ID_COLUMNS
            " FROM umavez_audit WHERE id IN ({}) AND subject < 0{}",
            visited,
            filter.conditions
        ),
        filter.parameters
    );
    if (!statement) return std::unexpected(statement.error());
    StoriesPage page;
    while (true) {
        const auto has_row = transaction.step(**statement);
        if (!has_row) return std::unexpected(has_row.error());
        if (!*has_row) break;
        auto id = read_record_id(**statement, 0);
        if (!id) return std::unexpected(std::move(id.error()));
        page.ids.push_back(*std::move(id));
    }
    if (counted->rows == limits::scan_visited_max) page.next = std::to_string(counted->last);
    return page;
}

}  // namespace umavez
