#include "modules/fiscal/numbering/unused_numbers.hpp"

#include "base/json_object.hpp"
#include "modules/fiscal/rules/void_deadline.hpp"
#include "modules/parts/columns.hpp"

#include <fmt/format.h>

namespace umavez::fiscal {
namespace {

// Two equalities would be two walks of an index; this is one condition for both databases.
constexpr std::string_view is_unused =
    "estado IN ('RESERVADO', 'REJEITADO') AND prazo_inutilizacao IS NOT NULL";

constexpr std::string_view select =
    "SELECT id, tenant_id, tipo, ambiente, emitente, serie, numero, estado, reservado_em, "
    "prazo_inutilizacao FROM documentos_fiscais ";

Result<UnusedNumber> to_unused(const Row& row)
{
    const auto tenant_id = TenantId::parse(row.text(1));
    const auto tipo = parse_tipo(row.text(2));
    const auto ambiente = parse_ambiente(row.text(3));
    if (!tenant_id || !tipo || !ambiente) {
        return fail(
            Errc::corrupt_record,
            fmt::format("tenant_id, tipo or ambiente of document {} cannot be read", row.integer(0))
        );
    }
    return UnusedNumber{
        .id = row.integer(0),
        .tenant_id = *tenant_id,
        .serie = {*tipo, *ambiente, row.text(4), row.text(5)},
        .numero = row.integer(6),
        .estado = row.text(7),
        .reservado_em = row.is_null(8) ? std::nullopt : std::optional{from_micros(row.integer(8))},
        .prazo_inutilizacao = row.text(9),
    };
}

Result<std::vector<UnusedNumber>> read(
    Transaction& transaction, const std::string& sql, const Values& parameters
)
{
    auto numbers = modules::all_rows(transaction.query(sql, parameters), to_unused);
    if (!numbers) return numbers;
    const std::string today = to_text(local_date(transaction.now()));
    for (UnusedNumber& number : *numbers) number.vencido = number.prazo_inutilizacao < today;
    return numbers;
}

}  // namespace

std::string to_json(const UnusedNumber& number)
{
    JsonObject json;
    json.number("documento_id", number.id)
        .text("tipo", to_text(number.serie.tipo))
        .text("ambiente", to_text(number.serie.ambiente))
        .text("emitente", number.serie.emitente)
        .text("serie", number.serie.serie)
        .number("numero", number.numero)
        .text("estado", number.estado)
        .instant("reservado_em", number.reservado_em)
        .text("prazo_inutilizacao", number.prazo_inutilizacao)
        .boolean("vencido", number.vencido);
    return json.str();
}

Result<modules::Listed<UnusedNumber>> list_unused(
    Transaction& transaction,
    const TenantId& tenant_id,
    const UnusedFilter& filter,
    const modules::Page& page
)
{
    Values parameters{tenant_id.text(), page.after, page.limit + 1};
    std::string sql{select};
    sql += fmt::format("WHERE tenant_id = $1 AND id > $2 AND {}", is_unused);
    const auto add = [&](std::string_view condition, std::string value) {
        parameters.emplace_back(std::move(value));
        sql += fmt::format(" AND {} ${}", condition, parameters.size());
    };
    if (filter.until) {
        add("prazo_inutilizacao <=", *filter.until);
    } else {
        add("prazo_inutilizacao <", to_text(local_date(transaction.now())));
    }
    if (filter.tipo) add("tipo =", std::string{to_text(*filter.tipo)});
    if (filter.emitente) add("emitente =", *filter.emitente);
    sql += " ORDER BY id LIMIT $3";
    auto numbers = read(transaction, sql, parameters);
    if (!numbers) return std::unexpected(numbers.error());
    return modules::to_listed(*std::move(numbers), page);
}

Result<std::vector<UnusedNumber>> nearest_deadlines(
    Transaction& transaction, const std::optional<TenantId>& tenant_id, std::int64_t limit
)
{
    Values parameters{limit};
    std::string sql{select};
    sql += fmt::format("WHERE {}", is_unused);
    if (tenant_id) {
        parameters.emplace_back(tenant_id->text());
        sql += " AND tenant_id = $2";
    }
    sql += " ORDER BY prazo_inutilizacao, emitente, serie, numero LIMIT $1";
    return read(transaction, sql, parameters);
}

}  // namespace umavez::fiscal
