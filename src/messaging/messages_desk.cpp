#include "messaging/messages_desk.hpp"

#include <utility>

namespace umavez::messaging {
namespace {

constexpr const char* select_message =
    "SELECT id, tenant_id, message_id, queue, aggregate, type, state, attempts, due_at, "
    "last_error, "
    "created_at, changed_at FROM umavez_messages ";

MessageRow to_message(const Row& row)
{
    MessageRow message{
        .id = row.integer(0),
        .tenant = row.text(1),
        .message_id = row.text(2),
        .queue = row.text(3),
        .aggregate = row.text(4),
        .type = row.text(5),
        .state = row.text(6),
        .attempts = row.integer(7),
        .due_at = from_micros(row.integer(8)),
        .last_error = std::nullopt,
        .created_at = from_micros(row.integer(10)),
        .changed_at = from_micros(row.integer(11)),
    };
    if (!row.is_null(9)) message.last_error = row.text(9);
    return message;
}

Result<bool> is_one(const Result<std::int64_t>& changed)
{
    if (!changed) return std::unexpected(changed.error());
    return *changed == 1;
}

}  // namespace

Result<std::vector<MessageRow>> list_messages(Transaction& transaction, const MessagesQuery& query)
{
    Values values{query.limit + 1, query.state};
    std::string conditions = "WHERE state = $2";
    const auto ask = [&](const char* condition, Value value) {
        values.push_back(std::move(value));
        conditions += condition + std::to_string(values.size());
    };
    if (query.tenant_id) ask(" AND tenant_id = $", query.tenant_id->text());
    if (query.queue) ask(" AND queue = $", *query.queue);
    if (query.before) ask(" AND id < $", *query.before);
    const auto rows = transaction.query(
        std::string{select_message} + conditions + " ORDER BY id DESC LIMIT $1", values
    );
    if (!rows) return std::unexpected(rows.error());
    std::vector<MessageRow> messages;
    messages.reserve(rows->size());
    for (const Row& row : *rows) messages.push_back(to_message(row));
    return messages;
}

Result<std::optional<MessageRow>> find_message(Transaction& transaction, std::int64_t id)
{
    const auto rows = transaction.query(std::string{select_message} + "WHERE id = $1", {id});
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty()) return std::nullopt;
    return to_message(rows->front());
}

Result<bool> drive_message_again(Transaction& transaction, std::int64_t id)
{
    return is_one(transaction.execute(
        "UPDATE umavez_messages SET state = 'pending', run = run + 1, takes = 0, attempts = 0, "
        "due_at = $2, changed_at = $2 WHERE id = $1 AND state = 'dead'",
        {id, to_micros(transaction.now())}
    ));
}

Result<bool> drop_message(Transaction& transaction, std::int64_t id)
{
    return is_one(transaction.execute(
        "DELETE FROM umavez_messages WHERE id = $1 AND state IN ('dead', 'pending')", {id}
    ));
}

}  // namespace umavez::messaging
