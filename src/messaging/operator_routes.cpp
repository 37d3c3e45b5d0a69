// Deliveries for operators: which were given up and why, and another try.

#include "base/json_object.hpp"
#include "http/parameters.hpp"
#include "messaging/deliveries_table.hpp"
#include "messaging/destinations_table.hpp"
#include "messaging/documents.hpp"
#include "messaging/message_routes.hpp"
#include "messaging/routes.hpp"
#include "operators/body_fields.hpp"
#include "operators/refusals.hpp"
#include "operators/route_parts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace umavez::messaging {
namespace {

using key_protocol::CallRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;
using operators::Answer;
using operators::bound;
using operators::declare;
using operators::not_found;
using operators::OperatorNeeds;
using operators::problem_of;
using operators::wrong_field;

constexpr std::int64_t page_max = 200;
constexpr std::int64_t redrive_max = 1000;  // in one call

OrProblem<DeliveriesQuery> read_query(const Exchange& exchange)
{
    DeliveriesQuery query;
    if (!exchange.caller.all_tenants) query.tenant_id = exchange.caller.tenant_id;
    if (const auto text = http::find_parameter(exchange.request, "tenant");
        text && !text->empty()) {
        const auto tenant = TenantId::parse(*text);
        if (!tenant) {
            return std::unexpected(wrong_field("tenant", tenant.error().detail, exchange.language));
        }
        if (auto refused = operators::refuse_tenant(exchange.caller, *tenant)) {
            return std::unexpected(*std::move(refused));
        }
        query.tenant_id = *tenant;
    }
    if (const auto state = http::find_parameter(exchange.request, "state")) query.state = *state;
    query.destination_id = http::find_integer(exchange.request, "destination");
    query.before = http::find_integer(exchange.request, "cursor");
    query.limit = http::find_integer(exchange.request, "limit").value_or(query.limit);
    return query;
}

void remark(const OperatorNeeds& needs, const work::Item& item, const std::string& reason)
{
    needs.engine.remark(work::record_id_of(deliveries_table, item), "driven again " + reason);
}

Task<Answer> list(OperatorNeeds needs, const Exchange& exchange)
{
    const auto query = read_query(exchange);
    if (!query) co_return std::unexpected(query.error());
    std::vector<Delivery> deliveries;
    Closure look = [&deliveries, &query](Transaction& transaction) -> Result<void> {
        auto listed = list_deliveries(transaction, *query);
        if (!listed) return std::unexpected(listed.error());
        deliveries = *std::move(listed);
        return {};
    };
    auto looking = needs.database.async_read(std::move(look));
    const auto looked = co_await std::move(looking);
    if (!looked) co_return std::unexpected(problem_of(looked.error()));
    const auto limit = static_cast<std::size_t>(query->limit);
    const bool has_more = deliveries.size() > limit;
    if (has_more) deliveries.resize(limit);
    JsonObject json;
    json.raw("deliveries", to_json_array(deliveries, to_delivery_json))
        .raw("next", has_more ? std::to_string(deliveries.back().id) : "null");
    co_return operators::ok(json.str());
}

// What belongs to another tenant is not there.
Result<std::optional<Delivery>> find_for(
    Transaction& transaction, std::int64_t id, const access::Caller& caller
)
{
    auto found = find_delivery(transaction, id);
    if (!found || !*found) return found;
    const auto tenant = TenantId::parse((*found)->tenant);
    if (!tenant || !caller.may_see(*tenant)) return std::nullopt;
    return found;
}

Task<Answer> show(OperatorNeeds needs, const Exchange& exchange)
{
    std::optional<Delivery> delivery;
    Closure look = [&delivery, &exchange](Transaction& transaction) -> Result<void> {
        auto found =
            find_for(transaction, http::get_integer(exchange.request, "id"), exchange.caller);
        if (!found) return std::unexpected(found.error());
        delivery = *std::move(found);
        return {};
    };
    auto looking = needs.database.async_read(std::move(look));
    const auto looked = co_await std::move(looking);
    if (!looked) co_return std::unexpected(problem_of(looked.error()));
    if (!delivery) co_return std::unexpected(not_found("such delivery"));
    co_return operators::ok(to_delivery_json(*delivery));
}

Result<std::optional<Delivery>> run_redrive(
    Transaction& transaction, std::int64_t id, const access::Caller& caller
)
{
    const auto found = find_for(transaction, id, caller);
    if (!found || !*found) return found;
    if ((*found)->is_removed) {
        return fail(
            Errc::invalid_argument, "the destination was removed; nobody is there to deliver to"
        );
    }
    const auto driven = work::drive_again(transaction, deliveries_table, id);
    if (!driven) return std::unexpected(driven.error());
    // The operator knows better than the pause.
    const auto resumed = resume_destination(transaction, (*found)->destination_id);
    if (!resumed) return std::unexpected(resumed.error());
    return find_delivery(transaction, id);
}

Task<Answer> redrive(OperatorNeeds needs, const Exchange& exchange)
{
    if (auto unknown = operators::refuse_unknown(exchange, {"reason"})) {
        co_return std::unexpected(*std::move(unknown));
    }
    const auto reason = operators::read_reason(exchange);
    if (!reason) co_return std::unexpected(reason.error());
    std::optional<Delivery> delivery;
    Closure drive = [&delivery, &exchange](Transaction& transaction) -> Result<void> {
        auto driven =
            run_redrive(transaction, http::get_integer(exchange.request, "id"), exchange.caller);
        if (!driven) return std::unexpected(driven.error());
        delivery = *std::move(driven);
        return {};
    };
    auto driving = needs.database.async_transact(std::move(drive));
    const auto done = co_await std::move(driving);
    if (!done) co_return std::unexpected(problem_of(done.error()));
    if (!delivery) co_return std::unexpected(not_found("such delivery"));
    remark(needs, {delivery->id, delivery->run}, *reason);
    co_return operators::ok(to_delivery_json(*delivery));
}

// Nullopt: there is no such destination, for this caller.
Result<std::optional<std::vector<work::Item>>> run_redrive_all(
    Transaction& transaction, std::int64_t destination_id, const access::Caller& caller
)
{
    const auto rows = transaction.query(
        "SELECT tenant_id FROM umavez_destinations WHERE id = $1 AND removed_at IS NULL",
        {destination_id}
    );
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty()) return std::nullopt;
    const auto tenant = TenantId::parse(rows->front().text(0));
    if (!tenant || !caller.may_see(*tenant)) return std::nullopt;
    const auto resumed = resume_destination(transaction, destination_id);
    if (!resumed) return std::unexpected(resumed.error());
    auto driven = drive_dead_again(transaction, destination_id, redrive_max);
    if (!driven) return std::unexpected(driven.error());
    return *std::move(driven);
}

