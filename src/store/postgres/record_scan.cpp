// scan and stories: pages of records and of the audit for people, by row id, the newest first.
//
// No index serves the filters, because every index costs each write. Instead a page looks at a
// bounded number of rows and tells where to go on. The statuses that people look for, processing
// and in doubt, have partial indexes of their own; OFFSET 0 keeps the planner from walking all rows
// in order instead.

#include "base/limits.hpp"
#include "store/postgres/record_codec.hpp"
#include "store/postgres/record_queries.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace umavez::pg {
namespace {

using RowNumber = std::int64_t;

// $1 is where the page before ended, $2 how many rows are looked at, $3 how many are shown, $4
// their bytes. The last columns tell how many rows were looked at and which was the last; they come
// even if none is shown.
#define UMAVEZ_PG_PAGE(visited)                                                                   \
    "WITH visited AS MATERIALIZED (" visited                                                      \
    " ORDER BY id DESC LIMIT $2), "                                                               \
    "edge AS (SELECT count(*) AS visited, coalesce(min(id), 0) AS last FROM visited), "           \
    "shown AS (SELECT r.*, sum(coalesce(octet_length(r.response_body), 0)) OVER (ORDER BY r.id "  \
    "DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes FROM umavez_records AS r "   \
    "WHERE r.id IN (SELECT id FROM visited) AND ($5::text IS NULL OR r.tenant_id = $5) AND "      \
    "($6::text IS NULL OR r.operation = $6) AND ($7::text IS NULL OR r.status = $7) AND "         \
    "($8::bytea IS NULL OR substr(convert_to(r.key, 'UTF8'), 1, octet_length($8)) = $8)) "        \
    "SELECT " UMAVEZ_PG_RECORD_COLUMNS ", " UMAVEZ_PG_RECORD_ID_COLUMNS                           \
    ", e.visited, e.last FROM edge AS e LEFT JOIN "                                               \
    "(SELECT * FROM shown WHERE coalesce(bytes, 0) < $4 ORDER BY id DESC LIMIT $3) AS r ON true " \
    "ORDER BY r.id DESC"

const StaticSql all_sql{UMAVEZ_PG_PAGE("SELECT id FROM umavez_records WHERE id < $1")};
const StaticSql processing_sql{UMAVEZ_PG_PAGE(
    "SELECT id FROM (SELECT id FROM umavez_records WHERE status = 'processing' OFFSET 0) AS s "
    "WHERE id < $1"
)};
const StaticSql doubted_sql{UMAVEZ_PG_PAGE(
    "SELECT id FROM (SELECT id FROM umavez_records WHERE status = 'in_doubt' OFFSET 0) AS s "
    "WHERE id < $1"
)};

// Entries whose record is gone, or never was.
const StaticSql stories_sql{
    "WITH visited AS MATERIALIZED (SELECT id FROM umavez_audit WHERE id < $1 ORDER BY id DESC "
    "LIMIT $2), "
    "edge AS (SELECT count(*) AS visited, coalesce(min(id), 0) AS last FROM visited), "
    "told AS (SELECT DISTINCT tenant_id, operation, key FROM umavez_audit AS a WHERE "
    "id IN (SELECT id FROM visited) AND key = $3 AND ($4::text IS NULL OR tenant_id = $4) AND "
    "($5::text IS NULL OR operation = $5) AND "
    "NOT EXISTS (SELECT 1 FROM umavez_records AS r WHERE r.id = a.subject)) "
    "SELECT t.tenant_id, t.operation, t.key, e.visited, e.last FROM edge AS e LEFT JOIN told AS t "
    "ON true"
};

Result<RowNumber> parse_cursor(const std::string& cursor)
{
    if (cursor.empty()) return std::numeric_limits<RowNumber>::max();
    RowNumber before = 0;
    const char* const end = cursor.data() + cursor.size();
    const auto [rest, error] = std::from_chars(cursor.data(), end, before);
    if (error == std::errc{} && rest == end && before > 0) return before;
    return fail(Errc::invalid_argument, "this cursor is none that a page gave; begin without one");
}

const StaticSql& sql_for(const RecordsQuery& query)
{
    if (query.status == Status::processing) return processing_sql;
    if (query.status == Status::in_doubt) return doubted_sql;
    return all_sql;
}

}  // namespace

