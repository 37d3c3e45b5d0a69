#include "modules/propostas/propostas_table.hpp"

#include "modules/parts/columns.hpp"

#include <fmt/format.h>

namespace umavez::propostas {
namespace {

using modules::all_rows;
using modules::Conditions;
using modules::EntityRows;
using modules::Listed;
using modules::Page;
using modules::text_at;
using modules::to_value;

constexpr std::string_view select =
    "SELECT id, cliente_id, valor, estado, versao, idempotencia_key, created_at, updated_at FROM "
    "propostas ";

std::unexpected<Error> fail_corrupt(const Row& row)
{
    return fail(
        Errc::corrupt_record,
        fmt::format("valor or estado cannot be read in a row of {}", row.integer(0))
    );
}

Result<Proposta> to_proposta(const Row& row)
{
    const auto valor = Money::parse(row.text(2));
    const auto estado = parse_estado(row.text(3));
    if (!valor || !estado) return fail_corrupt(row);
    return Proposta{
        .id = row.integer(0),
        .cliente_id = row.integer(1),
        .valor = *valor,
        .estado = *estado,
        .versao = row.integer(4),
        .idempotencia_key = text_at(row, 5),
        .created_at = from_micros(row.integer(6)),
        .updated_at = from_micros(row.integer(7)),
    };
}

Result<HistoricoStep> to_step(const Row& row)
{
    const auto estado = parse_estado(row.text(3));
    const auto valor = Money::parse(row.text(4));
    if (!valor || !estado) return fail_corrupt(row);
    return HistoricoStep{
        .versao = row.integer(0),
        .operacao = row.text(1),
        .estado_anterior = row.is_null(2) ? std::nullopt : parse_estado(row.text(2)),
        .estado = *estado,
        .valor = *valor,
        .usuario = text_at(row, 5),
        .created_at = from_micros(row.integer(6)),
    };
}

constexpr EntityRows<Proposta> rows_of{select, to_proposta};

}  // namespace

Result<std::optional<Proposta>> insert_proposta(
    Transaction& transaction,
    const TenantId& tenant_id,
    const NovaProposta& nova,
    const std::optional<Key>& key
)
{
    Proposta proposta{
        .cliente_id = nova.cliente_id,
        .valor = nova.valor,
        .idempotencia_key = key ? std::optional{key->text()} : std::nullopt,
        .created_at = transaction.now(),
        .updated_at = transaction.now(),
    };
    const auto id = transaction.insert(
        "INSERT INTO propostas "
        "(tenant_id, cliente_id, valor, estado, versao, idempotencia_key, created_at, updated_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $7) ON CONFLICT DO NOTHING",
        {tenant_id.text(),
         proposta.cliente_id,
         proposta.valor.text(),
         std::string{to_text(proposta.estado)},
         proposta.versao,
         to_value(proposta.idempotencia_key),
         to_micros(proposta.created_at)}
    );
    if (!id) return std::unexpected(id.error());
    if (!*id) return std::nullopt;
    proposta.id = **id;
    return proposta;
}

Result<void> replace_proposta(Transaction& transaction, const Proposta& next)
{
    const auto replaced = transaction.execute(
        "UPDATE propostas SET valor = $3, estado = $4, versao = $2 + 1, updated_at = $5 "
        "WHERE id = $1 AND versao = $2",
        {next.id,
         next.versao - 1,
         next.valor.text(),
         std::string{to_text(next.estado)},
         to_micros(next.updated_at)}
    );
    if (!replaced) return std::unexpected(replaced.error());
    if (*replaced == 0) {
        return fail(
            Errc::store_unavailable, "the proposal changed inside the transaction; try again"
        );
    }
    return {};
}

Result<std::optional<Proposta>> find_proposta(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
)
{
    return rows_of.find(transaction, tenant_id, id);
}

Result<std::optional<Proposta>> find_proposta_by_key(
    Transaction& transaction, const TenantId& tenant_id, const Key& key
)
{
    return rows_of.find_by_key(transaction, tenant_id, key);
}

Result<std::optional<Proposta>> find_proposta_of_record(Transaction& transaction, std::int64_t id)
{
    return rows_of.find_by_id(transaction, id);
}

Result<Listed<Proposta>> list_propostas(
    Transaction& transaction,
    const TenantId& tenant_id,
    const PropostaFilter& filter,
    const Page& page
)
{
    Conditions conditions;
    if (filter.cliente_id) conditions.add("cliente_id", *filter.cliente_id);
    if (filter.estado) {
        // A client has few proposals, a state has many: with both, the index of states is not for
        // use.
        const std::string_view column = filter.cliente_id ? "estado || ''" : "estado";
        conditions.add(column, std::string{to_text(*filter.estado)});
    }
    return rows_of.list(transaction, tenant_id, page, conditions);
}

Result<void> append_historico(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::int64_t proposta_id,
    const HistoricoStep& step
)
{
    const auto appended = transaction.execute(
        "INSERT INTO propostas_historico "
        "(tenant_id, proposta_id, versao, operacao, estado_anterior, estado, valor, usuario, "
        "created_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        {tenant_id.text(),
         proposta_id,
         step.versao,
         step.operacao,
         step.estado_anterior ? Value{std::string{to_text(*step.estado_anterior)}} : Value{},
         std::string{to_text(step.estado)},
         step.valor.text(),
         to_value(step.usuario),
         to_micros(step.created_at)}
    );
    if (!appended) return std::unexpected(appended.error());
    return {};
}

Result<std::vector<HistoricoStep>> list_historico(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t proposta_id
)
{
    return all_rows(
        transaction.query(
            "SELECT versao, operacao, estado_anterior, estado, valor, usuario, created_at "
            "FROM propostas_historico WHERE tenant_id = $1 AND proposta_id = $2 "
            "ORDER BY versao LIMIT $3",
            {tenant_id.text(), proposta_id, historico_max}
        ),
        to_step
    );
}

}  // namespace umavez::propostas
