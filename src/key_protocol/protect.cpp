#include "key_protocol/protect.hpp"

#include "key_protocol/accepted_body.hpp"
#include "key_protocol/admission.hpp"
#include "key_protocol/bound.hpp"
#include "key_protocol/content.hpp"
#include "key_protocol/described.hpp"
#include "key_protocol/outcome_problem.hpp"
#include "key_protocol/upload_handler.hpp"
#include "key_protocol/write_handler.hpp"

#include <memory>
#include <utility>

namespace umavez::key_protocol {
namespace {

using BoundRead = std::shared_ptr<const Bound<ReadRoute>>;
using BoundCall = std::shared_ptr<const Bound<CallRoute>>;

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

template <typename Declared>
void add_write(http::Router& router, Declared route, const ApiNeeds& needs)
{
    http::Route described = described_write(route.route, route.operation.policy);
    router.add(std::move(described), write_handler(std::move(route), needs), write_gate_of(needs));
}

template <typename Declared>
void add_plain(
    http::Router& router,
    Declared route,
    const ApiNeeds& needs,
    Task<http::Response> (*answer)(std::shared_ptr<const Bound<Declared>>, http::Request)
)
{
    http::Route described = described_read(route.route);
    http::RouteGate gate = gate_of(needs, route.role);
    auto handler = handler_of(Bound<Declared>{std::move(route), needs}, answer);
    router.add(std::move(described), std::move(handler), std::move(gate));
}

}  // namespace

std::vector<OperationSpec*> Api::operations()
{
    std::vector<OperationSpec*> all;
    for (AtomicRoute& route : atomic_) all.push_back(&route.operation);
    for (LeasedRoute& route : leased_) all.push_back(&route.operation);
    return all;
}

void Api::bind(http::Router& router, const ApiNeeds& needs)
{
    for (AtomicRoute& route : std::exchange(atomic_, {}))
        add_write(router, std::move(route), needs);
    for (LeasedRoute& route : std::exchange(leased_, {}))
        add_write(router, std::move(route), needs);
    for (ReadRoute& route : std::exchange(reads_, {})) {
        add_plain(router, std::move(route), needs, answer_read);
    }
    for (CallRoute& route : std::exchange(calls_, {})) {
        add_plain(router, std::move(route), needs, answer_call);
    }
    for (UploadRoute& route : std::exchange(uploads_, {}))
        add_upload(router, std::move(route), needs);
}

}  // namespace umavez::key_protocol
