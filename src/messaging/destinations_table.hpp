#pragma once

// Destinations: where a tenant wants its events sent. One that was removed stays as a row, for the sake of
// its deliveries, until the sweep finds none of them. Confined to the thread of the transaction.

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace umavez::messaging {

struct Destination {
    std::int64_t id = 0;
    std::string url;
    std::vector<std::string> types;  // of events; empty: all
    std::string secrets;             // messaging/secret.hpp
    Instant created_at;
    std::optional<Instant> removed_at;
};

// Every event costs a delivery for each of them.
inline constexpr std::int64_t destinations_max = 100;

// Nullopt: the tenant has destinations_max already.
Result<std::optional<Destination>> insert_destination(
    Transaction& transaction, const TenantId& tenant_id, Destination destination
);

// Also one that was removed.
Result<std::optional<Destination>> find_destination(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
);

// Those that are not removed, in the order in which they were made.
Result<std::vector<Destination>> list_destinations(
    Transaction& transaction, const TenantId& tenant_id
);

Result<void> replace_secrets(
    Transaction& transaction, std::int64_t id, const std::string& old, const std::string& secrets
);

// Nothing more is sent there: what waits, and what was given up, is cancelled. A send that is under way is
// not stopped. Removing it twice changes nothing.
Result<void> remove_destination(Transaction& transaction, std::int64_t id);

// It failed once more: nothing is sent to it for so long.
Result<void> pause_destination(Transaction& transaction, std::int64_t id, Duration pause);

// It took something: what failed before does not count any more.
Result<void> resume_destination(Transaction& transaction, std::int64_t id);

}  // namespace umavez::messaging
