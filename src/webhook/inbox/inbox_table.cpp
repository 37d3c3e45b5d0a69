#include "webhook/inbox/inbox_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace umavez::webhook {
namespace {

constexpr std::string_view columns =
    "id, provider, account, event_id, type, tenant_id, state, run, attempts, due_at, last_error, "
    "received_at, changed_at, scheme";

constexpr std::int64_t quarantined_max = 10;  // of one event

bool is_state(std::string_view text)
{
    constexpr std::array<std::string_view, 6> states = {
        "pending", "waiting", "done", "ignored", "stale", "dead"
    };
    return std::ranges::find(states, text) != states.end();
}

std::optional<std::string> text_at(const Row& row, std::size_t column)
{
    return row.is_null(column) ? std::nullopt : std::optional{row.text(column)};
}

InboxRow to_row(const Row& row)
{
    return {
        .id = row.integer(0),
        .provider = row.text(1),
        .scheme = row.text(13),
        .account = row.text(2),
        .event_id = row.text(3),
        .type = row.text(4),
        .tenant_id = text_at(row, 5),
        .state = row.text(6),
        .run = row.integer(7),
        .attempts = row.integer(8),
        .due_at = from_micros(row.integer(9)),
        .last_error = text_at(row, 10),
        .received_at = from_micros(row.integer(11)),
        .changed_at = from_micros(row.integer(12)),
    };
}

Blob to_blob(const Digest& digest)
{
    return {std::string{digest.begin(), digest.end()}};
}

Result<std::optional<std::int64_t>> insert_event(Transaction& transaction, const Incoming& incoming)
{
    const Event& event = incoming.event;
    return transaction.insert(
        "INSERT INTO umavez_inbox (provider, scheme, account, event_id, type, body_digest, "
        "replay_digest, "
        "body, "
        "state, run, attempts, due_at, received_at, changed_at) "
        "VALUES ($1, $9, $2, $3, $4, $5, $6, $7, 'pending', 0, 0, $8, $8, $8) ON CONFLICT DO "
        "NOTHING",
        {incoming.provider,
         event.account,
         event.id,
         event.type,
         to_blob(event.body_digest),
         event.id_is_signed ? Value{} : Value{to_blob(event.body_digest)},
         Blob{incoming.body},
         to_micros(transaction.now()),
         incoming.scheme}
    );
}

// Kept once, however often it is sent again.
Result<void> quarantine(Transaction& transaction, const Incoming& incoming, std::int64_t inbox_id)
{
    const auto kept = transaction.execute(
        "INSERT INTO umavez_inbox_quarantine (inbox_id, provider, account, event_id, body_digest, "
        "body, "
        "received_at) SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT count(*) FROM "
        "umavez_inbox_quarantine WHERE inbox_id = $1) < $8 ON CONFLICT DO NOTHING",
        {inbox_id,
         incoming.provider,
         incoming.event.account,
         incoming.event.id,
         to_blob(incoming.event.body_digest),
         Blob{incoming.body},
         to_micros(transaction.now()),
         quarantined_max}
    );
    if (!kept) return std::unexpected(kept.error());
    return {};
}

}  // namespace

std::string_view to_text(Acceptance acceptance) noexcept
{
    switch (acceptance) {
        case Acceptance::accepted: return "accepted";
        case Acceptance::duplicate: return "duplicate";
        case Acceptance::quarantined: return "quarantined";
    }
    return "";
}

std::string ready_of(const std::vector<std::string>& providers)
{
    if (providers.empty()) return "1 = 0";
    return fmt::format("item.provider IN ('{}')", fmt::join(providers, "', '"));
}

// Of a provider that does not sign ids: whoever has one delivery can send it under any id.
Result<bool> is_body_known(Transaction& transaction, const Incoming& incoming)
{
    if (incoming.event.id_is_signed) return false;
    const auto rows = transaction.query(
        "SELECT 1 FROM umavez_inbox WHERE provider = $1 AND account = $2 AND replay_digest = $3",
        {incoming.provider, incoming.event.account, to_blob(incoming.event.body_digest)}
    );
    if (!rows) return std::unexpected(rows.error());
    return !rows->empty();
}

Result<Accepted> accept(Transaction& transaction, const Incoming& incoming)
{
    const auto inserted = insert_event(transaction, incoming);
    if (!inserted) return std::unexpected(inserted.error());
    if (*inserted) return Accepted{Acceptance::accepted, **inserted};
    const auto rows = transaction.query(
        "SELECT id, body_digest FROM umavez_inbox WHERE provider = $1 AND account = $2 AND "
        "event_id = "
        "$3",
        {incoming.provider, incoming.event.account, incoming.event.id}
    );
    if (!rows) return std::unexpected(rows.error());
    // Nothing under this id: the body was seen under another, of a provider that does not sign ids.
    if (rows->empty()) return Accepted{Acceptance::duplicate};
    const std::int64_t id = rows->front().integer(0);
    const bool is_same = rows->front().blob(1) == to_blob(incoming.event.body_digest).bytes;
    const auto is_known = is_same ? Result<bool>{true} : is_body_known(transaction, incoming);
    if (!is_known) return std::unexpected(is_known.error());
    if (*is_known) return Accepted{Acceptance::duplicate, id};
    if (auto kept = quarantine(transaction, incoming, id); !kept) {
        return std::unexpected(kept.error());
    }
    return Accepted{Acceptance::quarantined, id};
}

