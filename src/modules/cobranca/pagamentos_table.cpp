#include "modules/cobranca/pagamentos_table.hpp"

#include "modules/parts/columns.hpp"

#include <fmt/format.h>

namespace umavez::cobranca {
namespace {

constexpr std::string_view select =
    "SELECT id, fatura_id, valor, meio, origem, referencia, created_at FROM pagamentos ";

Result<Pagamento> to_pagamento(const Row& row)
{
    const auto valor = Money::parse(row.text(2));
    if (!valor) {
        return fail(
            Errc::corrupt_record,
            fmt::format("valor of pagamento {} cannot be read", row.integer(0))
        );
    }
    return Pagamento{
        .id = row.integer(0),
        .fatura_id = row.integer(1),
        .valor = *valor,
        .meio = row.text(3),
        .origem = row.text(4),
        .referencia = modules::text_at(row, 5),
        .created_at = from_micros(row.integer(6)),
    };
}

constexpr modules::EntityRows<Pagamento> rows_of{select, to_pagamento};

}  // namespace

Result<std::optional<Pagamento>> insert_pagamento(
    Transaction& transaction, const TenantId& tenant_id, const NovoPagamento& novo
)
{
    Pagamento pagamento{
        .fatura_id = novo.fatura_id,
        .valor = novo.valor,
        .meio = novo.meio,
        .origem = novo.origem,
        .referencia = novo.referencia,
        .created_at = transaction.now(),
    };
    const auto id = transaction.insert(
        "INSERT INTO pagamentos "
        "(tenant_id, fatura_id, valor, meio, origem, referencia, created_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
        {tenant_id.text(),
         pagamento.fatura_id,
         pagamento.valor.text(),
         pagamento.meio,
         pagamento.origem,
         modules::to_value(pagamento.referencia),
         to_micros(pagamento.created_at)}
    );
    if (!id) return std::unexpected(id.error());
    if (!*id) return std::nullopt;
    pagamento.id = **id;
    return pagamento;
}

Result<std::optional<Pagamento>> find_pagamento(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
)
{
    return rows_of.find(transaction, tenant_id, id);
}

Result<std::optional<Pagamento>> find_pagamento_by_reference(
    Transaction& transaction,
    const TenantId& tenant_id,
    const std::string& origem,
    const std::string& referencia
)
{
    return rows_of.only(
        transaction,
        "WHERE tenant_id = $1 AND origem = $2 AND referencia = $3",
        {tenant_id.text(), origem, referencia}
    );
}

Result<modules::Listed<Pagamento>> list_pagamentos(
    Transaction& transaction,
    const TenantId& tenant_id,
    const std::optional<std::int64_t>& fatura_id,
    const modules::Page& page
)
{
    modules::Conditions conditions;
    if (fatura_id) conditions.add("fatura_id", *fatura_id);
    return rows_of.list(transaction, tenant_id, page, conditions);
}

}  // namespace umavez::cobranca
