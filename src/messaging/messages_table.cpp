#include "messaging/messages_table.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace umavez::messaging {
namespace {

// Earlier ones of the same aggregate are pending: due, hidden or put off. The queue is compared in a way
// that no index serves: PostgreSQL without statistics took the index of what is due, and read all of it for
// each row.
constexpr std::string_view is_first =
    " AND NOT EXISTS (SELECT 1 FROM umavez_messages AS earlier WHERE earlier.state = 'pending' "
    "AND earlier.aggregate = item.aggregate AND earlier.tenant_id = item.tenant_id "
    "AND earlier.id < item.id AND earlier.queue || '' = item.queue)";

// Rows by their keys, in one parameter: a batch of any size is one statement of one text, and every planner
// looks each of them up.
std::string_view is_given(Dialect dialect)
{
    switch (dialect) {
        case Dialect::sqlite: return "id IN (SELECT value FROM json_each('[' || $1 || ']'))";
        case Dialect::postgres: return "id = ANY(('{' || $1 || '}')::bigint[])";
    }
    return {};
}

// Changes the rows whose takings still hold. The state is compared so that the key alone serves, not the
// index of what is due. Those of one batch are nearly all in their first run, taken once: one statement.
Result<std::int64_t> change(
    Transaction& transaction,
    std::span<const Taking> takings,
    std::string_view assignments,
    const Values& more
)
{
    std::map<std::pair<std::int64_t, std::int64_t>, std::string> alike;
    for (const Taking& taking : takings) {
        std::string& ids = alike[{taking.run, taking.takes}];
        if (!ids.empty()) ids += ',';
        ids += std::to_string(taking.id);
    }
    const std::string sql = fmt::format(
        "UPDATE umavez_messages SET run = run + 1, {} WHERE {} AND run = $2 AND takes = $3 AND "
        "state || '' = 'pending'",
        assignments,
        is_given(transaction.dialect())
    );
    std::int64_t count = 0;
    for (auto& [taking, ids] : alike) {
        Values values{std::move(ids), taking.first, taking.second};
        values.insert(values.end(), more.begin(), more.end());
        const auto changed = transaction.execute(sql, values);
        if (!changed) return changed;
        count += *changed;
    }
    return count;
}

Result<void> done(const Result<std::int64_t>& changed)
{
    if (!changed) return std::unexpected(changed.error());
    return {};
}

}  // namespace

Result<std::vector<TakenMessage>> take_messages(Transaction& transaction, const TakeQuery& query)
{
    const bool is_shared = transaction.dialect() == Dialect::postgres;
    const Instant now = transaction.now();
    const auto rows = transaction.query(
        fmt::format(
            "UPDATE umavez_messages SET due_at = $1, takes = takes + 1 WHERE id {0}(SELECT item.id "
            "FROM umavez_messages AS item WHERE item.state = 'pending' AND item.queue = $2 AND "
            "item.due_at <= $3{1} ORDER BY item.due_at, item.id LIMIT $4{2}) RETURNING id, run, "
            "takes, attempts, tenant_id, message_id, queue, aggregate, type, data, created_at",
            is_shared ? "= ANY(ARRAY" : "IN ",
            query.order == Order::of_aggregate ? is_first : "",
            is_shared ? " FOR UPDATE OF item SKIP LOCKED)" : ""
        ),
        {to_micros(now + query.hidden),
         query.queue,
         to_micros(now),
         static_cast<std::int64_t>(query.limit)}
    );
    if (!rows) return std::unexpected(rows.error());
    std::vector<TakenMessage> taken;
    taken.reserve(rows->size());
    for (const Row& row : *rows) {
        taken.push_back({
            .taking = {row.integer(0), row.integer(1), row.integer(2)},
            .attempts = row.integer(3),
            .tenant = row.text(4),
            .message_id = row.text(5),
            .queue = row.text(6),
            .aggregate = row.text(7),
            .type = row.text(8),
            .data = row.text(9),
            .created_at = from_micros(row.integer(10)),
        });
    }
    return taken;
}

Result<std::vector<std::string>> find_pending_queues(Transaction& transaction)
{
    // From one queue to the next in the index: as many steps as there are queues, however many rows.
    std::vector<std::string> queues;
    std::string last;
    for (;;) {
        const auto rows = transaction.query(
            "SELECT queue FROM umavez_messages WHERE state = 'pending' AND queue > $1 "
            "ORDER BY queue LIMIT 1",
            {last}
        );
        if (!rows) return std::unexpected(rows.error());
        if (rows->empty()) return queues;
        last = rows->front().text(0);
        queues.push_back(last);
    }
}

Result<std::int64_t> end_messages(
    Transaction& transaction, std::span<const Taking> takings, std::string_view state
)
{
    return change(
        transaction,
        takings,
        "state = $4, takes = 0, last_error = NULL, changed_at = $5",
        {std::string{state}, to_micros(transaction.now())}
    );
}

Result<void> bury_message(Transaction& transaction, const Taking& taking, std::string why)
{
    return done(change(
        transaction,
        {&taking, 1},
        "state = 'dead', takes = 0, last_error = $4, changed_at = $5",
        {std::move(why), to_micros(transaction.now())}
    ));
}

Result<void> put_off_message(
    Transaction& transaction,
    const Taking& taking,
    Duration delay,
    Counts counts,
    std::optional<std::string> why
)
{
    return done(change(
        transaction,
        {&taking, 1},
        "takes = 0, due_at = $4, attempts = attempts + $5, last_error = $6, changed_at = $7",
        {to_micros(transaction.now() + delay),
         std::int64_t{counts == Counts::as_attempt ? 1 : 0},
         why ? Value{*std::move(why)} : Value{},
         to_micros(transaction.now())}
    ));
}

Result<void> return_messages(Transaction& transaction, std::span<const Taking> takings)
{
    return done(change(
        transaction, takings, "takes = takes - 1, due_at = $4", {to_micros(transaction.now())}
    ));
}

Result<std::size_t> sweep_messages(Transaction& transaction, Duration retention, std::size_t limit)
{
    const bool is_shared = transaction.dialect() == Dialect::postgres;
    const auto swept = transaction.execute(
        fmt::format(
            "DELETE FROM umavez_messages WHERE id IN (SELECT id FROM umavez_messages WHERE state "
            "IN ('published', 'done') AND changed_at < $1 ORDER BY changed_at LIMIT $2{})",
            is_shared ? " FOR UPDATE SKIP LOCKED" : ""
        ),
        {to_micros(transaction.now() - retention), static_cast<std::int64_t>(limit)}
    );
    if (!swept) return std::unexpected(swept.error());
    return static_cast<std::size_t>(*swept);
}

}  // namespace umavez::messaging
