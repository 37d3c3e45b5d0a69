#include "operators/local_desk.hpp"

#include "http/problem.hpp"

namespace umavez::operators {
namespace {

using key_protocol::CallRoute;
using key_protocol::Exchange;

// How the name travels from the wish to the route: no client of the network reaches this router.
constexpr std::string_view by_header = "By";

access::Caller local_caller(const http::Request& request)
{
    const std::string by{http::find_header(request.headers, by_header).value_or("")};
    const std::string label = by.empty() ? "local" : by + " (local)";
    return {
        .tenant_id = access::default_tenant(),
        .role = access::Role::operator_,
        .usuario = label,
        .label = label,
        .all_tenants = true,
    };
}

Task<http::Response> answer_locally(
    const CallRoute& route, const http::ProblemCatalogue& problems, http::Request request
)
{
    const http::ProblemPlace place{
        problems, http::Language::english, request.path, request.request_id
    };
    const auto body = JsonTree::parse(request.body.empty() ? std::string_view{"{}"} : request.body);
    if (!body)
        co_return http::to_response(
            http::problem_for(400, {body.error().detail, body.error().detail}), place
        );
    const access::Caller caller = local_caller(request);
    const std::optional<Key> no_key;
    const std::optional<http::TraceContext> no_trace;
    const Exchange exchange{request, caller, http::Language::english, no_key, no_trace, &*body};
    auto calling = route.call(exchange);
    auto answer = co_await std::move(calling);
    co_return answer ? *std::move(answer) : http::to_response(answer.error(), place);
}

}  // namespace

LocalDesk::LocalDesk(
    OperatorNeeds needs, const http::ProblemCatalogue& problems, std::vector<CallRoute> more
)
{
    const auto add_all = [this, &problems](std::vector<CallRoute> routes) {
        for (CallRoute& route : routes) {
            http::Route declared = route.route;
            router_.add(
                std::move(declared),
                [route = std::move(route), &problems](http::Request request) {
                    return answer_locally(route, problems, std::move(request));
                }
            );
        }
    };
    add_all(operator_routes(needs));
    add_all(local_routes(needs));
    add_all(std::move(more));
}

Reply LocalDesk::answer(const Wish& wish, const std::string& by) const
{
    http::Request request;
    request.method = wish.method;
    request.path = wish.path;
    request.query = wish.query;
    request.body = wish.body;
    request.headers.push_back({std::string{by_header}, by});
    http::Response response = wait(router_.answer(std::move(request)));
    return {response.status, std::move(response.body)};
}

std::string LocalDesk::answer_line(std::string_view line) const
{
    if (line == "ping") return "pong";
    const auto taken = parse_wish(std::string{line});
    if (!taken) {
        const http::Problem problem =
            http::problem_for(400, {taken.error().detail, taken.error().detail});
        const http::ProblemPlace place{
            http::ProblemCatalogue::of_server(), http::Language::english, "", ""
        };
        return to_line(Reply{400, http::to_response(problem, place).body});
    }
    return to_line(answer(taken->wish, taken->by));
}

}  // namespace umavez::operators
