#pragma once

// The wake-up of a mailing: the message that tells the workers to look at it, written in the transaction of
// whatever made it ready. One too many is harmless: the lock decides who works.
//
// The functions are confined to the thread of their transaction; parsing is pure.

#include "messaging/messages.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::mailing {

inline constexpr std::string_view wake_up_queue = "mailing";
inline constexpr std::string_view wake_up_type = "mailing.processar";

messaging::QueuedMessage wake_up_of(const TenantId& tenant_id, std::string_view uuid);

Result<void> write_wake_up(
    Transaction& transaction, const TenantId& tenant_id, std::string_view uuid
);

// How many are written and not yet taken off the outbox.
Result<std::int64_t> count_wake_ups(Transaction& transaction, std::string_view uuid);

// The mailing that the data of a message names: {"mailingId":"0190…"}. Nullopt: it cannot be read.
std::optional<std::string> mailing_of_wake_up(std::string_view data);

}  // namespace umavez::mailing
