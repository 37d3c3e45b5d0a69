#pragma once

// The rows of the inbox: events that were accepted, whatever became of them, and deliveries that claimed to
// be one of them and were not.
//
// The functions are confined to the thread of their transaction.

#include "webhook/scheme.hpp"
#include "work/work_table.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::webhook {

// Its runs are the records of `webhook.processar`.
inline constexpr work::WorkTable inbox_work{
    .name = "umavez_inbox", .operation = "webhook.processar"
};

// Leaves events of providers that this process does not know to those who do. Names are those of configured
// providers, which have no quotes.
std::string ready_of(const std::vector<std::string>& providers);

// A delivery whose signature holds.
struct Incoming {
    std::string provider;
    std::string scheme;
    Event event;
    std::string body;
};

enum class Acceptance : std::uint8_t {
    accepted,     // a new event: its row is there when the transaction commits
    duplicate,    // it was there, and nothing is run again
    quarantined,  // the id was there with another body
};

std::string_view to_text(Acceptance acceptance) noexcept;

struct Accepted {
    Acceptance as = Acceptance::accepted;
    std::int64_t id = 0;  // of the event that is there; 0: not known
};

// Decides by unique keys alone; of two that come at once the second waits for the first. Of one event a few
// other bodies are kept, not as many as somebody cares to send.
Result<Accepted> accept(Transaction& transaction, const Incoming& incoming);

struct InboxRow {
    std::int64_t id = 0;
    std::string provider;
    std::string scheme = {};  // by which it was believed
    std::string account;
    std::string event_id;
    std::string type;
    std::optional<std::string> tenant_id;
    std::string state;
    std::int64_t run = 0;
    std::int64_t attempts = 0;
    Instant due_at{};
    std::optional<std::string> last_error;
    Instant received_at{};
    Instant changed_at{};
};

struct InboxEvent {
    InboxRow row;
    std::string body;
    std::optional<std::string> tenant_now;  // whom its account belongs to now
};

Result<std::optional<InboxEvent>> find_event(Transaction& transaction, std::int64_t id);
// Those that are there, in any order.
Result<std::vector<InboxEvent>> find_events(
    Transaction& transaction, const std::vector<std::int64_t>& ids
);

struct InboxQuery {
    std::optional<std::string> provider;
    std::optional<std::string> state;
    std::optional<std::string> event_id;
    std::optional<TenantId> tenant_id;  // nullopt: whoever's, also nobody's
    std::int64_t before = 0;            // ids below this one; 0: from the newest
    std::int64_t limit = 50;
};

// The newest first.
Result<std::vector<InboxRow>> list_events(Transaction& transaction, const InboxQuery& query);

struct QuarantinedRow {
    std::int64_t id = 0;
    std::int64_t inbox_id = 0;  // of the event that has the id
    std::string provider;
    std::string event_id;
    std::string body;  // its beginning
    Instant received_at{};
    std::int64_t body_bytes = 0;  // of the whole
};

Result<std::vector<QuarantinedRow>> list_quarantined(
    Transaction& transaction, std::int64_t before, std::int64_t limit
);

// Events that wait for a tenant and whose account has one by now are due. Tells how many.
Result<std::int64_t> wake_resolved(Transaction& transaction);

// Removes at most `limit` events that came to an end longer ago than `retention`, and quarantined deliveries
// of that age. Dead and waiting ones stay: somebody is to look at them. Tells how many events went.
Result<std::int64_t> sweep_inbox(Transaction& transaction, Duration retention, std::int64_t limit);

}  // namespace umavez::webhook
