#pragma once

// The suppression list of a tenant: addresses that get nothing any more. Confined to the thread of the
// transaction.

#include "modules/parts/page.hpp"

#include <umavez/names.hpp>
#include <umavez/time.hpp>
#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::mailing {

struct Suppression {
    std::int64_t id = 0;
    std::string email;  // normalised
    std::string reason;
    std::optional<std::string> mailing_uuid;  // whose link was used
    Instant created_at;
};

struct Suppressed {
    Suppression suppression;
    bool is_new = false;
};

// The first reason stays.
Result<Suppressed> suppress(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::string_view email,
    std::string_view reason,
    const std::optional<std::string>& mailing_uuid = std::nullopt
);

// Nothing where it is not there.
Result<void> unsuppress(
    Transaction& transaction, const TenantId& tenant_id, std::string_view email
);

Result<modules::Listed<Suppression>> list_suppressions(
    Transaction& transaction,
    const TenantId& tenant_id,
    const std::optional<std::string>& email,
    const modules::Page& page
);

}  // namespace umavez::mailing
