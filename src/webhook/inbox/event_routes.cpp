// Looking at accepted events and at what was quarantined, and driving an event again.

#include "base/json_object.hpp"
#include "http/parameters.hpp"
#include "operators/body_fields.hpp"
#include "operators/refusals.hpp"
#include "operators/route_parts.hpp"
#include "webhook/inbox/documents.hpp"
#include "webhook/inbox/inbox_table.hpp"
#include "webhook/inbox/operator_routes.hpp"

#include <iterator>
#include <utility>

namespace umavez::webhook {
namespace {

using key_protocol::CallRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;
using operators::Answer;
using operators::declare;
using operators::ok;
using operators::OperatorNeeds;
using operators::problem_of;

constexpr std::int64_t page_default = 50;
constexpr std::int64_t page_max = 200;
constexpr std::int64_t redrive_max = 1000;

std::optional<std::string> given(const Exchange& exchange, std::string_view name)
{
    const auto text = http::find_parameter(exchange.request, name);
    return text && !text->empty() ? std::optional<std::string>{*text} : std::nullopt;
}

OrProblem<InboxQuery> read_query(const Exchange& exchange)
{
    InboxQuery query{
        .provider = given(exchange, "provider"),
        .state = given(exchange, "state"),
        .event_id = given(exchange, "event_id"),
        .tenant_id = std::nullopt,
        .before = http::find_integer(exchange.request, "cursor").value_or(0),
        .limit = http::find_integer(exchange.request, "limit").value_or(page_default),
    };
    if (!exchange.caller.all_tenants) query.tenant_id = exchange.caller.tenant_id;
    if (const auto text = given(exchange, "tenant")) {
        const auto tenant = TenantId::parse(*text);
        if (!tenant) {
            return std::unexpected(
                operators::wrong_field("tenant", tenant.error().detail, exchange.language)
            );
        }
        if (auto refused = operators::refuse_tenant(exchange.caller, *tenant)) {
            return std::unexpected(*std::move(refused));
        }
        query.tenant_id = *tenant;
    }
    return query;
}

// `next` is the cursor of the page after; null where this was the last.
template <typename Rows>
std::string to_page(std::string_view name, const Rows& rows, std::int64_t limit)
{
    const bool is_full = std::ssize(rows) == limit;
    return JsonObject{}
        .raw(name, to_json_array(rows, [](const auto& row) { return to_json(row); }))
        .raw("next", is_full ? std::to_string(rows.back().id) : "null")
        .instant("now", system_clock().realtime())
        .str();
}

Task<Answer> list(OperatorNeeds needs, const Exchange& exchange)
{
    const auto query = read_query(exchange);
    if (!query) co_return std::unexpected(query.error());
    std::vector<InboxRow> rows;
    Closure closure = [&](Transaction& transaction) -> Result<void> {
        auto listed = list_events(transaction, *query);
        if (!listed) return std::unexpected(listed.error());
        rows = *std::move(listed);
        return {};
    };
    auto reading = needs.database.async_read(std::move(closure));
    const auto done = co_await std::move(reading);
    if (!done) co_return std::unexpected(problem_of(done.error()));
    co_return ok(to_page("events", rows, query->limit));
}

// An event of a tenant the caller does not look after is not there.
bool is_visible(const InboxRow& row, const access::Caller& caller)
{
    return caller.all_tenants || row.tenant_id == caller.tenant_id.text();
}

Task<Answer> show(OperatorNeeds needs, const Exchange& exchange)
{
    const std::int64_t id = http::get_integer(exchange.request, "id");
    std::optional<InboxEvent> event;
    Closure closure = [&](Transaction& transaction) -> Result<void> {
        auto found = find_event(transaction, id);
        if (!found) return std::unexpected(found.error());
        event = *std::move(found);
        return {};
    };
    auto reading = needs.database.async_read(std::move(closure));
    const auto done = co_await std::move(reading);
    if (!done) co_return std::unexpected(problem_of(done.error()));
    if (!event || !is_visible(event->row, exchange.caller)) {
        co_return std::unexpected(operators::not_found("such event"));
    }
    co_return ok(to_json(*event));
}

Task<Answer> list_quarantine(OperatorNeeds needs, const Exchange& exchange)
{
    // Whose they would be, nobody knows.
    if (auto refused = operators::refuse_unless_all_tenants(exchange.caller)) {
        co_return std::unexpected(*std::move(refused));
    }
    const std::int64_t before = http::find_integer(exchange.request, "cursor").value_or(0);
    const std::int64_t limit = http::find_integer(exchange.request, "limit").value_or(page_default);
    std::vector<QuarantinedRow> rows;
    Closure closure = [&](Transaction& transaction) -> Result<void> {
        auto listed = list_quarantined(transaction, before, limit);
        if (!listed) return std::unexpected(listed.error());
        rows = *std::move(listed);
        return {};
    };
    auto reading = needs.database.async_read(std::move(closure));
    const auto done = co_await std::move(reading);
    if (!done) co_return std::unexpected(problem_of(done.error()));
    co_return ok(to_page("quarantined", rows, limit));
}

void remark(const OperatorNeeds& needs, const InboxRow& row, const std::string& reason)
{
    needs.engine.remark(
        work::record_id_of(inbox_work, {row.id, row.run}), "driven again " + reason
    );
}

// The runs before stay what they are; this is another one, so no record stops it.
Task<Answer> redrive(OperatorNeeds needs, const Exchange& exchange)
{
    if (auto unknown = operators::refuse_unknown(exchange, {"reason"})) {
        co_return std::unexpected(*std::move(unknown));
    }
    const auto reason = operators::read_reason(exchange);
    if (!reason) co_return std::unexpected(reason.error());
    const std::int64_t id = http::get_integer(exchange.request, "id");
    std::optional<InboxEvent> event;
    Closure closure = [&](Transaction& transaction) -> Result<void> {
        event.reset();
        auto found = find_event(transaction, id);
        if (!found) return std::unexpected(found.error());
        if (!*found || !is_visible((*found)->row, exchange.caller)) return {};
        const auto driven = work::drive_again(transaction, inbox_work, id);
        if (!driven) return std::unexpected(driven.error());
        auto after = find_event(transaction, id);
        if (!after) return std::unexpected(after.error());
        event = *std::move(after);
        return {};
    };
    auto writing = needs.database.async_transact(std::move(closure));
    const auto done = co_await std::move(writing);
    if (!done) co_return std::unexpected(problem_of(done.error()));
    if (!event) co_return std::unexpected(operators::not_found("such event"));
    remark(needs, event->row, *reason);
    co_return ok(to_json(event->row));
}

// All that are dead, at most `redrive_max` of them at a time.
Task<Answer> redrive_dead(OperatorNeeds needs, const Exchange& exchange)
{
    if (auto unknown = operators::refuse_unknown(exchange, {"reason"})) {
        co_return std::unexpected(*std::move(unknown));
    }
    const auto reason = operators::read_reason(exchange);
    if (!reason) co_return std::unexpected(reason.error());
    auto query = read_query(exchange);
    if (!query) co_return std::unexpected(query.error());
    query->state = "dead";
    query->limit = redrive_max;
    std::vector<InboxRow> rows;
    Closure closure = [&](Transaction& transaction) -> Result<void> {
        auto listed = list_events(transaction, *query);
        if (!listed) return std::unexpected(listed.error());
        rows = *std::move(listed);
        for (const InboxRow& row : rows) {
            const auto driven = work::drive_again(transaction, inbox_work, row.id);
            if (!driven) return std::unexpected(driven.error());
        }
        return {};
    };
    auto writing = needs.database.async_transact(std::move(closure));
    const auto done = co_await std::move(writing);
    if (!done) co_return std::unexpected(problem_of(done.error()));
    for (InboxRow& row : rows) {
        ++row.run;
        remark(needs, row, *reason);
    }
    co_return ok(JsonObject{}
                     .number("redriven", rows.size())
                     .boolean("has_more", std::ssize(rows) == redrive_max)
                     .str());
}

http::Field cursor_field()
{
    return {
        .name = "cursor",
        .type = http::integer({.min = 1}),
        .description = "`next` of the page before",
        .required = false,
    };
}

http::Field limit_field()
{
    return {.name = "limit", .type = http::integer({.min = 1, .max = page_max}), .required = false};
}

std::vector<http::Field> filter_fields()
{
    return {
        {.name = "provider", .type = http::text({.max = 64}), .required = false},
        {.name = "tenant", .type = http::text({.max = 64}), .required = false},
    };
}

http::Route declare_list()
{
    http::Route route =
        declare("GET", "/ops/webhooks", "webhooks.list", "Events that were accepted, newest first");
    route.query = filter_fields();
    route.query.push_back(
        {.name = "state",
         .type = http::one_of({"pending", "waiting", "done", "ignored", "stale", "dead"}),
         .required = false}
    );
    route.query.push_back({.name = "event_id", .type = http::text({.max = 512}), .required = false}
    );
    route.query.push_back(cursor_field());
    route.query.push_back(limit_field());
    route.answers.push_back({.status = 200, .description = "a page"});
    return route;
}

http::Body reason_body()
{
    return {
        .schema = http::object({{.name = "reason", .type = http::text({.max = 1000, .min = 1})}}),
        .example = R"({"reason":"the invoice is there now"})",
    };
}

http::Route declare_one(
    std::string method, std::string pattern, std::string id, std::string summary
)
{
    http::Route route =
        declare(std::move(method), std::move(pattern), std::move(id), std::move(summary));
    route.path = {{.name = "id", .type = http::integer({.min = 1})}};
    route.answers.push_back({.status = 200, .description = "the event"});
    route.problems.emplace_back("not-found");
    return route;
}

}  // namespace

std::vector<CallRoute> event_routes(const OperatorNeeds& needs)
{
    http::Route again = declare_one(
        "POST",
        "/ops/webhooks/{id}/redrive",
        "webhooks.redrive",
        "Process an event again, from its state on"
    );
    again.body = reason_body();
    again.problems.emplace_back("validation");
    http::Route all = declare(
        "POST", "/ops/webhooks/redrive", "webhooks.redrive_dead", "Process all dead events again"
    );
    all.query = filter_fields();
    all.body = reason_body();
    all.answers.push_back({.status = 200, .description = "how many, at most 1000 at a time"});
    all.problems.emplace_back("validation");
    http::Route quarantine = declare(
        "GET",
        "/ops/webhooks/quarantine",
        "webhooks.quarantine",
        "Deliveries under the id of an event with another body"
    );
    quarantine.query = {cursor_field(), limit_field()};
    quarantine.answers.push_back({.status = 200, .description = "a page, newest first"});
    return {
        bound(needs, declare_list(), list),
        bound(
            needs,
            declare_one("GET", "/ops/webhooks/{id}", "webhooks.show", "An event and its body"),
            show
        ),
        bound(needs, std::move(again), redrive),
        bound(needs, std::move(all), redrive_dead),
        bound(needs, std::move(quarantine), list_quarantine),
    };
}

}  // namespace umavez::webhook
