#pragma once

// provider_accounts: which tenant an account of a provider belongs to. Without an account, whom everything
// that names none belongs to.
//
// The functions are confined to the thread of their transaction.

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <optional>
#include <string>
#include <vector>

namespace umavez::webhook {

struct ProviderAccount {
    std::string provider;
    std::string account;  // "": events that name none
    TenantId tenant_id;
    Instant created_at{};
};

// Whose the events of an account are; nullopt: nobody's yet.
Result<std::optional<TenantId>> find_tenant(
    Transaction& transaction, const std::string& provider, const std::string& account
);

enum class AccountAdded { added, was_there, of_another_tenant };

// Events that waited for the account are due at once.
Result<AccountAdded> add_account(
    Transaction& transaction,
    const std::string& provider,
    const std::string& account,
    const TenantId& tenant_id
);

// Nullopt: of all tenants.
Result<std::vector<ProviderAccount>> list_accounts(
    Transaction& transaction, const std::optional<TenantId>& tenant_id
);

// False: there is no such account of this tenant, or (nullopt) of any. Events that were accepted keep their
// tenant.
Result<bool> remove_account(
    Transaction& transaction,
    const std::string& provider,
    const std::string& account,
    const std::optional<TenantId>& tenant_id
);

}  // namespace umavez::webhook
