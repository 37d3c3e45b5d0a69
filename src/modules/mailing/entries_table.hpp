#pragma once

// The entries of a mailing and its invalid lines, read page by page. Who changes them is elsewhere: the
// ingestion, the sender, orders. Confined to the thread of the transaction.

#include "modules/mailing/entities.hpp"
#include "modules/parts/page.hpp"

#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>

namespace umavez::mailing {

struct EntryFilter {
    std::optional<EntryStatus> status;  // not `invalid`: those have a table of their own
    bool only_uncertain = false;        // those that ever were
};

// In the order of the file.
Result<modules::Listed<Entry>> list_entries(
    Transaction& transaction,
    std::int64_t mailing_id,
    const EntryFilter& filter,
    const modules::Page& page
);

Result<modules::Listed<InvalidLine>> list_invalid_lines(
    Transaction& transaction, std::int64_t mailing_id, const modules::Page& page
);

// How many entries ever were uncertain.
Result<std::int64_t> count_uncertain(Transaction& transaction, std::int64_t mailing_id);

// By its number alone, of whatever tenant: for whoever knows its token.
struct EntryOwner {
    TenantId tenant_id;
    std::string mailing_uuid;
    std::string email;
    std::string token;
};
Result<std::optional<EntryOwner>> find_entry_owner(Transaction& transaction, std::int64_t entry_id);

}  // namespace umavez::mailing
