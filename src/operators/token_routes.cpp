// Tokens over /ops: an operator makes and revokes those of its own tenant, one for all tenants any.

#include "base/json_object.hpp"
#include "base/limits.hpp"
#include "http/parameters.hpp"
#include "operators/body_fields.hpp"
#include "operators/documents.hpp"
#include "operators/refusals.hpp"
#include "operators/route_parts.hpp"

namespace umavez::operators {
namespace {

using access::TokenDraft;
using access::TokenTenant;
using key_protocol::CallRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;

// Of the tokens a caller may see and revoke.
TokenTenant tenant_of(const access::Caller& caller)
{
    return caller.all_tenants ? TokenTenant{} : TokenTenant{caller.tenant_id};
}

Task<Answer> list_tokens(OperatorNeeds needs, const Exchange& exchange)
{
    auto listing = needs.tokens.async_list();
    auto tokens = co_await std::move(listing);
    if (!tokens) co_return std::unexpected(problem_of(tokens.error()));
    const access::Caller& caller = exchange.caller;
    std::erase_if(*tokens, [&caller](const access::TokenRow& token) {
        return !caller.all_tenants && token.tenant != caller.tenant_id;
    });
    const auto one = [](const access::TokenRow& token) { return to_json(token); };
    JsonObject json;
    json.raw("tokens", to_json_array(*tokens, one)).instant("now", system_clock().realtime());
    co_return http::json_response(200, json.str() + "\n");
}

OrProblem<TokenDraft> read_draft(const Exchange& exchange)
{
    const auto wrong = [&exchange](const std::string& field, const std::string& message) {
        return std::unexpected(wrong_field(field, message, exchange.language));
    };
    if (auto unknown =
            refuse_unknown(exchange, {"tenant", "role", "label", "expires_in_seconds"})) {
        return std::unexpected(*std::move(unknown));
    }
    TokenDraft draft;
    auto tenant = access::parse_token_tenant(find_text(exchange, "tenant").value_or(""));
    if (!tenant) return wrong("tenant", tenant.error().detail);
    draft.tenant = *std::move(tenant);
    if (!exchange.caller.all_tenants) {
        const TenantId& own = exchange.caller.tenant_id;
        if (draft.tenant != own) {
            auto refused = refuse_unless_all_tenants(exchange.caller);
            return std::unexpected(*std::move(refused));
        }
    }
    const auto role = access::parse_role(find_text(exchange, "role").value_or(""));
    if (!role) return wrong("role", "must be reader, writer or operator");
    draft.role = *role;
    draft.label = find_text(exchange, "label").value_or("");
    if (has_field(exchange, "expires_in_seconds")) {
        const auto seconds = find_integer(exchange, "expires_in_seconds");
        const auto most = std::chrono::duration_cast<std::chrono::seconds>(limits::duration_max);
        if (!seconds || *seconds < 1 || *seconds > most.count()) {
            return wrong(
                "expires_in_seconds", "must be a whole number above zero, at most 100 years"
            );
        }
        draft.lifetime = std::chrono::seconds{*seconds};
    }
    if (const auto mistake = access::find_mistake(draft)) {
        return wrong(mistake->field, mistake->message);
    }
    return draft;
}

Task<Answer> create_token(OperatorNeeds needs, const Exchange& exchange)
{
    auto draft = read_draft(exchange);
    if (!draft) co_return std::unexpected(draft.error());
    auto creating = needs.tokens.async_create(*std::move(draft));
    const auto made = co_await std::move(creating);
    if (!made) co_return std::unexpected(problem_of(made.error()));
    JsonObject json;
    json.text("token", made->text).raw("about", to_json(made->row));
    http::Response response = http::json_response(201, json.str() + "\n");
    response.headers.push_back({"Cache-Control", "no-store"});
    co_return response;
}

Task<Answer> revoke_token(OperatorNeeds needs, const Exchange& exchange)
{
    const std::int64_t id = http::get_integer(exchange.request, "id");
    auto revoking = needs.tokens.async_revoke(id, tenant_of(exchange.caller));
    const auto revoked = co_await std::move(revoking);
    if (!revoked) co_return std::unexpected(problem_of(revoked.error()));
    co_return http::json_response(200, to_json(*revoked) + "\n");
}

}  // namespace

std::vector<CallRoute> token_routes(OperatorNeeds needs)
{
    http::Route list =
        declare("GET", "/ops/tokens", "tokens.list", "Tokens, without their secrets");
    list.answers.push_back({.status = 200, .description = "all tokens, also revoked ones"});
    http::Route create = declare("POST", "/ops/tokens", "tokens.create", "Make a token");
    create.body = http::Body{
        .schema = http::object({
            {.name = "tenant",
             .type = http::text({.max = 64}),
             .description = "or * for operators of all"},
            {.name = "role", .type = http::one_of({"reader", "writer", "operator"})},
            {.name = "label", .type = http::text({.max = 100}), .required = false},
            {.name = "expires_in_seconds", .type = http::integer({.min = 1}), .required = false},
        })
    };
    create.answers.push_back({.status = 201, .description = "the token, shown this once"});
    create.problems.emplace_back("validation");
    http::Route revoke =
        declare("POST", "/ops/tokens/{id}/revoke", "tokens.revoke", "Revoke a token");
    revoke.path = {{.name = "id", .type = http::integer({.min = 1})}};
    revoke.answers.push_back({.status = 200, .description = "revoked, now or before"});
    revoke.problems.emplace_back("not-found");

    return {
        bound(needs, std::move(list), list_tokens),
        bound(needs, std::move(create), create_token),
        bound(needs, std::move(revoke), revoke_token),
    };
}

}  // namespace umavez::operators
