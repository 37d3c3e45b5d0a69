#include "modules/fiscal/numbering/faixas_table.hpp"

#include "database/change.hpp"
#include "modules/parts/columns.hpp"

#include <fmt/format.h>

namespace umavez::fiscal {
namespace {

constexpr std::string_view select =
    "SELECT id, tipo, ambiente, emitente, serie, ultimo_numero, numero_max, bloqueado, versao, "
    "created_at, updated_at, tenant_id FROM faixas_numeracao ";
constexpr std::string_view columns = select.substr(6, select.find(" FROM") - 6);

constexpr std::string_view of_serie =
    "WHERE tenant_id = $1 AND emitente = $2 AND tipo = $3 AND serie = $4 AND ambiente = $5";

Values parameters_of(const TenantId& tenant_id, const Serie& serie)
{
    return {
        tenant_id.text(),
        serie.emitente,
        std::string{to_text(serie.tipo)},
        serie.serie,
        std::string{to_text(serie.ambiente)},
    };
}

Result<Faixa> to_faixa(const Row& row)
{
    const auto tipo = parse_tipo(row.text(1));
    const auto ambiente = parse_ambiente(row.text(2));
    const std::int64_t ultimo_numero = row.integer(5);
    const std::int64_t numero_max = row.integer(6);
    if (!tipo || !ambiente || ultimo_numero < 0 || ultimo_numero > numero_max) {
        return fail(
            Errc::corrupt_record,
            fmt::format(
                "tipo or ambiente of faixa {} cannot be read, or its last number is beyond its "
                "largest",
                row.integer(0)
            )
        );
    }
    return Faixa{
        .id = row.integer(0),
        .serie = {*tipo, *ambiente, row.text(3), row.text(4)},
        .ultimo_numero = ultimo_numero,
        .numero_max = numero_max,
        .bloqueado = row.integer(7) != 0,
        .versao = row.integer(8),
        .created_at = from_micros(row.integer(9)),
        .updated_at = from_micros(row.integer(10)),
    };
}

constexpr modules::EntityRows<Faixa> rows_of{select, to_faixa};

}  // namespace

Result<std::optional<Faixa>> insert_faixa(
    Transaction& transaction,
    const TenantId& tenant_id,
    const Serie& serie,
    std::int64_t ultimo_numero
)
{
    Faixa faixa{
        .serie = serie,
        .ultimo_numero = ultimo_numero,
        .numero_max = numero_max_of(serie.tipo),
        .created_at = transaction.now(),
        .updated_at = transaction.now(),
    };
    Values parameters = parameters_of(tenant_id, serie);
    for (const std::int64_t more :
         {faixa.ultimo_numero, faixa.numero_max, faixa.versao, to_micros(faixa.created_at)}) {
        parameters.emplace_back(more);
    }
    const auto id = transaction.insert(
        "INSERT INTO faixas_numeracao (tenant_id, emitente, tipo, serie, ambiente, ultimo_numero, "
        "numero_max, bloqueado, versao, created_at, updated_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9, $9) ON CONFLICT DO NOTHING",
        parameters
    );
    if (!id) return std::unexpected(id.error());
    if (!*id) return std::nullopt;
    faixa.id = **id;
    return faixa;
}

Result<std::optional<Faixa>> take_number(
    Transaction& transaction, const TenantId& tenant_id, const Serie& serie
)
{
    std::string sql =
        "UPDATE faixas_numeracao SET ultimo_numero = ultimo_numero + 1, updated_at = $6 ";
    sql += of_serie;
    sql += " AND bloqueado = 0 AND ultimo_numero < numero_max RETURNING";
    sql += columns;
    Values parameters = parameters_of(tenant_id, serie);
    parameters.emplace_back(to_micros(transaction.now()));
    return modules::only_row(transaction.query(sql, parameters), to_faixa);
}

Result<void> replace_faixa(Transaction& transaction, const Faixa& next)
{
    return change(
        transaction,
        "UPDATE faixas_numeracao SET ultimo_numero = $3, bloqueado = $4, versao = $2 + 1, "
        "updated_at = $5 WHERE id = $1 AND versao = $2",
        {next.id,
         next.versao - 1,
         next.ultimo_numero,
         std::int64_t{next.bloqueado ? 1 : 0},
         to_micros(next.updated_at)}
    );
}

Result<std::optional<Faixa>> find_faixa(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
)
{
    return rows_of.find(transaction, tenant_id, id);
}

Result<std::optional<Faixa>> find_faixa_locked(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
)
{
    return rows_of.find_locked(transaction, tenant_id, id);
}

Result<std::optional<Faixa>> find_faixa_of(
    Transaction& transaction, const TenantId& tenant_id, const Serie& serie
)
{
    return rows_of.only(transaction, of_serie, parameters_of(tenant_id, serie));
}

Result<std::optional<Faixa>> find_faixa_of_locked(
    Transaction& transaction, const TenantId& tenant_id, const Serie& serie
)
{
    std::string condition{of_serie};
    condition += modules::row_lock(transaction.dialect());
    return rows_of.only(transaction, condition, parameters_of(tenant_id, serie));
}

Result<modules::Listed<Faixa>> list_faixas(
    Transaction& transaction,
    const TenantId& tenant_id,
    const FaixaFilter& filter,
    const modules::Page& page
)
{
    modules::Conditions conditions;
    if (filter.tipo) conditions.add("tipo", std::string{to_text(*filter.tipo)});
    if (filter.emitente) conditions.add("emitente", *filter.emitente);
    return rows_of.list(transaction, tenant_id, page, conditions);
}

Result<std::vector<std::pair<TenantId, Faixa>>> all_faixas(
    Transaction& transaction, const std::optional<TenantId>& tenant_id, std::int64_t limit
)
{
    using Owned = std::pair<TenantId, Faixa>;
    Values parameters{limit};
    std::string sql{select};
    if (tenant_id) {
        parameters.emplace_back(tenant_id->text());
        sql += "WHERE tenant_id = $2 ";
    }
    sql += "ORDER BY tenant_id, emitente, tipo, serie, ambiente LIMIT $1";
    const auto to_owned = [](const Row& row) -> Result<Owned> {
        const auto owner = TenantId::parse(row.text(11));
        if (!owner) return fail(Errc::corrupt_record, owner.error().detail);
        auto faixa = to_faixa(row);
        if (!faixa) return std::unexpected(faixa.error());
        return Owned{*owner, *std::move(faixa)};
    };
    return modules::all_rows(transaction.query(sql, parameters), to_owned);
}

Result<std::int64_t> largest_numero(
    Transaction& transaction, const TenantId& tenant_id, const Serie& serie
)
{
    std::string sql = "SELECT numero FROM documentos_fiscais ";
    sql += of_serie;
    sql += " ORDER BY numero DESC LIMIT 1";
    const auto rows = transaction.query(sql, parameters_of(tenant_id, serie));
    if (!rows) return std::unexpected(rows.error());
    return rows->empty() ? 0 : rows->front().integer(0);
}

Result<bool> is_numero_used_by_another(
    Transaction& transaction,
    const TenantId& tenant_id,
    const Serie& serie,
    std::int64_t numero,
    const std::string& id_idempotencia
)
{
    std::string sql = "SELECT id FROM documentos_fiscais ";
    sql += of_serie;
    sql += " AND numero = $6 AND id_idempotencia <> $7 LIMIT 1";
    Values parameters = parameters_of(tenant_id, serie);
    parameters.emplace_back(numero);
    parameters.emplace_back(id_idempotencia);
    const auto rows = transaction.query(sql, parameters);
    if (!rows) return std::unexpected(rows.error());
    return !rows->empty();
}

}  // namespace umavez::fiscal