Result<RecordsPage> query_scan(PostgresTransaction& transaction, const RecordsQuery& query)
{
    const auto before = parse_cursor(query.cursor);
    if (!before) return std::unexpected(before.error());
    const std::size_t count_max =
        std::clamp<std::size_t>(query.count_max, 1, limits::scan_page_max);
    const bool takes_all =
        !query.tenant_id && !query.operation && !query.status && query.key_prefix.empty();
    const std::size_t visited_max = takes_all ? count_max : limits::scan_visited_max;
    Parameters parameters;
    const auto add_text = [&](const std::string* text) {
        text != nullptr ? parameters.add_typed_text(*text) : parameters.add_null(type::text);
    };
    parameters.add(*before);
    parameters.add(static_cast<std::int64_t>(visited_max));
    parameters.add(static_cast<std::int64_t>(count_max));
    parameters.add(static_cast<std::int64_t>(limits::scan_bytes_max));
    add_text(query.tenant_id ? &query.tenant_id->text() : nullptr);
    add_text(query.operation ? &query.operation->text() : nullptr);
    const std::string status{query.status ? to_text(*query.status) : ""};
    add_text(query.status ? &status : nullptr);
    if (query.key_prefix.empty()) {
        parameters.add_null(type::bytea);
    } else {
        parameters.add_bytes(query.key_prefix);
    }
    const Instant now = transaction.now();
    const auto answer = transaction.run(sql_for(query), parameters);
    if (!answer) return std::unexpected(answer.error());
    RecordsPage page{.records = {}, .next = {}, .now = now};
    RowNumber shown = 0;
    for (std::size_t row = 0; row < answer->rows() && !answer->is_null(row, 0); ++row) {
        auto named = read_named_record(*answer, row);
        if (!named) return std::unexpected(named.error());
        page.records.push_back(*std::move(named));
        shown = answer->integer(row, 0);
    }
    const auto visited = static_cast<std::size_t>(answer->integer(0, 28));
    const RowNumber last = answer->integer(0, 29);
    std::size_t bytes = 0;
    for (const NamedRecord& one : page.records) {
        if (one.record.response) bytes += one.record.response->response.body.size();
    }
    const bool is_full = page.records.size() == count_max || bytes >= limits::scan_bytes_max;
    if (is_full && shown != last) {
        page.next = std::to_string(shown);
    } else if (visited == visited_max) {
        page.next = std::to_string(last);
    }
    return page;
}

Result<StoriesPage> query_stories(PostgresTransaction& transaction, const StoriesQuery& query)
{
    const auto before = parse_cursor(query.cursor);
    if (!before) return std::unexpected(before.error());
    StoriesPage page;
    // What is no text is nobody's key.
    if (query.key != storable(query.key)) return page;
    Parameters parameters;
    const auto add_text = [&](const std::string* text) {
        text != nullptr ? parameters.add_typed_text(*text) : parameters.add_null(type::text);
    };
    parameters.add(*before);
    parameters.add(static_cast<std::int64_t>(limits::scan_visited_max));
    add_text(&query.key);
    add_text(query.tenant_id ? &query.tenant_id->text() : nullptr);
    add_text(query.operation ? &query.operation->text() : nullptr);
    const auto answer = transaction.run(stories_sql, parameters);
    if (!answer) return std::unexpected(answer.error());
    for (std::size_t row = 0; row < answer->rows() && !answer->is_null(row, 0); ++row) {
        auto id = read_record_id(*answer, row, 0);
        if (!id) return std::unexpected(id.error());
        page.ids.push_back(*std::move(id));
    }
    const bool is_full =
        answer->integer(0, 3) == static_cast<std::int64_t>(limits::scan_visited_max);
    if (is_full) page.next = std::to_string(answer->integer(0, 4));
    return page;
}

}  // namespace umavez::pg
