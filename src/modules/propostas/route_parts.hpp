#pragma once

// What the routes of clients and of proposals share. Pure, thread-safe.

#include "http/parameters.hpp"
#include "http/route.hpp"
#include "key_protocol/protect.hpp"
#include "modules/propostas/entities.hpp"
#include "modules/propostas/operations.hpp"
#include "modules/propostas/origin.hpp"
#include "modules/propostas/page.hpp"

#include <string>
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

http::Schema cliente_schema();
http::Schema proposta_schema();
http::Schema page_schema(http::Schema item);
http::Field id_parameter(std::string description);

inline constexpr const char* proposta_example =
    R"({"id":1,"cliente_id":1,"valor":1500.00,"estado":"rascunho","versao":1,)"
    R"("idempotencia_key":"proposta-001","created_at":"2026-01-31T12:00:00.000000Z",)"
    R"("updated_at":"2026-01-31T12:00:00.000000Z"})";

}  // namespace umavez::propostas
