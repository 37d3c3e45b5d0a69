#include "webhook/inbox/accounts_table.hpp"

namespace umavez::webhook {

Result<std::optional<TenantId>> find_tenant(
    Transaction& transaction, const std::string& provider, const std::string& account
)
{
    const auto rows = transaction.query(
        "SELECT tenant_id FROM provider_accounts WHERE provider = $1 AND account = $2",
        {provider, account}
    );
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty()) return std::nullopt;
    auto tenant = TenantId::parse(rows->front().text(0));
    if (!tenant) return std::unexpected(tenant.error());
    return *std::move(tenant);
}

Result<AccountAdded> add_account(
    Transaction& transaction,
    const std::string& provider,
    const std::string& account,
    const TenantId& tenant_id
)
{
    const std::int64_t now = to_micros(transaction.now());
    const auto added = transaction.execute(
        "INSERT INTO provider_accounts (provider, account, tenant_id, created_at) "
        "VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        {provider, account, tenant_id.text(), now}
    );
    if (!added) return std::unexpected(added.error());
    if (*added == 0) {
        const auto there = find_tenant(transaction, provider, account);
        if (!there) return std::unexpected(there.error());
        return *there == tenant_id ? AccountAdded::was_there : AccountAdded::of_another_tenant;
    }
    const auto woken = transaction.execute(
        "UPDATE umavez_inbox SET state = 'pending', due_at = $3, changed_at = $3 "
        "WHERE provider = $1 AND account = $2 AND state = 'waiting'",
        {provider, account, now}
    );
    if (!woken) return std::unexpected(woken.error());
    return AccountAdded::added;
}

Result<std::vector<ProviderAccount>> list_accounts(
    Transaction& transaction, const std::optional<TenantId>& tenant_id
)
{
    const auto rows = transaction.query(
        "SELECT provider, account, tenant_id, created_at FROM provider_accounts "
        "WHERE $1 = '' OR tenant_id = $1 ORDER BY provider, account",
        {tenant_id ? tenant_id->text() : std::string{}}
    );
    if (!rows) return std::unexpected(rows.error());
    std::vector<ProviderAccount> accounts;
    for (const Row& row : *rows) {
        auto tenant = TenantId::parse(row.text(2));
        if (!tenant) return std::unexpected(tenant.error());
        accounts.push_back(
            {row.text(0), row.text(1), *std::move(tenant), from_micros(row.integer(3))}
        );
    }
    return accounts;
}

Result<bool> remove_account(
    Transaction& transaction,
    const std::string& provider,
    const std::string& account,
    const std::optional<TenantId>& tenant_id
)
{
    const auto removed = transaction.execute(
        "DELETE FROM provider_accounts WHERE provider = $1 AND account = $2 AND ($3 = '' OR "
        "tenant_id = $3)",
        {provider, account, tenant_id ? tenant_id->text() : std::string{}}
    );
    if (!removed) return std::unexpected(removed.error());
    return *removed > 0;
}

}  // namespace umavez::webhook
