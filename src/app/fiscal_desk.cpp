#include "app/fiscal_desk.hpp"

#include "app/desk.hpp"
#include "base/json_object.hpp"
#include "http/parameters.hpp"
#include "modules/fiscal/counter.hpp"
#include "modules/fiscal/documentos_table.hpp"
#include "modules/fiscal/ids/access_key.hpp"
#include "modules/fiscal/ids/id_idempotencia.hpp"
#include "modules/fiscal/numbering/faixas_table.hpp"
#include "modules/fiscal/numbering/unused_numbers.hpp"
#include "modules/fiscal/tentativas_table.hpp"
#include "operators/refusals.hpp"
#include "operators/route_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

namespace umavez {
namespace {

using fiscal::Documento;
using key_protocol::CallRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;
using operators::Answer;
using operators::OperatorNeeds;
using operators::problem_of;

constexpr std::int64_t calls_max = 200;     // shown of one document
constexpr std::int64_t numbers_max = 1000;  // shown of all series

// Which tenants an operator asks about. Nullopt: all of them.
OrProblem<std::optional<TenantId>> read_tenant(const Exchange& exchange)
{
    const auto text = http::find_parameter(exchange.request, "tenant");
    if (!text || text->empty()) {
        if (exchange.caller.all_tenants) return std::nullopt;
        return exchange.caller.tenant_id;
    }
    const auto tenant = TenantId::parse(*text);
    if (!tenant) {
        return std::unexpected(
            operators::wrong_field("tenant", tenant.error().detail, exchange.language)
        );
    }
    if (auto refused = operators::refuse_tenant(exchange.caller, *tenant)) {
        return std::unexpected(*std::move(refused));
    }
    return *tenant;
}

struct Place {
    TenantId tenant_id;
    std::int64_t id = 0;
};

// Every look-up begins with the tenant, as the indexes do. Where it may be any, the index is asked for one
// tenant after the other: there are few of them, and documents are many.
constexpr std::string_view every_tenant =
    "WITH RECURSIVE tenants(name) AS (SELECT min(tenant_id) FROM documentos_fiscais UNION ALL "
    "SELECT (SELECT min(tenant_id) FROM documentos_fiscais WHERE tenant_id > tenants.name) "
    "FROM tenants WHERE tenants.name IS NOT NULL) ";

Result<void> add_places(
    Transaction& transaction,
    const std::optional<TenantId>& tenant_id,
    std::string_view column,
    Value value,
    std::vector<Place>& places
)
{
    Values parameters{std::move(value)};
    std::string sql = tenant_id ? "" : std::string{every_tenant};
    sql += "SELECT id, tenant_id FROM documentos_fiscais WHERE tenant_id ";
    sql += tenant_id ? "= $2" : "IN (SELECT name FROM tenants)";
    sql += fmt::format(" AND {} = $1 ORDER BY id LIMIT 2", column);
    if (tenant_id) parameters.emplace_back(tenant_id->text());
    const auto rows = transaction.query(sql, parameters);
    if (!rows) return std::unexpected(rows.error());
    for (const Row& row : *rows) {
        const auto tenant = TenantId::parse(row.text(1));
        if (!tenant) return std::unexpected(tenant.error());
        const Place place{*tenant, row.integer(0)};
        const bool is_known =
            std::ranges::any_of(places, [&](const Place& one) { return one.id == place.id; });
        if (!is_known) places.push_back(place);
    }
    return {};
}

// The documents that a name may mean.
Result<std::vector<Place>> find_places(
    Transaction& transaction, const std::optional<TenantId>& tenant_id, const std::string& name
)
{
    std::vector<Place> places;
    if (is_number(name)) {
        std::int64_t id = 0;
        std::from_chars(name.data(), name.data() + name.size(), id);
        auto added = add_places(transaction, tenant_id, "id", id, places);
        if (!added) return std::unexpected(added.error());
        return places;
    }
    std::vector<std::pair<std::string_view, std::string>> looked_up{
        {"chave_acesso", name}, {"id_idempotencia", name}
    };
    if (const auto dps = fiscal::DpsId::parse(name)) {
        looked_up.clear();
        for (const auto ambiente : {fiscal::Ambiente::producao, fiscal::Ambiente::homologacao}) {
            looked_up.emplace_back("id_idempotencia", fiscal::id_idempotencia(ambiente, *dps));
        }
    }
    if (const auto chave = fiscal::AccessKey::parse(name)) {
        for (const auto ambiente : {fiscal::Ambiente::producao, fiscal::Ambiente::homologacao}) {
            looked_up.emplace_back(
                "id_idempotencia", fiscal::id_idempotencia(ambiente, chave->natural_key())
            );
        }
    }
    for (auto& [column, value] : looked_up) {
        auto added = add_places(transaction, tenant_id, column, std::move(value), places);
        if (!added) return std::unexpected(added.error());
    }
    return places;
}

http::Problem no_document()
{
    return operators::not_found("such document");
}

// The one document that a request names.
Result<OrProblem<Documento>> find_one(
    Transaction& transaction, const std::optional<TenantId>& tenant_id, const Exchange& exchange
)
{
    using Found = OrProblem<Documento>;
    const std::string name{http::get_parameter(exchange.request, "nome")};
    const auto places = find_places(transaction, tenant_id, name);
    if (!places) return std::unexpected(places.error());
    if (places->empty()) return Found{std::unexpected(no_document())};
    if (places->size() > 1) {
        return Found{std::unexpected(operators::wrong_field(
            "nome", "means several documents; name one by its id, or the tenant", exchange.language
        ))};
    }
    const Place& place = places->front();
    auto found = fiscal::find_documento(transaction, place.tenant_id, place.id);
    if (!found) return std::unexpected(found.error());
    if (!*found) return Found{std::unexpected(no_document())};
    return Found{**std::move(found)};
}

Task<Answer> show(OperatorNeeds needs, const Exchange& exchange)
{
    const auto tenant_id = read_tenant(exchange);
    if (!tenant_id) co_return std::unexpected(tenant_id.error());
    OrProblem<Documento> documento = std::unexpected(no_document());
    std::vector<fiscal::Tentativa> calls;
    Closure look = [&](Transaction& transaction) -> Result<void> {
        auto found = find_one(transaction, *tenant_id, exchange);
        if (!found) return std::unexpected(found.error());
        documento = *std::move(found);
        if (!documento) return {};
        auto listed = fiscal::list_tentativas(
            transaction, documento->tenant_id, documento->id, {.after = 0, .limit = calls_max}
        );
        if (!listed) return std::unexpected(listed.error());
        calls = std::move(listed->rows);
        return {};
    };
    auto looking = needs.database.async_read(std::move(look));
    const auto looked = co_await std::move(looking);
    if (!looked) co_return std::unexpected(problem_of(looked.error()));
    if (!documento) co_return std::unexpected(documento.error());
    const auto to_call_json = [](const fiscal::Tentativa& call) { return fiscal::to_json(call); };
    JsonObject json;
    json.raw("documento", fiscal::to_json(*documento))
        .text("tenant", documento->tenant_id.text())
        .raw("chamadas", to_json_array(calls, to_call_json))
        .instant("now", system_clock().realtime());
    co_return operators::ok(json.str());
}

// Who asked for it, for the audit.
void remark(const OperatorNeeds& needs, const Documento& documento, std::string_view by)
{
    const auto operation = Operation::parse(fiscal::emitir_operation);
    const auto key = Key::parse(documento.identidade.id_idempotencia);
    if (!operation || !key) return;
    needs.engine.remark(
        {documento.tenant_id, *operation, *key}, fmt::format("reconciliation ordered by {}", by)
    );
}

Task<Answer> reconcile_one(
    OperatorNeeds needs, std::shared_ptr<fiscal::Counter> counter, const Exchange& exchange
)
{
    const auto tenant_id = read_tenant(exchange);
    if (!tenant_id) co_return std::unexpected(tenant_id.error());
    OrProblem<Documento> documento = std::unexpected(no_document());
    Closure look = [&](Transaction& transaction) -> Result<void> {
        auto found = find_one(transaction, *tenant_id, exchange);
        if (!found) return std::unexpected(found.error());
        documento = *std::move(found);
        return {};
    };
    auto looking = needs.database.async_read(std::move(look));
    const auto looked = co_await std::move(looking);
    if (!looked) co_return std::unexpected(problem_of(looked.error()));
    if (!documento) co_return std::unexpected(documento.error());
    remark(needs, *documento, exchange.caller.label);
    auto asking = counter->reconcile(documento->tenant_id, documento->id);
    co_return co_await std::move(asking);
}

std::string with_tenant(const TenantId& tenant_id, std::string json)
{
    json.pop_back();
    return fmt::format("{},\"tenant\":{}}}", json, to_json_text(tenant_id.text()));
}

Task<Answer> numbers(OperatorNeeds needs, const Exchange& exchange)
{
    const auto tenant_id = read_tenant(exchange);
    if (!tenant_id) co_return std::unexpected(tenant_id.error());
    std::vector<std::string> ranges;
    std::vector<std::string> unused;
    Closure look = [&](Transaction& transaction) -> Result<void> {
        ranges.clear();
        unused.clear();
        const auto all = fiscal::all_faixas(transaction, *tenant_id, numbers_max);
        if (!all) return std::unexpected(all.error());
        for (const auto& [owner, faixa] : *all) {
            ranges.push_back(with_tenant(owner, fiscal::to_json(faixa)));
        }
        const auto nearest = fiscal::nearest_deadlines(transaction, *tenant_id, numbers_max);
        if (!nearest) return std::unexpected(nearest.error());
        for (const fiscal::UnusedNumber& number : *nearest) {
            unused.push_back(with_tenant(*number.tenant_id, fiscal::to_json(number)));
        }
        return {};
    };
    auto looking = needs.database.async_read(std::move(look));
    const auto looked = co_await std::move(looking);
    if (!looked) co_return std::unexpected(problem_of(looked.error()));
    JsonObject json;
    json.raw("faixas", to_json_array(ranges))
        .raw("inutilizaveis", to_json_array(unused))
        .instant("now", system_clock().realtime());
    co_return operators::ok(json.str());
}

http::Field tenant_parameter()
{
    return {.name = "tenant", .type = http::text({.max = 64}), .required = false};
}

http::Route declare_one(std::string method, std::string tail, std::string id, std::string summary)
{
    http::Route route = operators::declare(
        std::move(method),
        "/ops/documentos-fiscais/{nome}" + tail,
        std::move(id),
        std::move(summary)
    );
    route.path = {
        {.name = "nome",
         .type = http::text({.max = 255, .min = 1}),
         .description = "an id, an access key, an `id_idempotencia`, or the id of a DPS"},
    };
    route.query = {tenant_parameter()};
    route.answers.push_back({.status = 200, .description = "the document"});
    route.problems.emplace_back("not-found");
    route.problems.emplace_back("validation");
    return route;
}

http::Route declare_reconcile()
{
    http::Route route = declare_one(
        "POST",
        "/conciliar",
        "ops.documentos-fiscais.conciliar",
        "Ask the authority what became of a document"
    );
    route.answers.push_back({.status = 202, .description = "nobody knows yet"});
    for (const char* const name :
         {"autoridade-indisponivel", "autoridade-bloqueada", "store-unavailable"}) {
        route.problems.emplace_back(name);
    }
    return route;
}

http::Route declare_numbers()
{
    http::Route route = operators::declare(
        "GET", "/ops/numeracao", "ops.numeracao", "Ranges of numbers, and numbers to be voided"
    );
    route.query = {tenant_parameter()};
    route.answers.push_back({.status = 200, .description = "at most 1,000 of each"});
    return route;
}

}  // namespace

std::vector<CallRoute> fiscal_operator_routes(const OperatorNeeds& needs, fiscal::Module& module)
{
    std::vector<CallRoute> routes;
    routes.push_back(operators::bound(
        needs,
        declare_one("GET", "", "ops.documentos-fiscais.show", "One fiscal document and its calls"),
        show
    ));
    const auto counter = std::make_shared<fiscal::Counter>(module);
    routes.push_back({
        .route = declare_reconcile(),
        .role = access::Role::operator_,
        .call = [needs, counter](const Exchange& exchange
                ) { return reconcile_one(needs, counter, exchange); },
    });
    routes.push_back(operators::bound(needs, declare_numbers(), numbers));
    return routes;
}

}  // namespace umavez