Result<std::optional<InboxEvent>> find_event(Transaction& transaction, std::int64_t id)
{
    auto events = find_events(transaction, {id});
    if (!events) return std::unexpected(events.error());
    if (events->empty()) return std::nullopt;
    return std::move(events->front());
}

Result<std::vector<InboxEvent>> find_events(
    Transaction& transaction, const std::vector<std::int64_t>& ids
)
{
    Values values;
    std::string places;
    for (const std::int64_t id : ids) {
        values.emplace_back(id);
        places += fmt::format("{}${}", places.empty() ? "" : ", ", values.size());
    }
    const auto rows = transaction.query(
        fmt::format(
            "SELECT {}, body, (SELECT a.tenant_id FROM provider_accounts AS a WHERE "
            "a.provider = umavez_inbox.provider AND a.account = umavez_inbox.account) "
            "FROM umavez_inbox WHERE id IN ({})",
            columns,
            places
        ),
        values
    );
    if (!rows) return std::unexpected(rows.error());
    std::vector<InboxEvent> events;
    events.reserve(rows->size());
    for (const Row& row : *rows) {
        events.push_back({to_row(row), row.blob(14), text_at(row, 15)});
    }
    return events;
}

Result<std::vector<InboxRow>> list_events(Transaction& transaction, const InboxQuery& query)
{
    Values values{query.limit};
    std::string where;
    const auto add = [&](std::string_view condition, Value value) {
        values.push_back(std::move(value));
        where +=
            fmt::format("{}{}${}", where.empty() ? " WHERE " : " AND ", condition, values.size());
    };
    if (query.before > 0) add("id < ", query.before);
    if (query.provider) add("provider = ", *query.provider);
    // A literal, so that the partial index of the state serves; the words are checked.
    if (query.state && is_state(*query.state)) {
        where += fmt::format("{}state = '{}'", where.empty() ? " WHERE " : " AND ", *query.state);
    }
    if (query.event_id) add("event_id = ", *query.event_id);
    if (query.tenant_id) add("tenant_id = ", query.tenant_id->text());
    const auto rows = transaction.query(
        fmt::format("SELECT {} FROM umavez_inbox{} ORDER BY id DESC LIMIT $1", columns, where),
        values
    );
    if (!rows) return std::unexpected(rows.error());
    std::vector<InboxRow> events;
    for (const Row& row : *rows) events.push_back(to_row(row));
    return events;
}

Result<std::vector<QuarantinedRow>> list_quarantined(
    Transaction& transaction, std::int64_t before, std::int64_t limit
)
{
    const auto rows = transaction.query(
        "SELECT id, inbox_id, provider, event_id, substr(body, 1, 2000), received_at, length(body) "
        "FROM umavez_inbox_quarantine "
        "WHERE ($1 = 0 OR id < $1) ORDER BY id DESC LIMIT $2",
        {before, limit}
    );
    if (!rows) return std::unexpected(rows.error());
    std::vector<QuarantinedRow> quarantined;
    for (const Row& row : *rows) {
        quarantined.push_back({
            .id = row.integer(0),
            .inbox_id = row.integer(1),
            .provider = row.text(2),
            .event_id = row.text(3),
            .body = row.blob(4),
            .received_at = from_micros(row.integer(5)),
            .body_bytes = row.integer(6),
        });
    }
    return quarantined;
}

Result<std::int64_t> wake_resolved(Transaction& transaction)
{
    return transaction.execute(
        "UPDATE umavez_inbox SET state = 'pending', due_at = $1, changed_at = $1 WHERE state = "
        "'waiting' "
        "AND EXISTS (SELECT 1 FROM provider_accounts AS a WHERE a.provider = umavez_inbox.provider "
        "AND "
        "a.account = umavez_inbox.account)",
        {to_micros(transaction.now())}
    );
}

Result<std::int64_t> sweep_inbox(Transaction& transaction, Duration retention, std::int64_t limit)
{
    const std::int64_t before = to_micros(transaction.now() - retention);
    const auto quarantined = transaction.execute(
        "DELETE FROM umavez_inbox_quarantine WHERE id IN (SELECT id FROM umavez_inbox_quarantine "
        "WHERE "
        "received_at < $1 ORDER BY id LIMIT $2)",
        {before, limit}
    );
    if (!quarantined) return quarantined;
    // Ids are in the order of arrival, near enough: what is old lies before the first that is not. An index
    // on changed_at would cost every event for this one use.
    const bool is_shared = transaction.dialect() == Dialect::postgres;
    return transaction.execute(
        fmt::format(
            "DELETE FROM umavez_inbox WHERE id IN (SELECT id FROM umavez_inbox WHERE id < coalesce("
            "(SELECT id FROM umavez_inbox WHERE received_at >= $1 ORDER BY id LIMIT 1), $3) AND "
            "changed_at < $1 AND state IN ('done', 'ignored', 'stale') ORDER BY id LIMIT $2{})",
            is_shared ? " FOR UPDATE SKIP LOCKED" : ""
        ),
        {before, limit, std::numeric_limits<std::int64_t>::max()}
    );
}

}  // namespace umavez::webhook
