#include "modules/mailing/suppressions_table.hpp"

#include "modules/parts/columns.hpp"

#include <utility>

namespace umavez::mailing {
namespace {

Result<Suppression> to_suppression(const Row& row)
{
    return Suppression{
        .id = row.integer(0),
        .email = row.text(1),
        .reason = row.text(2),
        .mailing_uuid = modules::text_at(row, 3),
        .created_at = from_micros(row.integer(4)),
    };
}

const modules::EntityRows<Suppression> rows_of{
    "SELECT id, email, reason, mailing_uuid, created_at FROM mailing_suppressions ", to_suppression
};

}  // namespace

Result<Suppressed> suppress(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::string_view email,
    std::string_view reason,
    const std::optional<std::string>& mailing_uuid
)
{
    const auto inserted = transaction.execute(
        "INSERT INTO mailing_suppressions (tenant_id, email, reason, mailing_uuid, created_at) "
        "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant_id, email) DO NOTHING",
        {tenant_id.text(),
         std::string{email},
         std::string{reason},
         modules::to_value(mailing_uuid),
         to_micros(transaction.now())}
    );
    if (!inserted) return std::unexpected(inserted.error());
    auto found = rows_of.only(
        transaction, "WHERE tenant_id = $1 AND email = $2", {tenant_id.text(), std::string{email}}
    );
    if (!found) return std::unexpected(found.error());
    if (!*found) {
        return fail(
            Errc::store_unavailable, "the address vanished inside the transaction; try again"
        );
    }
    return Suppressed{.suppression = **std::move(found), .is_new = *inserted == 1};
}

Result<void> unsuppress(Transaction& transaction, const TenantId& tenant_id, std::string_view email)
{
    const auto deleted = transaction.execute(
        "DELETE FROM mailing_suppressions WHERE tenant_id = $1 AND email = $2",
        {tenant_id.text(), std::string{email}}
    );
    if (!deleted) return std::unexpected(deleted.error());
    return {};
}

Result<modules::Listed<Suppression>> list_suppressions(
    Transaction& transaction,
    const TenantId& tenant_id,
    const std::optional<std::string>& email,
    const modules::Page& page
)
{
    modules::Conditions conditions;
    if (email) conditions.add("email", *email);
    return rows_of.list(transaction, tenant_id, page, conditions);
}

}  // namespace umavez::mailing
