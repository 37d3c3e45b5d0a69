#pragma once

// What the routes of clients and of proposals share. Pure, thread-safe.

#include "http/parameters.hpp"
#include "http/route.hpp"
#include "key_protocol/protect.hpp"
#include "modules/propostas/answers.hpp"
#include "modules/propostas/entities.hpp"
#include "modules/propostas/operations.hpp"
#include "modules/propostas/origin.hpp"
#include "modules/propostas/page.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::propostas {

void add_cliente_routes(key_protocol::Api& api, const Settings& settings);
void add_proposta_routes(key_protocol::Api& api, const Settings& settings);
key_protocol::ReadRoute historico_route();

Origin origin_of(const key_protocol::Exchange& exchange);

// From `cursor` and `limit`; a cursor that is not ours is the problem `validation`.
key_protocol::OrProblem<Page> page_of(const key_protocol::Exchange& exchange);
std::vector<http::Field> page_parameters();

// 200 with the page, and a Link to the next one.
template <typename T>
http::Response to_page_response(const Listed<T>& listed, const http::Request& request)
{
    http::Response response = http::json_response(200, to_json(listed) + '\n');
    if (listed.next) {
        response.headers.push_back(
            {"Link", next_page_link(request.path, request.query, *listed.next)}
        );
    }
    return response;
}

// GET of one entity: `find(transaction, tenant_id, id)`.
template <typename Find>
key_protocol::ReadRoute showing(http::Route route, std::string_view what, Find find)
{
    key_protocol::ReadRoute read{.route = std::move(route)};
    read.prepare = [what, find](const key_protocol::Exchange& exchange
                   ) -> key_protocol::OrProblem<key_protocol::ReadAction> {
        return [what,
                find,
                tenant_id = exchange.caller.tenant_id,
                id = http::get_integer(exchange.request, "id")](Transaction& transaction
               ) -> Result<key_protocol::OrProblem<http::Response>> {
            const auto found = find(transaction, tenant_id, id);
            if (!found) return std::unexpected(found.error());
            if (*found) return to_http(to_response(200, **found));
            return key_protocol::OrProblem<http::Response>{std::unexpected(not_found(what, id))};
        };
    };
    return read;
}

// GET of a page: `read_filter(request)`, then `list(transaction, tenant_id, filter, page)`.
template <typename ReadFilter, typename List>
key_protocol::ReadRoute listing(http::Route route, ReadFilter read_filter, List list)
{
    key_protocol::ReadRoute read{.route = std::move(route)};
    read.prepare = [read_filter, list](const key_protocol::Exchange& exchange
                   ) -> key_protocol::OrProblem<key_protocol::ReadAction> {
        const auto page = page_of(exchange);
        if (!page) return std::unexpected(page.error());
        return [&request = exchange.request,
                tenant_id = exchange.caller.tenant_id,
                filter = read_filter(exchange.request),
                page = *page,
                list](Transaction& transaction) -> Result<key_protocol::OrProblem<http::Response>> {
            const auto listed = list(transaction, tenant_id, filter, page);
            if (!listed) return std::unexpected(listed.error());
            return to_page_response(*listed, request);
        };
    };
    return read;
}

http::Schema cliente_schema();
http::Schema proposta_schema();
http::Schema page_schema(http::Schema item);
http::Field id_parameter(std::string description);

// The proposal of the examples, as it is after some step.
std::string proposta_example(
    std::string_view estado, int versao, std::string_view valor = "1500.00"
);

}  // namespace umavez::propostas
