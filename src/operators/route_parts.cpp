#include "operators/route_parts.hpp"

#include "http/parameters.hpp"
#include "operators/refusals.hpp"

#include <utility>

namespace umavez::operators {

http::Route declare(std::string method, std::string pattern, std::string id, std::string summary)
{
    http::Route declared;
    declared.method = std::move(method);
    declared.pattern = std::move(pattern);
    declared.operation_id = std::move(id);
    declared.tag = "Operators";
    declared.summary = std::move(summary);
    declared.problems = {"forbidden", "store-unavailable"};
    return declared;
}

key_protocol::CallRoute bound(OperatorNeeds needs, http::Route declared, Call call)
{
    return {
        .route = std::move(declared),
        .role = access::Role::operator_,
        .call = [needs = std::move(needs),
                 call](const key_protocol::Exchange& exchange) { return call(needs, exchange); },
    };
}

http::Response ok(std::string json)
{
    return http::json_response(200, std::move(json) + "\n");
}

key_protocol::OrProblem<RecordId> read_id(const key_protocol::Exchange& exchange)
{
    auto tenant = TenantId::parse(http::get_parameter(exchange.request, "tenant"));
    if (!tenant) return std::unexpected(not_found("such tenant"));
    if (auto refused = refuse_tenant(exchange.caller, *tenant))
        return std::unexpected(*std::move(refused));
    auto operation = Operation::parse(http::get_parameter(exchange.request, "operation"));
    auto key = Key::parse(http::get_parameter(exchange.request, "key"));
    // A name that cannot be one is a record that is not there.
    if (!operation || !key) return std::unexpected(not_found("such key"));
    return RecordId{*std::move(tenant), *std::move(operation), *std::move(key)};
}

}  // namespace umavez::operators
