#include "webhook/inbox/ingress.hpp"

#include "base/fault_point.hpp"
#include "base/shown.hpp"
#include "http/parameters.hpp"
#include "http/problem.hpp"

#include <fmt/format.h>

#include <utility>

namespace umavez::webhook {
namespace {

std::string_view problem_name(Fault fault) noexcept
{
    switch (fault) {
        case Fault::unsigned_:
        case Fault::bad_signature: return "webhook-signature";
        case Fault::bad_timestamp: return "webhook-timestamp";
        case Fault::missing_id:
        case Fault::malformed: return "webhook-malformed";
    }
    return "webhook-malformed";
}

http::Problem to_problem(const Refusal& refusal)
{
    return {
        .name = std::string{problem_name(refusal.fault)},
        .detail = {refusal.detail, refusal.detail},
    };
}

http::Problem unknown_provider()
{
    return http::problem_for(
        404,
        {"there is no [[webhook.provider]] of this name",
         "não há [[webhook.provider]] com este nome"}
    );
}

http::Problem quarantined()
{
    return {.name = "webhook-quarantined"};
}

// Nothing is known of what a store out of reach did with the event: the provider sends it again.
http::Problem not_kept(const Error& error)
{
    return {
        .name = "store-unavailable",
        .detail =
            {"the event could not be kept; send it again",
             "o evento não pôde ser guardado; envie-o de novo"},
        .headers = {{"Retry-After", "1"}},
        .cause = error.detail,
    };
}

http::Response accepted_response(Acceptance acceptance)
{
    return http::json_response(
        200,
        fmt::format(
            R"({{"received":true,"duplicate":{}}})"
            "\n",
            acceptance == Acceptance::duplicate
        )
    );
}

using Shared = std::shared_ptr<const IngressNeeds>;

Task<Result<Accepted>> keep(Shared needs, Incoming incoming)
{
    Accepted acceptance;
    Closure closure = [&](Transaction& transaction) -> Result<void> {
        const auto accepted = accept(transaction, incoming);
        if (!accepted) return std::unexpected(accepted.error());
        acceptance = *accepted;
        strike(FaultPoint::handler_before_effect);
        return {};
    };
    auto keeping = needs->database.async_transact(std::move(closure));
    const Result<void> kept = co_await std::move(keeping);
    strike(FaultPoint::handler_after_effect);
    if (!kept) co_return std::unexpected(kept.error());
    co_return acceptance;
}

http::Response answer(
    const IngressNeeds& needs, const http::Request& request, const Result<Accepted>& kept
)
{
    const auto place = place_of(needs.problems, request);
    if (!kept) return to_response(not_kept(kept.error()), place);
    if (kept->as == Acceptance::quarantined) {
        if (needs.on_quarantined) needs.on_quarantined(kept->id);
        return to_response(quarantined(), place);
    }
    if (kept->as == Acceptance::accepted && needs.on_accepted) needs.on_accepted();
    return accepted_response(kept->as);
}

Task<http::Response> receive(Shared needs, http::Request request)
{
    const std::string name{http::get_parameter(request, "provider")};
    const auto found = needs->schemes->find(name);
    if (found == needs->schemes->end()) {
        co_return to_response(unknown_provider(), place_of(needs->problems, request));
    }
    const auto note = [&](http::Response response, std::string_view outcome, std::string event_id) {
        if (needs->on_received) needs->on_received(name, outcome);
        response.notes.push_back({"provider", name});
        response.notes.push_back({"webhook", std::string{outcome}});
        if (!event_id.empty()) response.notes.push_back({"event_id", std::move(event_id)});
        return response;
    };
    const Delivery delivery{request.body, request.headers, request.query};
    auto event = found->second.verifier->verify(delivery, needs->clock.realtime());
    if (!event) {
        const http::Problem problem = to_problem(event.error());
        co_return note(to_response(problem, place_of(needs->problems, request)), "refused", "");
    }
    std::string event_id = event->id;
    Incoming incoming{name, found->second.scheme, *std::move(event), std::move(request.body)};
    auto keeping = keep(needs, std::move(incoming));
    const Result<Accepted> kept = co_await std::move(keeping);
    const std::string_view outcome = kept ? to_text(kept->as) : "unavailable";
    co_return note(answer(*needs, request, kept), outcome, std::move(event_id));
}

}  // namespace

Result<Schemes> make_schemes(const std::vector<Provider>& providers)
{
    Schemes schemes;
    for (const Provider& provider : providers) {
        const std::string where = fmt::format("webhook.provider \"{}\"", shown(provider.name));
        auto scheme = make_scheme(provider);
        if (!scheme) {
            return fail(Errc::misconfigured, fmt::format("{}: {}", where, scheme.error().detail));
        }
        Receiver receiver{
            provider.scheme == "svix" ? "standard-webhooks" : provider.scheme, *std::move(scheme)
        };
        if (!schemes.emplace(provider.name, std::move(receiver)).second) {
            return fail(Errc::misconfigured, where + ": there are two of this name; rename one");
        }
    }
    return schemes;
}

http::Route ingress_route()
{
    http::Route route{.method = "POST", .pattern = "/webhooks/{provider}"};
    route.operation_id = "webhooks.receber";
    route.tag = "Webhooks";
    route.summary = "Receive an event of a provider";
    route.description =
        "The signature is checked over the raw bytes. 200 means that the event is kept, now or "
        "before "
        "(`duplicate`); it is processed afterwards. Every other answer asks the provider to send "
        "it again.";
    route.body = http::Body{
        .schema = http::any(),
        .description = "As the provider sends it",
        .media_types = {"application/json", "application/x-www-form-urlencoded"},
    };
    route.answers = {
        {.status = 200,
         .description = "Kept",
         .body = http::object({
             {.name = "received", .type = http::boolean()},
             {.name = "duplicate", .type = http::boolean()},
         }),
         .example = R"({"received":true,"duplicate":false})"}
    };
    route.problems = {
        "not-found",
        "webhook-signature",
        "webhook-timestamp",
        "webhook-malformed",
        "webhook-quarantined",
        "store-unavailable",
    };
    route.security = http::Security::open;
    return route;
}

http::Handler ingress_handler(IngressNeeds needs)
{
    return [shared = std::make_shared<const IngressNeeds>(std::move(needs))](http::Request request
           ) { return receive(shared, std::move(request)); };
}

}  // namespace umavez::webhook
