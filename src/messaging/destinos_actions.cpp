#include "messaging/destinos_actions.hpp"

#include "base/json_object.hpp"
#include "base/random.hpp"
#include "messaging/destinations_table.hpp"
#include "messaging/documents.hpp"
#include "messaging/secret.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::messaging {
namespace {

using key_protocol::AtomicAction;
using key_protocol::OrProblem;
using key_protocol::ReadAction;

using Written = Result<OrProblem<Response>>;
using Shown = Result<OrProblem<http::Response>>;

http::Problem not_found(std::int64_t id)
{
    return {
        .name = "not-found",
        .detail = {fmt::format("there is no destino {}", id), fmt::format("não há destino {}", id)},
    };
}

http::Problem too_many()
{
    return {
        .name = "destinos-demais",
        .detail =
            {fmt::format("you have {} destinations; remove one first", destinations_max),
             fmt::format("você tem {} destinos; remova um antes", destinations_max)},
    };
}

Response shown_with_secret(int status, const Destination& destination, const std::string& secret)
{
    Response response{.status = status, .body = to_destino(destination, &secret) + '\n'};
    response.headers.push_back({"Content-Type", "application/json"});
    if (status == 201) {
        response.headers.push_back({"Location", fmt::format("/api/v1/destinos/{}", destination.id)}
        );
    }
    response.headers.push_back({"Cache-Control", "no-store"});
    response.entity = Entity{"destinos", std::to_string(destination.id)};
    return response;
}

std::string to_page(const std::vector<std::string>& items, const std::string& next)
{
    return JsonObject{}.raw("itens", to_json_array(items)).raw("proximo", next).str() + '\n';
}

Written run_criar(Transaction& transaction, const TenantId& tenant_id, const NovoDestino& novo)
{
    const std::string secret = make_secret(system_random());
    const auto made = insert_destination(
        transaction,
        tenant_id,
        {.id = 0,
         .url = novo.url,
         .types = novo.eventos,
         .secrets = secret,
         .created_at = {},
         .removed_at = {}}
    );
    if (!made) return std::unexpected(made.error());
    if (!*made) return OrProblem<Response>{std::unexpected(too_many())};
    return shown_with_secret(201, **made, secret);
}

Written run_remover(Transaction& transaction, const TenantId& tenant_id, std::int64_t id)
{
    const auto found = find_destination(transaction, tenant_id, id);
    if (!found) return std::unexpected(found.error());
    if (!*found) return OrProblem<Response>{std::unexpected(not_found(id))};
    const auto removed = remove_destination(transaction, id);
    if (!removed) return std::unexpected(removed.error());
    Response response{.status = 204};
    response.entity = Entity{"destinos", std::to_string(id)};
    return response;
}

Written run_girar(Transaction& transaction, const TenantId& tenant_id, std::int64_t id)
{
    const auto found = find_destination(transaction, tenant_id, id);
    if (!found) return std::unexpected(found.error());
    if (!*found || (*found)->removed_at) {
        return OrProblem<Response>{std::unexpected(not_found(id))};
    }
    const std::string secret = make_secret(system_random());
    const auto replaced = replace_secrets(
        transaction, id, (*found)->secrets, rotate_secrets((*found)->secrets, secret)
    );
    if (!replaced) return std::unexpected(replaced.error());
    return shown_with_secret(200, **found, secret);
}

Shown run_mostrar(Transaction& transaction, const TenantId& tenant_id, std::int64_t id)
{
    const auto found = find_destination(transaction, tenant_id, id);
    if (!found) return std::unexpected(found.error());
    if (!*found || (*found)->removed_at) {
        return OrProblem<http::Response>{std::unexpected(not_found(id))};
    }
    return http::json_response(200, to_destino(**found) + '\n');
}

Shown run_listar(Transaction& transaction, const TenantId& tenant_id)
{
    const auto destinations = list_destinations(transaction, tenant_id);
    if (!destinations) return std::unexpected(destinations.error());
    std::vector<std::string> items;
    for (const Destination& destination : *destinations) items.push_back(to_destino(destination));
    return http::json_response(200, to_page(items, "null"));
}

Shown run_entregas(
    Transaction& transaction, const TenantId& tenant_id, const DeliveriesQuery& query
)
{
    const auto found = find_destination(transaction, tenant_id, *query.destination_id);
    if (!found) return std::unexpected(found.error());
    if (!*found) {
        return OrProblem<http::Response>{std::unexpected(not_found(*query.destination_id))};
    }
    const auto deliveries = list_deliveries(transaction, query);
    if (!deliveries) return std::unexpected(deliveries.error());
    std::vector<std::string> items;
    for (const Delivery& delivery : *deliveries) items.push_back(to_entrega(delivery));
    const auto limit = static_cast<std::size_t>(query.limit);
    if (items.size() <= limit) return http::json_response(200, to_page(items, "null"));
    items.resize(limit);
    const std::string next = fmt::format("\"{}\"", (*deliveries)[limit - 1].id);
    return http::json_response(200, to_page(items, next));
}

}  // namespace

AtomicAction criar_destino(TenantId tenant_id, NovoDestino novo)
{
    return [tenant_id = std::move(tenant_id), novo = std::move(novo)](Transaction& transaction) {
        return run_criar(transaction, tenant_id, novo);
    };
}

AtomicAction remover_destino(TenantId tenant_id, std::int64_t id)
{
    return [tenant_id = std::move(tenant_id), id](Transaction& transaction) {
        return run_remover(transaction, tenant_id, id);
    };
}

AtomicAction girar_segredo(TenantId tenant_id, std::int64_t id)
{
    return [tenant_id = std::move(tenant_id), id](Transaction& transaction) {
        return run_girar(transaction, tenant_id, id);
    };
}

ReadAction listar_destinos(TenantId tenant_id)
{
    return [tenant_id = std::move(tenant_id)](Transaction& transaction) {
        return run_listar(transaction, tenant_id);
    };
}

ReadAction mostrar_destino(TenantId tenant_id, std::int64_t id)
{
    return [tenant_id = std::move(tenant_id), id](Transaction& transaction) {
        return run_mostrar(transaction, tenant_id, id);
    };
}

ReadAction listar_entregas(TenantId tenant_id, DeliveriesQuery query)
{
    return [tenant_id = std::move(tenant_id), query = std::move(query)](Transaction& transaction) {
        return run_entregas(transaction, tenant_id, query);
    };
}

}  // namespace umavez::messaging
