// Looking: a search over records, and the story of one.

#include "http/parameters.hpp"
#include "operators/documents.hpp"
#include "operators/refusals.hpp"
#include "operators/route_parts.hpp"

#include <utility>

namespace umavez::operators {
namespace {

using http::find_parameter;
using key_protocol::CallRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;

constexpr std::int64_t page_default = 50;
constexpr std::int64_t page_max = 200;

OrProblem<RecordsQuery> read_query(const Exchange& exchange)
{
    const auto given = [&exchange](std::string_view name) {
        return find_parameter(exchange.request, name).value_or(std::string_view{});
    };
    const auto wrong = [&exchange](const std::string& name, const Error& error) {
        return std::unexpected(wrong_field(name, error.detail, exchange.language));
    };
    RecordsQuery query;
    if (!exchange.caller.all_tenants) query.tenant_id = exchange.caller.tenant_id;
    if (const auto text = given("tenant"); !text.empty()) {
        const auto tenant = TenantId::parse(text);
        if (!tenant) return wrong("tenant", tenant.error());
        if (auto refused = refuse_tenant(exchange.caller, *tenant))
            return std::unexpected(*std::move(refused));
        query.tenant_id = *tenant;
    }
    if (const auto text = given("operation"); !text.empty()) {
        const auto operation = Operation::parse(text);
        if (!operation) return wrong("operation", operation.error());
        query.operation = *operation;
    }
    for (const Status status :
         {Status::processing, Status::succeeded, Status::failed, Status::in_doubt}) {
        if (given("status") == to_text(status)) query.status = status;
    }
    query.key_prefix = given("key");
    query.cursor = given("cursor");
    query.count_max = static_cast<std::size_t>(
        http::find_integer(exchange.request, "limit").value_or(page_default)
    );
    return query;
}

Task<Answer> list_records(OperatorNeeds needs, const Exchange& exchange)
{
    auto query = read_query(exchange);
    if (!query) co_return std::unexpected(query.error());
    auto reading = needs.engine.async_records(*std::move(query));
    const auto page = co_await std::move(reading);
    if (!page && page.error().code == Errc::invalid_argument) {
        co_return std::unexpected(wrong_field("cursor", page.error().detail, exchange.language));
    }
    if (!page) co_return std::unexpected(problem_of(page.error()));
    co_return ok(to_json(*page));
}

Task<Answer> explain_record(OperatorNeeds needs, const Exchange& exchange)
{
    const auto id = read_id(exchange);
    if (!id) co_return std::unexpected(id.error());
    auto reading = needs.engine.async_explain(*id);
    const auto story = co_await std::move(reading);
    if (!story) co_return std::unexpected(problem_of(story.error()));
    if (!story->record && story->timeline.empty()) co_return std::unexpected(not_found("such key"));
    co_return ok(to_json(*id, *story));
}

http::Route declare_list()
{
    http::Route list =
        declare("GET", "/ops/records", "operators.records", "Search records, newest first");
    list.query = {
        {.name = "status",
         .type = http::one_of({"processing", "succeeded", "failed", "in_doubt"}),
         .required = false},
        {.name = "operation", .type = http::text({.max = 100}), .required = false},
        {.name = "tenant", .type = http::text({.max = 64}), .required = false},
        {.name = "key",
         .type = http::text({.max = 255}),
         .description = "keys that begin with this",
         .required = false},
        {.name = "cursor",
         .type = http::text(),
         .description = "`next` of the page before",
         .required = false},
        {.name = "limit", .type = http::integer({.min = 1, .max = page_max}), .required = false},
    };
    list.answers.push_back({.status = 200, .description = "done"});
    list.description =
        "A page may be short, even empty, although more follow: it ends where `next` is null. "
        "Without `tenant`: the tenant of the token, or all of them for a token of tenant `*`.";
    return list;
}

}  // namespace

std::vector<CallRoute> record_routes(OperatorNeeds needs)
{
    http::Route story = declare("GET", record_pattern, "operators.explain", "The story of a key");
    story.answers.push_back({.status = 200, .description = "done"});
    return {
        bound(needs, declare_list(), list_records),
        bound(needs, std::move(story), explain_record),
    };
}

}  // namespace umavez::operators
