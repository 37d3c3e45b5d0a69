#pragma once

// Events, quarantined deliveries and accounts as JSON for operators. Pure, thread-safe.

#include "webhook/inbox/accounts_table.hpp"
#include "webhook/inbox/inbox_table.hpp"

#include <string>

namespace umavez::webhook {

std::string to_json(const InboxRow& row);
// With its body: as `body` where that is text, as `body_hex` where it is not.
std::string to_json(const InboxEvent& event);
std::string to_json(const QuarantinedRow& row);
std::string to_json(const ProviderAccount& account);

}  // namespace umavez::webhook
