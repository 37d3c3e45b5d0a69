#include "key_protocol/protect.hpp"

#include "key_protocol/accepted_body.hpp"
#include "key_protocol/admission.hpp"
#include "key_protocol/answer.hpp"
#include "key_protocol/content.hpp"
#include "key_protocol/described.hpp"
#include "key_protocol/outcome_problem.hpp"
#include "key_protocol/replay_headers.hpp"

#include <memory>
#include <utility>

namespace umavez::key_protocol {
namespace {

// A route and what it uses, shared by all its requests.
template <typename Declared>
struct Bound {
    Declared declared;
    ApiNeeds needs;
};
template <>
struct Bound<AtomicRoute> {
    Bound(AtomicRoute route, const ApiNeeds& used)
        : declared(std::move(route)),
          needs(used),
          identity{
              *Operation::parse(declared.operation.name),
              declared.route.pattern,
              declared.operation.policy,
          }
    {
    }

    AtomicRoute declared;
    ApiNeeds needs;
    ProtectedRoute identity;
};
using BoundAtomic = std::shared_ptr<const Bound<AtomicRoute>>;
using BoundRead = std::shared_ptr<const Bound<ReadRoute>>;
using BoundCall = std::shared_ptr<const Bound<CallRoute>>;

AnswerFacts facts_of(const Bound<AtomicRoute>& bound, const http::Request& request)
{
    return {
        .policy = bound.declared.operation.policy,
        .place = place_of(bound.needs.problems, request),
        .mismatch_status = bound.needs.settings.mismatch_status,
        .has_key = false,  // until one was read
        .wait = {},
        .passing = {},
    };
}

void note_caller(http::Response& answer, const access::Caller& caller)
{
    answer.notes.push_back({"tenant", caller.tenant_id.text()});
}

void note_outcome(http::Response& answer, const AtomicRoute& route, std::string_view outcome)
{
    answer.notes.push_back({"operation", route.operation.name});
    answer.notes.push_back({"outcome", std::string{outcome}});
}

// A problem inside the engine: it may be kept, and replayed as it is.
Response to_handler_response(const http::Problem& problem, const http::ProblemPlace& place)
{
    http::Response response = to_response(problem, place);
    return {
        .status = response.status,
        .headers = std::move(response.headers),
        .body = std::move(response.body),
        .entity = {},
    };
}

// `passing` belongs to the run whose answer is given: a later run begins anew.
Result<Response> run_once(
    const AtomicAction& action,
    Transaction& transaction,
    const http::ProblemPlace& place,
    std::vector<Header>& passing
)
{
    passing.clear();
    auto done = action(transaction);
    if (!done) return std::unexpected(done.error());
    SplitResponse split =
        split_for_record(*done ? **std::move(done) : to_handler_response(done->error(), place));
    passing = std::move(split.passing);
    return std::move(split.kept);
}

std::expected<ReadRequest, http::Problem> read(
    const Bound<AtomicRoute>& bound, const access::Caller& caller, const http::Request& request
)
{
    if (auto refused = check_body(bound.declared.route, request)) {
        return std::unexpected(*std::move(refused));
    }
    return read_request(request, caller.tenant_id, bound.identity, bound.needs.settings);
}

// For clients validation comes after the look-up (docs/reference/idempotency.md); here it comes
// before: only where it fails is the look-up needed, for the claim finds a final record as well.
Task<http::Response> answer_admitted(
    const Bound<AtomicRoute>& bound, const access::Caller& caller, const http::Request& request
)
{
    const AtomicRoute& declared = bound.declared;
    AnswerFacts facts = facts_of(bound, request);
    const auto answer_with = [&](auto told, std::string_view outcome) {
        http::Response answer = to_answer(std::move(told), facts);
        note_outcome(answer, declared, outcome);
        return answer;
    };
    auto asked = read(bound, caller, request);
    if (!asked) co_return answer_with(asked.error(), "refused");
    facts.has_key = asked->request.key || declared.operation.policy.key == KeyRule::derived;
    facts.wait = asked->wait;

    const auto trace = http::find_trace_context(request.headers);
    const Exchange exchange{
        .request = request,
        .caller = caller,
        .language = facts.place.language,
        .key = asked->request.key,
        .trace = trace,
        .body = asked->json ? &*asked->json : nullptr,
    };
    auto action = declared.prepare(exchange);
    if (!action) {
        auto looking = bound.needs.engine.async_look_up(asked->request);
        auto known = co_await std::move(looking);
        if (known && *known) {
            const std::string_view name = to_text(**known);
            co_return answer_with(**std::move(known), name);
        }
        co_return answer_with(action.error(), "refused");
    }
    AtomicHandler handler = [&](Transaction& transaction) {
        return run_once(*action, transaction, facts.place, facts.passing);
    };
    auto running = bound.needs.engine.async_atomically(asked->request, std::move(handler));
    auto outcome = co_await std::move(running);
    if (!outcome) {
        http::Response failed = answer_with(outcome.error(), "failed");
        failed.notes.push_back({"detail", outcome.error().detail});
        co_return failed;
    }
    const std::string_view name = to_text(*outcome);
    const auto* const down = std::get_if<Unavailable>(&*outcome);
    const std::string cause = down != nullptr ? down->detail : std::string{};
    http::Response answer = answer_with(*std::move(outcome), name);
    if (!cause.empty()) answer.notes.push_back({"detail", cause});
    co_return answer;
}

Task<http::Response> answer_atomic(BoundAtomic bound, http::Request request)
{
    const ApiNeeds& needs = bound->needs;
    const auto caller = admit(needs.tokens, request, access::Role::writer, needs.clock.realtime());
    if (!caller) co_return to_answer(caller.error(), facts_of(*bound, request));
    Task<http::Response> answering = answer_admitted(*bound, *caller, request);
    http::Response answer = co_await std::move(answering);
    note_caller(answer, *caller);
    co_return answer;
}

http::Response refuse(
    const http::Problem& problem, const ApiNeeds& needs, const http::Request& request
)
{
    return to_response(problem, place_of(needs.problems, request));
}

// A request outside the protocol: a key it may carry is not looked at. Everything outlives the
// exchange.
Exchange exchange_without_key(
    const http::Request& request,
    const access::Caller& caller,
    const std::optional<http::TraceContext>& trace,
    const JsonTree* body
)
{
    static const std::optional<Key> no_key;
    return {
        .request = request,
        .caller = caller,
        .language = http::choose_language(request.headers),
        .key = no_key,
        .trace = trace,
        .body = body,
    };
}

Task<http::Response> answer_read(BoundRead bound, http::Request request)
{
    const ApiNeeds& needs = bound->needs;
    const auto caller = admit(needs.tokens, request, bound->declared.role, needs.clock.realtime());
    if (!caller) co_return refuse(caller.error(), needs, request);

    const auto trace = http::find_trace_context(request.headers);
    const Exchange exchange = exchange_without_key(request, *caller, trace, nullptr);
    const auto action = bound->declared.prepare(exchange);
    if (!action) co_return refuse(action.error(), needs, request);
    std::optional<OrProblem<http::Response>> answer;
    Closure closure = [&](Transaction& transaction) -> Result<void> {
        auto done = (*action)(transaction);
        if (!done) return std::unexpected(done.error());
        answer = *std::move(done);
        return {};
    };
    auto reading = needs.database.async_read(std::move(closure));
    const Result<void> done = co_await std::move(reading);
    if (!done) {
        http::Response failed = refuse(problem_of(done.error()), needs, request);
        failed.notes.push_back({"detail", done.error().detail});
        note_caller(failed, *caller);
        co_return failed;
    }
    http::Response response =
        *answer ? **std::move(answer) : refuse(answer->error(), needs, request);
    note_caller(response, *caller);
    co_return response;
}

Task<http::Response> answer_call(BoundCall bound, http::Request request)
{
    const ApiNeeds& needs = bound->needs;
    const auto caller = admit(needs.tokens, request, bound->declared.role, needs.clock.realtime());
    if (!caller) co_return refuse(caller.error(), needs, request);
    if (const auto refused = check_body(bound->declared.route, request)) {
        co_return refuse(*refused, needs, request);
    }
    const auto body = read_body(request.headers, request.body);
    if (!body) co_return refuse(body.error(), needs, request);

    const auto trace = http::find_trace_context(request.headers);
    const JsonTree* const json = body->json ? &*body->json : nullptr;
    const Exchange exchange = exchange_without_key(request, *caller, trace, json);
    auto calling = bound->declared.call(exchange);
    auto answer = co_await std::move(calling);
    http::Response response = answer ? *std::move(answer) : refuse(answer.error(), needs, request);
    note_caller(response, *caller);
    co_return response;
}

template <typename Declared>
http::Handler handler_of(
    Declared declared,
    const ApiNeeds& needs,
    Task<http::Response> (*answer)(std::shared_ptr<const Bound<Declared>>, http::Request)
)
{
    auto bound = std::make_shared<const Bound<Declared>>(std::move(declared), needs);
    return [bound, answer](http::Request request) { return answer(bound, std::move(request)); };
}

// Who may not come in is told so before the body is read.
http::RouteGate gate_of(const ApiNeeds& needs, access::Role role)
{
    return {
        .refuse = [needs, role](const http::Request& head) -> std::optional<http::Response> {
            const auto caller = admit(needs.tokens, head, role, needs.clock.realtime());
            if (caller) return std::nullopt;
            return refuse(caller.error(), needs, head);
        },
    };
}

// Nothing was claimed where the handler was not asked.
http::RouteGate write_gate_of(const ApiNeeds& needs)
{
    http::RouteGate gate = gate_of(needs, access::Role::writer);
    gate.headers = {{"Idempotency-Guarantee", "none"}};
    return gate;
}

}  // namespace

void Api::bind(http::Router& router, const ApiNeeds& needs)
{
    for (AtomicRoute& route : std::exchange(atomic_, {})) {
        http::Route described = described_write(route.route, route.operation.policy);
        auto handler = handler_of(std::move(route), needs, answer_atomic);
        router.add(std::move(described), std::move(handler), write_gate_of(needs));
    }
    for (ReadRoute& route : std::exchange(reads_, {})) {
        http::Route described = described_read(route.route);
        http::RouteGate gate = gate_of(needs, route.role);
        auto handler = handler_of(std::move(route), needs, answer_read);
        router.add(std::move(described), std::move(handler), std::move(gate));
    }
    for (CallRoute& route : std::exchange(calls_, {})) {
        http::Route described = described_read(route.route);
        http::RouteGate gate = gate_of(needs, route.role);
        auto handler = handler_of(std::move(route), needs, answer_call);
        router.add(std::move(described), std::move(handler), std::move(gate));
    }
}

}  // namespace umavez::key_protocol
