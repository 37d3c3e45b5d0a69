#include "store/postgres/record_queries.hpp"

#include "store/postgres/record_codec.hpp"

#include <algorithm>

namespace umavez::pg {
namespace {

// Both walk an index in order of time and stop at the limit, $4 rows after its beginning.
const StaticSql abandoned_sql{
    "SELECT " UMAVEZ_PG_RECORD_COLUMNS ", " UMAVEZ_PG_RECORD_ID_COLUMNS
    " FROM umavez_records AS r WHERE status = 'processing' AND processing_expires_at <= $1 AND "
    "operation = ANY ($2) ORDER BY processing_expires_at LIMIT $3 OFFSET $4"
};
const StaticSql doubted_sql{
    "SELECT " UMAVEZ_PG_RECORD_COLUMNS ", " UMAVEZ_PG_RECORD_ID_COLUMNS
    " FROM umavez_records AS r WHERE status = 'in_doubt' AND retry_at <= $1 AND "
    "operation = ANY ($2) ORDER BY retry_at LIMIT $3 OFFSET $4"
};
const StaticSql count_sql{
    "SELECT status, count(*), min(updated_at), "
    "min(CASE status WHEN 'processing' THEN processing_expires_at ELSE expires_at END) "
    "FROM umavez_records GROUP BY status"
};

// One corrupt record must not keep a worker from all the others: it is passed over.
Result<void> append_due(
    PostgresTransaction& transaction,
    const StaticSql& sql,
    const std::vector<Operation>& operations,
    std::size_t count_max,
    Due& due
)
{
    if (operations.empty()) return {};
    std::size_t count = 0;
    std::size_t rows = count_max;
    for (std::size_t seen = 0; count < count_max && rows == count_max; seen += rows) {
        Parameters parameters;
        parameters.add(to_micros(transaction.now()));
        const std::span<const Operation> names{operations};
        add_texts(parameters, names, [](const Operation& operation) -> std::string_view {
            return operation.text();
        });
        parameters.add(static_cast<std::int64_t>(count_max));
        parameters.add(static_cast<std::int64_t>(seen));
        const auto answer = transaction.run(sql, parameters);
        if (!answer) return std::unexpected(answer.error());
        rows = answer->rows();
        for (std::size_t row = 0; row < rows && count < count_max; ++row) {
            auto named = read_named_record(*answer, row);
            if (!named && !due.unreadable) due.unreadable = std::move(named.error().detail);
            if (!named) continue;
            due.records.push_back(*std::move(named));
            ++count;
        }
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

Result<Due> query_due(PostgresTransaction& transaction, const DueQuery& query)
{
    Due due{.records = {}, .now = transaction.now()};
    auto& rows = due.records;
    auto found = append_due(transaction, abandoned_sql, query.abandoned, query.count_max, due);
    if (found) found = append_due(transaction, doubted_sql, query.in_doubt, query.count_max, due);
    if (!found) return std::unexpected(found.error());
    std::ranges::sort(rows, [](const NamedRecord& a, const NamedRecord& b) {
        const Instant since_a = due_since(a.record);
        const Instant since_b = due_since(b.record);
        return since_a != since_b ? since_a < since_b : a.id < b.id;
    });
    if (rows.size() > query.count_max) {
        rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(query.count_max), rows.end());
    }
    return due;
}

// Looks at every record: for people and gauges.
Result<StoreCounts> query_count(PostgresTransaction& transaction)
{
    StoreCounts counts{
        .by_status =
            {{Status::processing}, {Status::succeeded}, {Status::failed}, {Status::in_doubt}},
        .now = transaction.now(),
    };
    Parameters none;
    const auto answer = transaction.run(count_sql, none);
    if (!answer) return std::unexpected(answer.error());
    for (std::size_t row = 0; row < answer->rows(); ++row) {
        for (StoreCount& count : counts.by_status) {
            if (to_text(count.status) != answer->bytes(row, 0)) continue;
            count.records = static_cast<std::uint64_t>(answer->integer(row, 1));
            count.oldest = from_micros(answer->integer(row, 2));
            if (answer->is_null(row, 3)) continue;
            count.first_end = from_micros(answer->integer(row, 3));
        }
    }
    return counts;
}

}  // namespace umavez::pg
