#pragma once

// The rows of umavez_messages, as those who carry them see them: taken, and what became of them.
//
// A message that was taken is hidden from others for a while and comes again if its carrier died. (id, run,
// takes) names one taking: an answer under another one changes nothing, so whoever was stopped for too long
// cannot end what somebody else carries now. A run ends when somebody says what became of the message;
// `takes` counts those who took it in this run and said nothing.
//
// The functions are confined to the thread of their transaction.

#include <umavez/time.hpp>
#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::messaging {

// One taking of one message.
struct Taking {
    std::int64_t id = 0;
    std::int64_t run = 0;
    std::int64_t takes = 0;
    friend bool operator==(const Taking&, const Taking&) = default;
};

struct TakenMessage {
    Taking taking;
    std::int64_t attempts = 0;
    std::string tenant;
    std::string message_id;
    std::string queue;
    std::string aggregate;
    std::string type;
    std::string data;
    Instant created_at;
};

enum class Order : std::uint8_t {
    any,
    of_aggregate,  // one waits for every earlier pending one of its aggregate
};

struct TakeQuery {
    std::string queue;
    Order order = Order::any;
    Duration hidden = std::chrono::seconds{30};
    std::size_t limit = 1;
};

// What is due, the longest due first. On PostgreSQL rows that somebody else takes are passed over.
Result<std::vector<TakenMessage>> take_messages(Transaction& transaction, const TakeQuery& query);

// The queues that have something pending, due or not.
Result<std::vector<std::string>> find_pending_queues(Transaction& transaction);

// It is over: published, done or dead. Those that are not ours any more stay as they are; tells how many
// were.
Result<std::int64_t> end_messages(
    Transaction& transaction, std::span<const Taking> takings, std::string_view state
);

Result<void> bury_message(Transaction& transaction, const Taking& taking, std::string why);

// Comes again after `delay`. A run that ended so is no death of its carrier.
enum class Counts : std::uint8_t { no, as_attempt };
Result<void> put_off_message(
    Transaction& transaction,
    const Taking& taking,
    Duration delay,
    Counts counts,
    std::optional<std::string> why = {}
);

// Not begun after all: due at once, and as if this taking had not been.
Result<void> return_messages(Transaction& transaction, std::span<const Taking> takings);

// What is over since `retention` goes; what is pending or dead stays until somebody settles it.
Result<std::size_t> sweep_messages(Transaction& transaction, Duration retention, std::size_t limit);

}  // namespace umavez::messaging
