#include "modules/cobranca/assinaturas_table.hpp"

#include "modules/parts/columns.hpp"

#include <fmt/format.h>

namespace umavez::cobranca {
namespace {

constexpr std::string_view select =
    "SELECT id, cliente, plano, valor, ciclo, estado, versao, ultimo_evento_em, created_at, "
    "updated_at FROM assinaturas ";

Result<Assinatura> to_assinatura(const Row& row)
{
    const auto valor = Money::parse(row.text(3));
    const auto ciclo = parse_ciclo(row.text(4));
    const auto estado = parse_estado_assinatura(row.text(5));
    if (!valor || !ciclo || !estado) {
        return fail(
            Errc::corrupt_record,
            fmt::format("valor, ciclo or estado of assinatura {} cannot be read", row.integer(0))
        );
    }
    return Assinatura{
        .id = row.integer(0),
        .cliente = row.text(1),
        .plano = row.text(2),
        .valor = *valor,
        .ciclo = *ciclo,
        .estado = *estado,
        .versao = row.integer(6),
        .ultimo_evento_em =
            row.is_null(7) ? std::nullopt : std::optional{from_micros(row.integer(7))},
        .created_at = from_micros(row.integer(8)),
        .updated_at = from_micros(row.integer(9)),
    };
}

constexpr modules::EntityRows<Assinatura> rows_of{select, to_assinatura};

}  // namespace

Result<Assinatura> insert_assinatura(
    Transaction& transaction, const TenantId& tenant_id, const NovaAssinatura& nova
)
{
    Assinatura assinatura{
        .cliente = nova.cliente,
        .plano = nova.plano,
        .valor = nova.valor,
        .ciclo = nova.ciclo,
        .ultimo_evento_em = std::nullopt,
        .created_at = transaction.now(),
        .updated_at = transaction.now(),
    };
    const auto id = transaction.insert(
        "INSERT INTO assinaturas "
        "(tenant_id, cliente, plano, valor, ciclo, estado, versao, created_at, updated_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)",
        {tenant_id.text(),
         assinatura.cliente,
         assinatura.plano,
         assinatura.valor.text(),
         std::string{to_text(assinatura.ciclo)},
         std::string{to_text(assinatura.estado)},
         assinatura.versao,
         to_micros(assinatura.created_at)}
    );
    if (!id) return std::unexpected(id.error());
    assinatura.id = id->value();
    return assinatura;
}

Result<void> replace_assinatura(Transaction& transaction, const Assinatura& next)
{
    const auto replaced = transaction.execute(
        "UPDATE assinaturas SET plano = $2, valor = $3, estado = $4, versao = $5, "
        "ultimo_evento_em = $6, updated_at = $7 WHERE id = $1",
        {next.id,
         next.plano,
         next.valor.text(),
         std::string{to_text(next.estado)},
         next.versao,
         next.ultimo_evento_em ? Value{to_micros(*next.ultimo_evento_em)} : Value{},
         to_micros(next.updated_at)}
    );
    if (!replaced) return std::unexpected(replaced.error());
    return {};
}

Result<std::optional<Assinatura>> find_assinatura(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
)
{
    return rows_of.find(transaction, tenant_id, id);
}

Result<std::optional<Assinatura>> find_assinatura_locked(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
)
{
    return rows_of.find_locked(transaction, tenant_id, id);
}

Result<modules::Listed<Assinatura>> list_assinaturas(
    Transaction& transaction,
    const TenantId& tenant_id,
    const AssinaturaFilter& filter,
    const modules::Page& page
)
{
    modules::Conditions conditions;
    if (filter.cliente) conditions.add("cliente", *filter.cliente);
    if (filter.estado) {
        // With both, the index of states, which have many rows each, is not for use.
        const std::string_view column = filter.cliente ? "estado || ''" : "estado";
        conditions.add(column, std::string{to_text(*filter.estado)});
    }
    return rows_of.list(transaction, tenant_id, page, conditions);
}

}  // namespace umavez::cobranca