Task<Answer> redrive_all(OperatorNeeds needs, const Exchange& exchange)
{
    if (auto unknown = operators::refuse_unknown(exchange, {"destination", "reason"})) {
        co_return std::unexpected(*std::move(unknown));
    }
    const auto destination_id = operators::find_integer(exchange, "destination");
    if (!destination_id || *destination_id < 1) {
        co_return std::unexpected(
            wrong_field("destination", "must be the id of a destination", exchange.language)
        );
    }
    const auto reason = operators::read_reason(exchange);
    if (!reason) co_return std::unexpected(reason.error());
    std::optional<std::vector<work::Item>> items;
    Closure drive = [&](Transaction& transaction) -> Result<void> {
        auto driven = run_redrive_all(transaction, *destination_id, exchange.caller);
        if (!driven) return std::unexpected(driven.error());
        items = *std::move(driven);
        return {};
    };
    auto driving = needs.database.async_transact(std::move(drive));
    const auto done = co_await std::move(driving);
    if (!done) co_return std::unexpected(problem_of(done.error()));
    if (!items) co_return std::unexpected(not_found("such destination"));
    for (const work::Item& item : *items) remark(needs, item, *reason);
    co_return operators::ok(JsonObject{}
                                .number("redriven", items->size())
                                .boolean("has_more", std::ssize(*items) == redrive_max)
                                .str());
}

http::Field reason_field()
{
    return {
        .name = "reason",
        .type = http::text({.max = 1000, .min = 1}),
        .description = "why; kept in the audit",
    };
}

http::Route declare_list()
{
    http::Route route =
        declare("GET", "/ops/deliveries", "deliveries.list", "Search deliveries, newest first");
    route.query = {
        {.name = "state",
         .type = http::one_of({"pending", "delivered", "dead", "cancelled"}),
         .required = false},
        {.name = "tenant", .type = http::text({.max = 64}), .required = false},
        {.name = "destination", .type = http::integer({.min = 1}), .required = false},
        {.name = "cursor",
         .type = http::integer({.min = 1}),
         .description = "`next` of the page before",
         .required = false},
        {.name = "limit", .type = http::integer({.min = 1, .max = page_max}), .required = false},
    };
    route.answers.push_back({.status = 200, .description = "a page; `next` is null on the last"});
    return route;
}

http::Route declare_one(std::string method, std::string tail, std::string id, std::string summary)
{
    http::Route route = declare(
        std::move(method), "/ops/deliveries/{id}" + tail, std::move(id), std::move(summary)
    );
    route.path = {{.name = "id", .type = http::integer({.min = 1})}};
    route.answers.push_back({.status = 200, .description = "the delivery"});
    route.problems.emplace_back("not-found");
    return route;
}

}  // namespace

std::vector<CallRoute> operator_routes(const OperatorNeeds& needs)
{
    http::Route again =
        declare_one("POST", "/redrive", "deliveries.redrive", "Deliver it again, at once");
    again.description = "With the same webhook-id, also where it was delivered before.";
    again.body = http::Body{
        .schema = http::object({reason_field()}), .example = R"({"reason":"the receiver is back"})"
    };
    again.problems.emplace_back("validation");
    again.problems.emplace_back("record-not-changed");
    http::Route all = declare(
        "POST",
        "/ops/deliveries/redrive",
        "deliveries.redrive-all",
        "Deliver again what a destination missed"
    );
    all.description =
        "All its dead deliveries, at most 1000 in one call: `has_more` tells to call again.";
    all.body = http::Body{
        .schema = http::object(
            {{.name = "destination", .type = http::integer({.min = 1})}, reason_field()}
        ),
        .example = R"({"destination":12,"reason":"the receiver is back"})",
    };
    all.answers.push_back({.status = 200, .description = "how many"});
    all.problems.emplace_back("validation");
    all.problems.emplace_back("not-found");
    std::vector<CallRoute> routes = {
        bound(needs, declare_list(), list),
        bound(needs, declare_one("GET", "", "deliveries.show", "One delivery"), show),
        bound(needs, std::move(again), redrive),
        bound(needs, std::move(all), redrive_all),
    };
    std::ranges::move(message_routes(needs), std::back_inserter(routes));
    return routes;
}

}  // namespace umavez::messaging
