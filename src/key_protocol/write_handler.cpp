#include "key_protocol/write_handler.hpp"

#include "key_protocol/accepted_body.hpp"
#include "key_protocol/admission.hpp"
#include "key_protocol/answer.hpp"
#include "key_protocol/bound.hpp"
#include "key_protocol/outcome_problem.hpp"
#include "key_protocol/replay_headers.hpp"
#include "key_protocol/target.hpp"

#include <exception>
#include <memory>
#include <utility>

namespace umavez::key_protocol {
namespace {

template <typename Declared>
struct BoundWrite : Bound<Declared> {
    BoundWrite(Declared route, const ApiNeeds& used)
        : Bound<Declared>{std::move(route), used},
          protected_route{
              *Operation::parse(this->declared.operation.name),
              this->declared.route.pattern,
              this->declared.operation.policy,
          }
    {
        const http::Route& bound = this->declared.route;
        const bool has_parameters = bound.pattern.find('{') != std::string::npos;
        http::Request bare{};
        bare.method = bound.method;
        if (!has_parameters) protected_route.target_without_query = target_of(bare, bound.pattern);
    }

    ProtectedRoute protected_route;
};

// One request on its way through the engine. What actions tell besides their answer ends up here;
// everything outlives the engine's call.
struct Run {
    AnswerFacts facts;
    std::string exception;  // of an action; for the log
};

template <typename Declared>
AnswerFacts facts_of(const BoundWrite<Declared>& bound, const http::Request& request)
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

// What goes into the record; the rest passes by it. It belongs to the run whose answer is given: a
// later run begins anew.
Response keep(OrProblem<Response> done, AnswerFacts& facts)
{
    SplitResponse split =
        split_for_record(done ? *std::move(done) : to_handler_response(done.error(), facts.place));
    facts.passing = std::move(split.passing);
    return std::move(split.kept);
}

// An exception must not reach the engine, here and below: it would be handed on, and what the answer
// should say of the request with it lost. An error undoes the action just the same.
Task<Result<Outcome>> run_action(
    Engine& engine, Request request, const AtomicAction& action, Run& run
)
{
    AtomicHandler handler = [&](Transaction& transaction) -> Result<Response> {
        run.facts.passing.clear();
        run.exception.clear();
        try {
            auto done = action(transaction);
            if (!done) return std::unexpected(done.error());
            return keep(*std::move(done), run.facts);
        } catch (const std::exception& exception) {
            run.exception = exception.what();
        } catch (...) {
            run.exception = "an exception without a text";
        }
        return fail(Errc::invalid_argument, "the action threw: " + run.exception);
    };
    return engine.async_atomically(std::move(request), std::move(handler));
}

// The status tells the engine what an exception would: that nobody knows what happened.
Task<Response> run_leased(Lease& lease, const LeasedAction& action, Run& run)
{
    try {
        Task<OrProblem<Response>> acting = action(lease);
        OrProblem<Response> done = co_await std::move(acting);
        co_return keep(std::move(done), run.facts);
    } catch (const std::exception& exception) {
        run.exception = exception.what();
    } catch (...) {
        run.exception = "an exception without a text";
    }
    const http::Problem problem{.name = "internal-error"};
    co_return to_handler_response(problem, run.facts.place);
}

Task<Result<Outcome>> run_action(
    Engine& engine, Request request, const LeasedAction& action, Run& run
)
{
    AsyncLeasedHandler handler = [&](Lease& lease) { return run_leased(lease, action, run); };
    return engine.async_leased(std::move(request), std::move(handler));
}

template <typename Declared>
std::expected<ReadRequest, http::Problem> read(
    const BoundWrite<Declared>& bound, const access::Caller& caller, const http::Request& request
)
{
    if (auto refused = check_body(bound.declared.route, request)) {
        return std::unexpected(*std::move(refused));
    }
    return read_request(request, caller.tenant_id, bound.protected_route, bound.needs.settings);
}

// For clients validation comes after the look-up (docs/reference/idempotency.md); here it comes
// before: only where it fails is the look-up needed, for the claim finds a final record as well.
template <typename Declared>
Task<http::Response> answer_admitted(
    const BoundWrite<Declared>& bound, const access::Caller& caller, const http::Request& request
)
{
    const Declared& declared = bound.declared;
    Run run{facts_of(bound, request), {}};
    const auto answer_with = [&](auto told, std::string_view outcome) {
        http::Response answer = to_answer(std::move(told), run.facts);
        answer.notes.reserve(3);  // these, and the caller
        answer.notes.push_back({"operation", declared.operation.name});
        answer.notes.push_back({"outcome", std::string{outcome}});
        return answer;
    };
    auto asked = read(bound, caller, request);
    if (!asked) co_return answer_with(asked.error(), "refused");
    run.facts.has_key = asked->request.key || declared.operation.policy.key == KeyRule::derived;
    run.facts.wait = asked->wait;

    const auto trace = http::find_trace_context(request.headers);
    const Exchange exchange{
        .request = request,
        .caller = caller,
        .language = run.facts.place.language,
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
    auto running = run_action(bound.needs.engine, asked->request, *action, run);
    auto outcome = co_await std::move(running);
    const bool is_told = !outcome;  // as the cause of its problem
    const std::string_view name = outcome ? to_text(*outcome) : "failed";
    http::Response answer =
        outcome ? answer_with(*std::move(outcome), name) : answer_with(outcome.error(), name);
    if (!is_told && !run.exception.empty()) answer.notes.push_back({"detail", run.exception});
    co_return answer;
}

template <typename Declared>
Task<http::Response> answer_write(
    std::shared_ptr<const BoundWrite<Declared>> bound, http::Request request
)
{
    const ApiNeeds& needs = bound->needs;
    const auto caller = admit(needs.tokens, request, access::Role::writer, needs.clock.realtime());
    if (!caller) co_return to_answer(caller.error(), facts_of(*bound, request));
    Task<http::Response> answering = answer_admitted(*bound, *caller, request);
    http::Response answer = co_await std::move(answering);
    note_caller(answer, *caller);
    co_return answer;
}

template <typename Declared>
http::Handler make_handler(Declared route, const ApiNeeds& needs)
{
    return handler_of(BoundWrite<Declared>{std::move(route), needs}, answer_write<Declared>);
}

}  // namespace

http::Handler write_handler(AtomicRoute route, const ApiNeeds& needs)
{
    return make_handler(std::move(route), needs);
}

http::Handler write_handler(LeasedRoute route, const ApiNeeds& needs)
{
    return make_handler(std::move(route), needs);
}

}  // namespace umavez::key_protocol
