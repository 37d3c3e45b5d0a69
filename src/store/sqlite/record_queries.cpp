#include "store/sqlite/record_queries.hpp"

#include "core/decide.hpp"
#include "store/sqlite/record_codec.hpp"

#include <algorithm>

namespace umavez {
namespace {

// Both walk an index in order of time and are left when enough was read.
const StaticSql abandoned_sql{
    "SELECT " UMAVEZ_RECORD_COLUMNS ", " UMAVEZ_RECORD_ID_COLUMNS
    " FROM umavez_records INDEXED BY umavez_records_abandoned "
    "WHERE status = 'processing' AND processing_expires_at <= ?1 "
    "AND instr(?2, ' ' || operation || ' ') > 0 ORDER BY processing_expires_at"
};
const StaticSql doubted_sql{"SELECT " UMAVEZ_RECORD_COLUMNS ", " UMAVEZ_RECORD_ID_COLUMNS
                            " FROM umavez_records INDEXED BY umavez_records_doubted "
                            "WHERE status = 'in_doubt' AND retry_at <= ?1 "
                            "AND instr(?2, ' ' || operation || ' ') > 0 ORDER BY retry_at"
};
const StaticSql count_sql{
    "SELECT status, count(*), min(updated_at), "
    "min(CASE status WHEN 'processing' THEN processing_expires_at ELSE expires_at END) "
    "FROM umavez_records GROUP BY status"
};

// An operation's name has no spaces, so a list of them is one parameter.
std::string to_list(const std::vector<Operation>& operations)
{
    std::string list = " ";
    for (const Operation& operation : operations) list += operation.text() + " ";
    return list;
}

Result<void> append_due(
    SqliteTransaction& transaction,
    const StaticSql& sql,
    const std::vector<Operation>& operations,
    std::size_t count_max,
    Due& due
)
{
    if (operations.empty()) return {};
    const auto statement = transaction.use(sql);
    if (!statement) return std::unexpected(statement.error());
    const std::string list = to_list(operations);
    (*statement)->bind(1, to_micros(transaction.now()));
    (*statement)->bind(2, list);
    for (std::size_t count = 0; count < count_max;) {
        const auto has_row = transaction.step(**statement);
        if (!has_row) return std::unexpected(has_row.error());
        if (!*has_row) break;
        auto named = read_named_record(**statement);
        // One corrupt record must not keep a worker from all the others.
        if (!named && !due.unreadable) due.unreadable = std::move(named.error().detail);
        if (!named) continue;
        due.records.push_back(std::move(*named));
        ++count;
    }
    return {};
}

Instant due_since(const Record& record)
{
    const auto& since =
        record.status == Status::processing ? record.processing_expires_at : record.retry_at;
    return since.value_or(record.updated_at);
}

}  // namespace

Result<Due> query_due(SqliteTransaction& transaction, const DueQuery& query)
{
    Due due{.now = transaction.now()};
    auto& rows = due.records;
    auto found = append_due(transaction, abandoned_sql, query.abandoned, query.count_max, due);
    if (found) found = append_due(transaction, doubted_sql, query.in_doubt, query.count_max, due);
    if (!found) return std::unexpected(found.error());
    std::ranges::sort(rows, [](const NamedRecord& a, const NamedRecord& b) {
        const Instant since_a = due_since(a.record);
        const Instant since_b = due_since(b.record);
        return since_a != since_b ? since_a < since_b : a.id < b.id;
    });
    if (rows.size() > query.count_max)
        rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(query.count_max), rows.end());
    return due;
}

// Looks at every record: for people and gauges, on a reader, never on the lane.
Result<StoreCounts> query_count(SqliteTransaction& transaction)
{
    StoreCounts counts{
        .by_status =
            {{Status::processing}, {Status::succeeded}, {Status::failed}, {Status::in_doubt}},
        .now = transaction.now(),
    };
    const auto statement = transaction.use(count_sql);
    if (!statement) return std::unexpected(statement.error());
    while (true) {
        const auto has_row = transaction.step(**statement);
        if (!has_row) return std::unexpected(has_row.error());
        if (!*has_row) return counts;
        for (StoreCount& count : counts.by_status) {
            if (to_text(count.status) != (*statement)->text(0)) continue;
            count.records = static_cast<std::uint64_t>((*statement)->integer(1));
            count.oldest = from_micros((*statement)->integer(2));
            if ((*statement)->is_null(3)) continue;
            count.first_end = from_micros((*statement)->integer(3));
        }
    }
}

}  // namespace umavez
