// Mailings for operators: how far they are, who may have two messages, and orders.

#include "base/json_object.hpp"
#include "http/parameters.hpp"
#include "modules/mailing/entries_table.hpp"
#include "modules/mailing/mailings_table.hpp"
#include "modules/mailing/routes.hpp"
#include "modules/mailing/schemas.hpp"
#include "modules/parts/columns.hpp"
#include "operators/body_fields.hpp"
#include "operators/refusals.hpp"
#include "operators/route_parts.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace umavez::mailing {
namespace {

using key_protocol::CallRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;
using operators::Answer;
using operators::OperatorNeeds;
using operators::problem_of;

constexpr std::int64_t page_max = 200;
constexpr std::int64_t entries_max = 1000;

struct MailingsQuery {
    std::optional<TenantId> tenant_id;
    std::optional<std::string> status;
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    std::int64_t limit = 50;
};

OrProblem<MailingsQuery> read_query(const Exchange& exchange)
{
    MailingsQuery query;
    if (!exchange.caller.all_tenants) query.tenant_id = exchange.caller.tenant_id;
    if (const auto text = http::find_parameter(exchange.request, "tenant");
        text && !text->empty()) {
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
    if (const auto status = http::find_parameter(exchange.request, "status")) {
        query.status = *status;
    }
    query.before = http::find_integer(exchange.request, "cursor").value_or(query.before);
    query.limit = http::find_integer(exchange.request, "limit").value_or(query.limit);
    return query;
}

Result<std::vector<Mailing>> search(Transaction& transaction, const MailingsQuery& query)
{
    Values parameters{query.before, query.limit + 1};
    std::string sql = std::string{select_mailing_head} + "WHERE id < $1";
    const auto add = [&](std::string_view column, const std::string& value) {
        parameters.emplace_back(value);
        sql += fmt::format(" AND {} = ${}", column, parameters.size());
    };
    if (query.tenant_id) add("tenant_id", query.tenant_id->text());
    if (query.status) add("status", *query.status);
    return modules::all_rows(
        transaction.query(sql + " ORDER BY id DESC LIMIT $2", parameters), to_mailing
    );
}

Task<Answer> list(OperatorNeeds needs, const Exchange& exchange)
{
    const auto query = read_query(exchange);
    if (!query) co_return std::unexpected(query.error());
    std::vector<Mailing> mailings;
    Closure look = [&mailings, &query](Transaction& transaction) -> Result<void> {
        auto found = search(transaction, *query);
        if (!found) return std::unexpected(found.error());
        mailings = *std::move(found);
        return {};
    };
    auto looking = needs.database.async_read(std::move(look));
    const auto looked = co_await std::move(looking);
    if (!looked) co_return std::unexpected(problem_of(looked.error()));
    const auto limit = static_cast<std::size_t>(query->limit);
    const bool has_more = mailings.size() > limit;
    if (has_more) mailings.pop_back();  // one more than the limit was asked for
    JsonObject json;
    json.raw("mailings", to_json_array(mailings, to_operator_json))
        .raw("next", has_more ? std::to_string(mailings.back().id) : "null")
        .instant("now", system_clock().realtime());
    co_return operators::ok(json.str());
}

// What belongs to another tenant is not there.
Result<std::optional<Mailing>> find_for(
    Transaction& transaction, const std::string& uuid, const access::Caller& caller
)
{
    auto found = modules::only_row(
        transaction.query(std::string{select_mailing_head} + "WHERE uuid = $1", {uuid}), to_mailing
    );
    if (found && *found && !caller.may_see((*found)->tenant_id)) return std::nullopt;
    return found;
}

struct Shown {
    std::optional<Mailing> mailing;
    std::int64_t uncertain = 0;
};

Task<Answer> show(OperatorNeeds needs, const Exchange& exchange)
{
    const std::string uuid{http::get_parameter(exchange.request, "id")};
    Shown shown;
    Closure look = [&](Transaction& transaction) -> Result<void> {
        auto found = find_for(transaction, uuid, exchange.caller);
        if (!found) return std::unexpected(found.error());
        shown.mailing = *std::move(found);
        if (!shown.mailing) return {};
        const auto counted = count_uncertain(transaction, shown.mailing->id);
        if (!counted) return std::unexpected(counted.error());
        shown.uncertain = *counted;
        return {};
    };
    auto looking = needs.database.async_read(std::move(look));
    const auto looked = co_await std::move(looking);
    if (!looked) co_return std::unexpected(problem_of(looked.error()));
    if (!shown.mailing) co_return std::unexpected(no_mailing(uuid));
    JsonObject json;
    json.raw("mailing", to_operator_json(*shown.mailing))
        .number("uncertain", shown.uncertain)
        .instant("now", system_clock().realtime());
    co_return operators::ok(json.str());
}

Task<Answer> entries(OperatorNeeds needs, const Exchange& exchange)
{
    const std::string uuid{http::get_parameter(exchange.request, "id")};
    EntryFilter filter;
    if (const auto status = http::find_parameter(exchange.request, "status")) {
        filter.status = parse_entry_status(*status);
    }
    filter.only_uncertain = http::find_parameter(exchange.request, "uncertain") == "true";
    const modules::Page page{
        .after = http::find_integer(exchange.request, "cursor").value_or(0),
        .limit =
            http::find_integer(exchange.request, "limit").value_or(modules::page_limit_default),
    };
    bool is_there = false;
    modules::Listed<Entry> listed;
    Closure look = [&](Transaction& transaction) -> Result<void> {
        const auto mailing = find_for(transaction, uuid, exchange.caller);
        if (!mailing) return std::unexpected(mailing.error());
        is_there = mailing->has_value();
        if (!is_there) return {};
        auto found = list_entries(transaction, (*mailing)->id, filter, page);
        if (!found) return std::unexpected(found.error());
        listed = *std::move(found);
        return {};
    };
    auto looking = needs.database.async_read(std::move(look));
    const auto looked = co_await std::move(looking);
    if (!looked) co_return std::unexpected(problem_of(looked.error()));
    if (!is_there) co_return std::unexpected(no_mailing(uuid));
    JsonObject json;
    const auto to_entry_json = [](const Entry& entry) { return to_json(entry); };
    json.raw("entries", to_json_array(listed.rows, to_entry_json))
        .raw("next", listed.next ? std::to_string(listed.rows.back().id) : "null");
    co_return operators::ok(json.str());
}

std::optional<Order> parse_order(std::string_view text)
{
    for (const Order order :
         {Order::iniciar, Order::pausar, Order::retomar, Order::cancelar, Order::reenviar_falhas}) {
        if (to_text(order) == text) return order;
    }
    return std::nullopt;
}

// Who ordered it, for the audit: under the operation of the order and the mailing's id.
void remark(const OperatorNeeds& needs, const Mailing& mailing, Order order, std::string_view by)
{
    const auto operation = Operation::parse("mailings." + std::string{to_text(order)});
    const auto key = Key::parse(mailing.uuid);
    if (!operation || !key) return;
    needs.engine.remark(
        {mailing.tenant_id, *operation, *key},
        fmt::format("{} ordered by {}: now {}", to_text(order), by, to_text(mailing.status))
    );
}

Task<Answer> give_order(
    OperatorNeeds needs, const OperatorPremises& premises, const Exchange& exchange
)
{
    const auto order = parse_order(http::get_parameter(exchange.request, "order"));
    const auto incertas = read_incertas(exchange.body, exchange.language);
    if (!incertas) co_return std::unexpected(incertas.error());
    MailingOrder wish{
        .tenant_id = exchange.caller.tenant_id,
        .uuid = std::string{http::get_parameter(exchange.request, "id")},
        .order = order.value_or(Order::pausar),
        .incertas = *incertas,
        .language = exchange.language,
    };
    std::expected<Mailing, http::Problem> ordered = std::unexpected(no_mailing(wish.uuid));
    Closure write = [&](Transaction& transaction) -> Result<void> {
        const auto found = find_for(transaction, wish.uuid, exchange.caller);
        if (!found) return std::unexpected(found.error());
        if (!*found) return {};
        wish.tenant_id = (*found)->tenant_id;
        auto run = run_order(transaction, wish, premises.premises);
        if (!run) return std::unexpected(run.error());
        ordered = *std::move(run);
        return {};
    };
    auto writing = needs.database.async_transact(std::move(write));
    const auto written = co_await std::move(writing);
    if (!written) co_return std::unexpected(problem_of(written.error()));
    if (!ordered) co_return std::unexpected(ordered.error());
    remark(needs, *ordered, wish.order, exchange.caller.label);
    if (premises.on_ordered) premises.on_ordered();
    co_return operators::ok(to_operator_json(*ordered));
}

http::Route declare_list()
{
    http::Route route = operators::declare(
        "GET", "/ops/mailings", "ops.mailings.list", "Search mailings, newest first"
    );
    route.query = {
        {.name = "tenant", .type = http::text({.max = 64}), .required = false},
        {.name = "status", .type = http::one_of(status_words()), .required = false},
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
    http::Route route = operators::declare(
        std::move(method), "/ops/mailings/{id}" + tail, std::move(id), std::move(summary)
    );
    route.path = {mailing_parameter()};
    route.answers.push_back({.status = 200, .description = "the mailing"});
    route.problems.emplace_back("not-found");
    return route;
}

http::Route declare_entries()
{
    http::Route route =
        declare_one("GET", "/entries", "ops.mailings.entries", "The recipients of a mailing");
    route.answers = {{.status = 200, .description = "a page; `next` is null on the last"}};
    route.query = {
        {.name = "status",
         .type = http::one_of({"PENDING", "SENDING", "SENT", "FAILED", "UNKNOWN"}),
         .required = false},
        {.name = "uncertain", .type = http::boolean(), .required = false},
        {.name = "cursor", .type = http::integer({.min = 0}), .required = false},
        {.name = "limit", .type = http::integer({.min = 1, .max = entries_max}), .required = false},
    };
    return route;
}

http::Route declare_order()
{
    http::Route route =
        declare_one("POST", "/{order}", "ops.mailings.order", "Start, pause, go on with or end it");
    route.path.push_back(
        {.name = "order",
         .type = http::one_of({"iniciar", "pausar", "retomar", "cancelar", "reenviar-falhas"})}
    );
    route.body = http::Body{
        .schema = http::object({{.name = "incertas", .type = http::boolean(), .required = false}}),
        .example = "{}",
        .required = false,
    };
    route.problems.emplace_back("validation");
    route.problems.emplace_back("invalid-transition");
    return route;
}

}  // namespace

std::vector<CallRoute> operator_routes(const OperatorNeeds& needs, const OperatorPremises& premises)
{
    std::vector<CallRoute> routes;
    routes.push_back(operators::bound(needs, declare_list(), list));
    routes.push_back(operators::bound(
        needs, declare_one("GET", "", "ops.mailings.show", "One mailing and its counts"), show
    ));
    routes.push_back(operators::bound(needs, declare_entries(), entries));
    routes.push_back({
        .route = declare_order(),
        .role = access::Role::operator_,
        .call = [needs, premises](const Exchange& exchange
                ) { return give_order(needs, premises, exchange); },
    });
    return routes;
}

}  // namespace umavez::mailing
