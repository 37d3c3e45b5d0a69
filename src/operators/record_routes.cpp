// Looking: a search over records, one over stories without a record, and the story of one.

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

std::string_view given(const Exchange& exchange, std::string_view name)
{
    return find_parameter(exchange.request, name).value_or(std::string_view{});
}

// Whose, and of which operation: what both searches ask first.
template <typename Query>
OrProblem<Query> begin_query(const Exchange& exchange)
{
    const auto wrong = [&exchange](const std::string& name, const Error& error) {
        return std::unexpected(wrong_field(name, error.detail, exchange.language));
    };
    Query query;
    if (!exchange.caller.all_tenants) query.tenant_id = exchange.caller.tenant_id;
    if (const auto text = given(exchange, "tenant"); !text.empty()) {
        const auto tenant = TenantId::parse(text);
        if (!tenant) return wrong("tenant", tenant.error());
        if (auto refused = refuse_tenant(exchange.caller, *tenant))
            return std::unexpected(*std::move(refused));
        query.tenant_id = *tenant;
    }
    if (const auto text = given(exchange, "operation"); !text.empty()) {
        const auto operation = Operation::parse(text);
        if (!operation) return wrong("operation", operation.error());
        query.operation = *operation;
    }
    query.cursor = given(exchange, "cursor");
    return query;
}

OrProblem<RecordsQuery> read_query(const Exchange& exchange)
{
    auto begun = begin_query<RecordsQuery>(exchange);
    if (!begun) return begun;
    RecordsQuery& query = *begun;
    for (const Status status :
         {Status::processing, Status::succeeded, Status::failed, Status::in_doubt}) {
        if (given(exchange, "status") == to_text(status)) query.status = status;
    }
    query.key_prefix = given(exchange, "key");
    query.count_max = static_cast<std::size_t>(
        http::find_integer(exchange.request, "limit").value_or(page_default)
    );
    return begun;
}

template <typename Page>
Answer answer_page(const Result<Page>& page, const Exchange& exchange)
{
    if (page) return ok(to_json(*page));
    if (page.error().code != Errc::invalid_argument)
        return std::unexpected(problem_of(page.error()));
    return std::unexpected(wrong_field("cursor", page.error().detail, exchange.language));
}

Task<Answer> list_records(OperatorNeeds needs, const Exchange& exchange)
{
    auto query = read_query(exchange);
    if (!query) co_return std::unexpected(query.error());
    auto reading = needs.engine.async_records(*std::move(query));
    const auto page = co_await std::move(reading);
    co_return answer_page(page, exchange);
}

Task<Answer> list_stories(OperatorNeeds needs, const Exchange& exchange)
{
    auto query = begin_query<StoriesQuery>(exchange);
    if (!query) co_return std::unexpected(query.error());
    query->key = given(exchange, "key");
    auto reading = needs.engine.async_stories(*std::move(query));
    const auto page = co_await std::move(reading);
    co_return answer_page(page, exchange);
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

constexpr const char* how_pages_end =
    "A page may be short, even empty, although more follow: it ends where `next` is null. "
    "Without `tenant`: the tenant of the token, or all of them for a token of tenant `*`.";

// A search by key, whose fields are those of begin_query().
http::Route declare_search(http::Route search, http::Field key)
{
    key.name = "key";
    key.type = http::text({.max = 255, .min = key.required ? 1 : 0});
    search.query = {
        {.name = "operation", .type = http::text({.max = 100}), .required = false},
        {.name = "tenant", .type = http::text({.max = 64}), .required = false},
        std::move(key),
        {.name = "cursor",
         .type = http::text(),
         .description = "`next` of the page before",
         .required = false},
    };
    search.answers.push_back({.status = 200, .description = "done"});
    search.description = how_pages_end;
    return search;
}

http::Route declare_list()
{
    http::Route list = declare_search(
        declare("GET", "/ops/records", "operators.records", "Search records, newest first"),
        {.description = "keys that begin with this", .required = false}
    );
    list.query.insert(
        list.query.begin(),
        {.name = "status",
         .type = http::one_of({"processing", "succeeded", "failed", "in_doubt"}),
         .required = false}
    );
    list.query.push_back(
        {.name = "limit", .type = http::integer({.min = 1, .max = page_max}), .required = false}
    );
    return list;
}

http::Route declare_stories()
{
    return declare_search(
        declare(
            "GET",
            "/ops/stories",
            "operators.stories",
            "Search keys that have a story and no record, newest first"
        ),
        {.description = "the whole key"}
    );
}

}  // namespace

std::vector<CallRoute> record_routes(OperatorNeeds needs)
{
    http::Route story = declare("GET", record_pattern, "operators.explain", "The story of a key");
    story.answers.push_back({.status = 200, .description = "done"});
    return {
        bound(needs, declare_list(), list_records),
        bound(needs, declare_stories(), list_stories),
        bound(needs, std::move(story), explain_record),
    };
}

}  // namespace umavez::operators
