#pragma once

// What the routes of modules share: where requests come from, pages, and the GET of one entity and of a list.
// `to_response` and `to_json` of an entity are found in the namespace of its module. Pure, thread-safe.

#include "http/parameters.hpp"
#include "http/route.hpp"
#include "key_protocol/protect.hpp"
#include "modules/parts/answers.hpp"
#include "modules/parts/origin.hpp"
#include "modules/parts/page.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::modules {

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

http::Schema page_schema(http::Schema item);
// The answer of a list.
http::Answer page_answer(http::Schema item);
http::Field id_parameter(std::string description);

// How a writer tells the version it has seen: a member of the body, or a header.
http::Field versao_field();
http::Schema versao_schema();  // of a body that has nothing else
http::Field if_match_field();

}  // namespace umavez::modules
