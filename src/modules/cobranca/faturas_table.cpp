#include "modules/cobranca/faturas_table.hpp"

#include "database/change.hpp"
#include "modules/parts/columns.hpp"

#include <fmt/format.h>

namespace umavez::cobranca {
namespace {

constexpr std::string_view select =
    "SELECT id, assinatura_id, competencia, valor, valor_pago, estado, versao, created_at, "
    "updated_at FROM faturas ";

Result<Fatura> to_fatura(const Row& row)
{
    const auto valor = Money::parse(row.text(3));
    const auto valor_pago = Money::parse(row.text(4));
    const auto estado = parse_estado_fatura(row.text(5));
    if (!valor || !valor_pago || !estado || *valor_pago > *valor) {
        return fail(
            Errc::corrupt_record,
            fmt::format(
                "valor, valor_pago or estado of fatura {} cannot be read, or more was paid than "
                "due",
                row.integer(0)
            )
        );
    }
    return Fatura{
        .id = row.integer(0),
        .assinatura_id = row.integer(1),
        .competencia = row.text(2),
        .valor = *valor,
        .valor_pago = *valor_pago,
        .estado = *estado,
        .versao = row.integer(6),
        .created_at = from_micros(row.integer(7)),
        .updated_at = from_micros(row.integer(8)),
    };
}

constexpr modules::EntityRows<Fatura> rows_of{select, to_fatura};

}  // namespace

Result<std::optional<Fatura>> insert_fatura(
    Transaction& transaction, const TenantId& tenant_id, const NovaFatura& nova, Money valor
)
{
    Fatura fatura{
        .assinatura_id = nova.assinatura_id,
        .competencia = nova.competencia,
        .valor = valor,
        .valor_pago = *Money::from_cents(0),
        .created_at = transaction.now(),
        .updated_at = transaction.now(),
    };
    const auto id = transaction.insert(
        "INSERT INTO faturas (tenant_id, assinatura_id, competencia, valor, valor_pago, estado, "
        "versao, created_at, updated_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) ON CONFLICT DO NOTHING",
        {tenant_id.text(),
         fatura.assinatura_id,
         fatura.competencia,
         fatura.valor.text(),
         fatura.valor_pago.text(),
         std::string{to_text(fatura.estado)},
         fatura.versao,
         to_micros(fatura.created_at)}
    );
    if (!id) return std::unexpected(id.error());
    if (!*id) return std::nullopt;
    fatura.id = **id;
    return fatura;
}

Result<void> replace_fatura(Transaction& transaction, const Fatura& next)
{
    return change(
        transaction,
        "UPDATE faturas SET valor_pago = $3, estado = $4, versao = $2 + 1, updated_at = $5 "
        "WHERE id = $1 AND versao = $2",
        {next.id,
         next.versao - 1,
         next.valor_pago.text(),
         std::string{to_text(next.estado)},
         to_micros(next.updated_at)}
    );
}

Result<std::optional<Fatura>> find_fatura(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
)
{
    return rows_of.find(transaction, tenant_id, id);
}

Result<std::optional<Fatura>> find_fatura_locked(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
)
{
    return rows_of.find_locked(transaction, tenant_id, id);
}

Result<std::optional<Fatura>> find_fatura_of_month(
    Transaction& transaction, const TenantId& tenant_id, const NovaFatura& month
)
{
    return rows_of.only(
        transaction,
        "WHERE tenant_id = $1 AND assinatura_id = $2 AND competencia = $3",
        {tenant_id.text(), month.assinatura_id, month.competencia}
    );
}

Result<modules::Listed<Fatura>> list_faturas(
    Transaction& transaction,
    const TenantId& tenant_id,
    const FaturaFilter& filter,
    const modules::Page& page
)
{
    modules::Conditions conditions;
    if (filter.assinatura_id) conditions.add("assinatura_id", *filter.assinatura_id);
    if (filter.estado) {
        // With both, the index of states, which have many rows each, is not for use.
        const std::string_view column = filter.assinatura_id ? "estado || ''" : "estado";
        conditions.add(column, std::string{to_text(*filter.estado)});
    }
    return rows_of.list(transaction, tenant_id, page, conditions);
}

}  // namespace umavez::cobranca
