#include "key_protocol/upload_handler.hpp"

#include "base/assert.hpp"
#include "base/side_threads.hpp"
#include "http/spooled_body.hpp"
#include "key_protocol/accepted_body.hpp"
#include "key_protocol/admission.hpp"
#include "key_protocol/bound.hpp"
#include "key_protocol/described.hpp"

#include <exception>
#include <memory>
#include <utility>

namespace umavez::key_protocol {
namespace {

struct BoundUpload {
    UploadRoute declared;
    ApiNeeds needs;
    std::shared_ptr<SideThreads> threads;
};

// By the head alone.
std::expected<access::Caller, http::Problem> admit_upload(
    const UploadRoute& declared, const ApiNeeds& needs, const http::Request& head
)
{
    auto caller = admit(needs.tokens, head, declared.role, needs.clock.realtime());
    if (!caller) return caller;
    if (auto refused = check_media_type(*declared.route.body, head.headers))
        return std::unexpected(*std::move(refused));
    return caller;
}

Task<http::Response> answer_upload(std::shared_ptr<const BoundUpload> bound, http::Request request)
{
    const ApiNeeds& needs = bound->needs;
    const auto caller = admit_upload(bound->declared, needs, request);
    if (!caller) co_return refuse(caller.error(), needs, request);
    if (!request.spooled || request.spooled->bytes() == 0)
        co_return refuse(missing_body(*bound->declared.route.body), needs, request);

    const auto trace = http::find_trace_context(request.headers);
    const Exchange exchange = exchange_without_key(request, *caller, trace, nullptr);
    std::optional<OrProblem<http::Response>> answer;
    std::exception_ptr thrown;
    auto asking = bound->threads->ask([&] {
        try {
            answer = bound->declared.call(exchange);
        } catch (...) {
            thrown = std::current_exception();
        }
    });
    co_await asking;
    if (thrown) std::rethrow_exception(thrown);
    http::Response response =
        *answer ? **std::move(answer) : refuse(answer->error(), needs, request);
    note_caller(response, *caller);
    co_return response;
}

}  // namespace

void add_upload(http::Router& router, UploadRoute route, const ApiNeeds& needs)
{
    UMAVEZ_ASSERT(route.route.body && route.route.body->spooled_bytes_max > 0);
    http::Route described = described_read(route.route);
    auto threads = std::make_shared<SideThreads>(route.threads);
    const auto bound =
        std::make_shared<const BoundUpload>(BoundUpload{std::move(route), needs, std::move(threads)}
        );
    http::RouteGate gate{
        .refuse = [bound](const http::Request& head) -> std::optional<http::Response> {
            const auto caller = admit_upload(bound->declared, bound->needs, head);
            if (caller) return std::nullopt;
            return refuse(caller.error(), bound->needs, head);
        },
    };
    auto handler = [bound](http::Request request) {
        return answer_upload(bound, std::move(request));
    };
    router.add(std::move(described), std::move(handler), std::move(gate));
}

}  // namespace umavez::key_protocol
