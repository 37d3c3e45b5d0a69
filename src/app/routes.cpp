#include "app/routes.hpp"

#include "app/fiscal_numbers.hpp"
#include "app/mailing_numbers.hpp"
#include "app/version.hpp"
#include "http/problem.hpp"
#include "key_protocol/admission.hpp"
#include "key_protocol/key_status.hpp"
#include "messaging/deliveries_table.hpp"

#include <fmt/format.h>

#include <array>

namespace umavez {
namespace {

Task<http::Response> about(http::Request)
{
    co_return http::json_response(
        200,
        fmt::format(
            R"({{"name":"umavez","version":"{}",)"
            R"("about":"makes an effect happen once although its request is retried",)"
            R"("links":{{"health":"/healthz","ready":"/readyz","metrics":"/metrics",)"
            R"("docs":"/docs","openapi":"/openapi.json","problems":"/problems"}}}})"
            "\n",
            program_version
        )
    );
}

Task<http::Response> alive(http::Request)
{
    co_return http::text_response(200, "ok\n");
}

// Of those who listen from elsewhere only operators see what is inside.
std::expected<void, http::Problem> admit_inside(
    const RouteNeeds& needs, const http::Request& request
)
{
    if (needs.is_private) return {};
    const auto caller = key_protocol::admit(
        needs.tokens, request, access::Role::operator_, system_clock().realtime()
    );
    if (!caller) return std::unexpected(caller.error());
    return {};
}

http::Problem not_ready(const ReadinessReport& report, bool tells_why)
{
    const auto word = [](std::optional<bool> is_well) {
        return !is_well ? "unknown" : *is_well ? "ok" : "unavailable";
    };
    http::Problem problem{};
    problem.name = "store-unavailable";
    problem.detail = {"the store cannot be used", "o armazenamento não pode ser usado"};
    if (tells_why) {
        problem.detail.english += ": " + report.detail;
        problem.detail.portuguese += ": " + report.detail;
    }
    problem.members = {
        {"checks",
         fmt::format(R"({{"files":"{}","store":"{}"}})", word(report.files), word(report.store))},
    };
    problem.headers = {{"Retry-After", "1"}};
    return problem;
}

Task<ReadinessReport> check_readiness(RouteNeeds needs)
{
    ReadinessReport report;
    auto asking = needs.side_thread.ask([&report, &needs] { report = needs.readiness.check(); });
    co_await asking;
    co_return report;
}

Task<http::Response> ready(RouteNeeds needs, http::Request request)
{
    auto checking = check_readiness(needs);
    const ReadinessReport report = co_await std::move(checking);
    if (report.is_ready()) co_return http::text_response(200, "ok\n");
    const bool tells_why = admit_inside(needs, request).has_value();
    http::Response response =
        http::to_response(not_ready(report, tells_why), http::place_of(needs.problems, request));
    response.notes.push_back({"detail", report.detail});
    co_return response;
}

// Left out where the store cannot be read, which the numbers tell anyway.
Task<void> add_waiting_work(RouteNeeds needs, EngineSnapshot& snapshot)
{
    static constexpr std::array<std::string_view, 3> of_events = {"pending", "waiting", "dead"};
    static constexpr std::array<std::string_view, 2> of_deliveries = {"pending", "dead"};
    std::vector<work::StateCount> events;
    std::vector<work::StateCount> deliveries;
    Closure closure = [&](Transaction& transaction) -> Result<void> {
        auto counted = work::count_states(transaction, webhook::inbox_work, of_events);
        if (!counted) return std::unexpected(counted.error());
        events = *std::move(counted);
        counted = work::count_states(transaction, messaging::deliveries_table, of_deliveries);
        if (!counted) return std::unexpected(counted.error());
        deliveries = *std::move(counted);
        return {};
    };
    auto reading = needs.database.async_read(std::move(closure));
    const auto read = co_await std::move(reading);
    if (!read) co_return;
    for (auto& [state, count] : events) snapshot.events.push_back({std::move(state), count});
    for (auto& [state, count] : deliveries)
        snapshot.deliveries.push_back({std::move(state), count});
}

// As add_waiting_work. A count that took long is not repeated at once.
Task<void> add_mailings(RouteNeeds needs, EngineSnapshot& snapshot)
{
    if (needs.mailings != nullptr) snapshot.is_broker_up = needs.mailings->is_broker_up();
    const Duration began = system_clock().boottime();
    snapshot.mailings = needs.last_mailings.get(began);
    if (snapshot.mailings) co_return;
    Closure closure = [&snapshot](Transaction& transaction) -> Result<void> {
        auto counted = count_mailings(transaction);
        if (!counted) return std::unexpected(counted.error());
        snapshot.mailings = *std::move(counted);
        return {};
    };
    auto reading = needs.database.async_read(std::move(closure));
    const auto read = co_await std::move(reading);
    if (!read) snapshot.mailings.reset();
    if (read) needs.last_mailings.put(*snapshot.mailings, began, system_clock().boottime());
}

// As add_mailings.
Task<void> add_fiscal(RouteNeeds needs, EngineSnapshot& snapshot)
{
    const Duration began = system_clock().boottime();
    snapshot.fiscal = needs.last_fiscal.get(began);
    if (snapshot.fiscal) co_return;
    Closure closure = [&snapshot, &needs](Transaction& transaction) -> Result<void> {
        auto counted = count_fiscal(transaction, needs.authorities);
        if (!counted) return std::unexpected(counted.error());
        snapshot.fiscal = *std::move(counted);
        return {};
    };
    auto reading = needs.database.async_read(std::move(closure));
    const auto read = co_await std::move(reading);
    if (!read) snapshot.fiscal.reset();
    if (read) needs.last_fiscal.put(*snapshot.fiscal, began, system_clock().boottime());
}

Task<http::Response> numbers(RouteNeeds needs, http::Request request)
{
    if (const auto admitted = admit_inside(needs, request); !admitted)
        co_return http::to_response(admitted.error(), request);
    EngineSnapshot snapshot;
    snapshot.operations = needs.engine.stats();
    snapshot.lane = needs.database.lane_stats();
    snapshot.audit_notes_dropped = needs.engine.store_stats().notes_dropped;
    const Duration began = system_clock().boottime();
    if (auto last = needs.last_count.get(began)) {
        snapshot.records = *std::move(last);
        auto checking = check_readiness(needs);
        const ReadinessReport report = co_await std::move(checking);
        snapshot.reachable = report.store.value_or(false);
    } else {
        auto counting = needs.engine.async_count();
        auto counted = co_await std::move(counting);
        snapshot.reachable = counted.has_value();
        if (counted) {
            needs.last_count.put(*counted, began, system_clock().boottime());
            snapshot.records = *std::move(counted);
        }
    }
    auto looking = add_waiting_work(needs, snapshot);
    co_await std::move(looking);
    auto counting_mailings = add_mailings(needs, snapshot);
    co_await std::move(counting_mailings);
    auto counting_fiscal = add_fiscal(needs, snapshot);
    co_await std::move(counting_fiscal);
    http::Response response = http::text_response(200, needs.metrics.text(snapshot));
    response.headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}};
    co_return response;
}

