#pragma once

// The rows of mailings, read. Who changes them is elsewhere: uploads, orders, the lock's owner.
// Confined to the thread of the transaction.

#include "modules/mailing/entities.hpp"
#include "modules/parts/page.hpp"

#include <umavez/transaction.hpp>

#include <optional>
#include <string_view>

namespace umavez::mailing {

// "SELECT … FROM mailings ", and a row of it as a value. A head has no texto
// and no html: for whoever shows it.
extern const std::string_view select_mailing;
extern const std::string_view select_mailing_head;
Result<Mailing> to_mailing(const Row& row);

Result<std::optional<Mailing>> find_mailing(
    Transaction& transaction, const TenantId& tenant_id, std::string_view uuid
);
Result<std::optional<Mailing>> find_mailing_head(
    Transaction& transaction, const TenantId& tenant_id, std::string_view uuid
);
// Held until the transaction ends.
Result<std::optional<Mailing>> find_mailing_locked(
    Transaction& transaction, const TenantId& tenant_id, std::string_view uuid
);

// In the order in which they were uploaded; heads.
Result<modules::Listed<Mailing>> list_mailings(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::optional<Status> status,
    const modules::Page& page
);

}  // namespace umavez::mailing
