#include "modules/cobranca/concessoes_table.hpp"

#include "modules/parts/columns.hpp"

namespace umavez::cobranca {
namespace {

constexpr std::string_view select =
    "SELECT id, fatura_id, assinatura_id, competencia, created_at FROM concessoes ";

Result<Concessao> to_concessao(const Row& row)
{
    return Concessao{
        .id = row.integer(0),
        .fatura_id = row.integer(1),
        .assinatura_id = row.integer(2),
        .competencia = row.text(3),
        .created_at = from_micros(row.integer(4)),
    };
}

constexpr modules::EntityRows<Concessao> rows_of{select, to_concessao};

}  // namespace

Result<void> ensure_concessao(
    Transaction& transaction, const TenantId& tenant_id, const Fatura& fatura
)
{
    const auto written = transaction.execute(
        "INSERT INTO concessoes (tenant_id, fatura_id, assinatura_id, competencia, created_at) "
        "VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
        {tenant_id.text(),
         fatura.id,
         fatura.assinatura_id,
         fatura.competencia,
         to_micros(transaction.now())}
    );
    if (!written) return std::unexpected(written.error());
    return {};
}

Result<std::optional<Concessao>> find_concessao(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
)
{
    return rows_of.find(transaction, tenant_id, id);
}

Result<modules::Listed<Concessao>> list_concessoes(
    Transaction& transaction,
    const TenantId& tenant_id,
    const ConcessaoFilter& filter,
    const modules::Page& page
)
{
    modules::Conditions conditions;
    if (filter.fatura_id) conditions.add("fatura_id", *filter.fatura_id);
    if (filter.assinatura_id) conditions.add("assinatura_id", *filter.assinatura_id);
    return rows_of.list(transaction, tenant_id, page, conditions);
}

}  // namespace umavez::cobranca