bool is_guarded(std::string_view path)
{
    for (const std::string_view root : {"/api", "/ops"}) {
        if (path == root) return true;
        if (path.starts_with(root) && path[root.size()] == '/') return true;
    }
    return false;
}

std::optional<http::Response> deny(const access::TokenBook& tokens, const http::Request& request)
{
    if (!is_guarded(request.path)) return std::nullopt;
    const auto caller = tokens.admit(request.headers, system_clock().realtime());
    if (caller) return std::nullopt;
    return http::to_response(key_protocol::denial_problem(caller.error()), request);
}

http::Route documented(std::string pattern, std::string summary, std::string media_type)
{
    return {
        .method = "GET",
        .pattern = std::move(pattern),
        .tag = "Server",
        .summary = std::move(summary),
        .answers =
            {{.status = 200,
              .description = "ok",
              .body = http::any(),
              .media_type = std::move(media_type)}},
        .security = http::Security::open,
    };
}

}  // namespace

void add_common_routes(http::Router& router, const RouteNeeds& needs)
{
    router.add(documented("/", "What this is", "application/json"), about);
    router.add(documented("/healthz", "Whether the server is alive", "text/plain"), alive);
    http::Route readiness =
        documented("/readyz", "Whether it can work: the store takes a write", "text/plain");
    readiness.description =
        "A small write is committed, at most once a second. Where it fails `checks` tells what is "
        "not well; the cause is for operators, and in the log.";
    readiness.problems = {"store-unavailable"};
    readiness.security = http::Security::optional;
    router.add(std::move(readiness), [needs](http::Request request) {
        return ready(needs, std::move(request));
    });
    http::Route metrics = documented("/metrics", "Its numbers, for Prometheus", "text/plain");
    metrics.description =
        "Without a token only where the server listens on a loopback address; else for operators.";
    metrics.problems = {"unauthorized", "forbidden"};
    metrics.security = http::Security::optional;
    router.add(std::move(metrics), [needs](http::Request request) {
        return numbers(needs, std::move(request));
    });
}

void add_webhook_routes(
    http::Router& router, const RouteNeeds& needs, const Webhooks& webhooks, WebhookWorkers* workers
)
{
    for (const auto& [provider, scheme] : *webhooks.schemes)
        needs.metrics.expect_webhooks(provider);
    router.add(
        webhook::ingress_route(),
        webhook::ingress_handler({
            .database = needs.database,
            .schemes = webhooks.schemes,
            .problems = needs.problems,
            .clock = system_clock(),
            .on_accepted =
                [workers] {
                    if (workers != nullptr) workers->wake();
                },
            .on_quarantined =
                [&engine = needs.engine](std::int64_t id) {
                    engine.remark(
                        work::record_id_of(webhook::inbox_work, {id, 0}),
                        "quarantined: the event was sent again with another body"
                    );
                },
            .on_received = [&metrics = needs.metrics](
                               std::string_view provider, std::string_view outcome
                           ) { metrics.count_webhook_received(provider, outcome); },
        })
    );
}

void add_api_routes(
    http::Router& router,
    key_protocol::Api api,
    const RouteNeeds& needs,
    const key_protocol::ProtocolSettings& settings
)
{
    api.add(key_protocol::key_status_route(needs.engine));
    api.bind(
        router,
        {needs.engine, needs.database, needs.tokens, needs.problems, system_clock(), settings}
    );
    router.guard_refusals([&tokens = needs.tokens](const http::Request& request) {
        return deny(tokens, request);
    });
}

}  // namespace umavez
