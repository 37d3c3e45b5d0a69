#include "app/routes.hpp"

#include "app/version.hpp"
#include "http/problem.hpp"

#include <fmt/format.h>

namespace umavez {
namespace {

Task<http::Response> about(http::Request)
{
    co_return http::json_response(
        200,
        fmt::format(
            R"({{"name":"umavez","version":"{}",)"
            R"("about":"makes an effect happen once although its request is retried",)"
            R"("links":{{"health":"/healthz","ready":"/readyz","metrics":"/metrics"}}}})"
            "\n",
            program_version
        )
    );
}

Task<http::Response> alive(http::Request)
{
    co_return http::text_response(200, "ok\n");
}

Task<http::Response> ready(RouteNeeds needs, http::Request request)
{
    DatabaseHealth health;
    auto asking = needs.side_thread.ask([&health, &needs] {
        const auto checked = needs.files.check();
        health = checked ? needs.database.health() : DatabaseHealth{false, checked.error().detail};
    });
    co_await asking;
    if (health.reachable) co_return http::text_response(200, "ok\n");
    http::Problem problem{};
    problem.name = "store-unavailable";
    problem.detail = {
        "the store cannot be used: " + health.detail,
        "o armazenamento não pode ser usado: " + health.detail,
    };
    problem.headers = {{"Retry-After", "1"}};
    co_return http::to_response(
        problem,
        {needs.problems, http::choose_language(request.headers), request.path, request.request_id}
    );
}

Task<http::Response> numbers(RouteNeeds needs, http::Request)
{
    EngineSnapshot snapshot;
    snapshot.operations = needs.engine.stats();
    snapshot.lane = needs.database.lane_stats();
    auto counting = needs.engine.async_count();
    auto counted = co_await std::move(counting);
    snapshot.reachable = counted.has_value();
    if (counted) snapshot.records = *std::move(counted);
    http::Response response = http::text_response(200, needs.metrics.text(snapshot));
    response.headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}};
    co_return response;
}

}  // namespace

void add_common_routes(http::Router& router, RouteNeeds needs)
{
    router.add("GET", "/", about);
    router.add("GET", "/healthz", alive);
    router.add("GET", "/readyz", [needs](http::Request request) {
        return ready(needs, std::move(request));
    });
    router.add("GET", "/metrics", [needs](http::Request request) {
        return numbers(needs, std::move(request));
    });
}

}  // namespace umavez
