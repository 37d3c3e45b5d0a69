#pragma once

// The rows of umavez_messages, as operators see them: what waits, what is dead and why, another try, and
// the end of what nobody wants. Confined to the thread of the transaction.

#include <umavez/names.hpp>
#include <umavez/time.hpp>
#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace umavez::messaging {

struct MessageRow {
    std::int64_t id = 0;
    std::string tenant;
    std::string message_id;
    std::string queue;
    std::string aggregate;
    std::string type;
    std::string state;  // pending, published, done, dead
    std::int64_t attempts = 0;
    Instant due_at;
    std::optional<std::string> last_error;
    Instant created_at;
    Instant changed_at;
};

// What is not given is not asked for.
struct MessagesQuery {
    std::optional<TenantId> tenant_id = {};
    std::optional<std::string> queue = {};
    std::string state = "dead";
    std::optional<std::int64_t> before = {};  // ids below this one: the next page
    std::int64_t limit = 50;
};

// The newest first; one more than the limit where there is another page.
Result<std::vector<MessageRow>> list_messages(Transaction& transaction, const MessagesQuery& query);

Result<std::optional<MessageRow>> find_message(Transaction& transaction, std::int64_t id);

// A dead one is pending again, due at once and with all its attempts. False: it is not dead.
Result<bool> drive_message_again(Transaction& transaction, std::int64_t id);

// One that is dead or pending goes. False: it is neither. One that is on its way may still arrive.
Result<bool> drop_message(Transaction& transaction, std::int64_t id);

}  // namespace umavez::messaging
