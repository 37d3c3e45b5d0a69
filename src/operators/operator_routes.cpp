#include "operators/operator_routes.hpp"

#include "base/json_object.hpp"
#include "http/parameters.hpp"
#include "operators/body_fields.hpp"
#include "operators/documents.hpp"
#include "operators/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace umavez::operators {
namespace {

using access::Role;
using http::find_parameter;
using key_protocol::CallRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;
using Answer = OrProblem<http::Response>;

constexpr std::int64_t page_default = 50;
constexpr std::int64_t page_max = 200;

http::Response ok(std::string json)
{
    return http::json_response(200, std::move(json) + "\n");
}

// A name that cannot be one is a record that is not there.
OrProblem<RecordId> read_id(const Exchange& exchange, const TenantId& tenant)
{
    auto operation = Operation::parse(http::get_parameter(exchange.request, "operation"));
    auto key = Key::parse(http::get_parameter(exchange.request, "key"));
    if (!operation || !key) return std::unexpected(not_found("such key"));
    return RecordId{tenant, *std::move(operation), *std::move(key)};
}

OrProblem<RecordId> read_id_of_tenant(const Exchange& exchange)
{
    const auto tenant = TenantId::parse(http::get_parameter(exchange.request, "tenant"));
    if (!tenant) return std::unexpected(not_found("such tenant"));
    if (auto refused = refuse_tenant(exchange.caller, *tenant))
        return std::unexpected(*std::move(refused));
    return read_id(exchange, *tenant);
}

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
    const auto id = read_id_of_tenant(exchange);
    if (!id) co_return std::unexpected(id.error());
    auto reading = needs.engine.async_explain(*id);
    const auto story = co_await std::move(reading);
    if (!story) co_return std::unexpected(problem_of(story.error()));
    if (!story->record && story->timeline.empty()) co_return std::unexpected(not_found("such key"));
    co_return ok(to_json(*id, *story));
}

// The reason as the audit has it: who, then why. Nullopt: there is none.
std::optional<std::string> read_reason(const Exchange& exchange)
{
    const auto reason = find_text(exchange, "reason");
    if (!reason || reason->find_first_not_of(' ') == std::string::npos) return std::nullopt;
    // It is shown on terminals.
    if (std::ranges::any_of(*reason, [](unsigned char c) { return c < ' ' || c == 0x7f; }))
        return std::nullopt;
    const std::string& who = exchange.caller.label;
    return fmt::format("by {}: {}", who.empty() ? "an operator without a token" : who, *reason);
}

http::Problem no_reason(const Exchange& exchange)
{
    return wrong_field(
        "reason", "say why, in one line; it is kept in the audit", exchange.language
    );
}

Task<Answer> answer_changed(RecordId id, Task<Result<Record>> changing)
{
    const auto record = co_await std::move(changing);
    if (!record) co_return std::unexpected(problem_of(record.error()));
    co_return ok(to_json(id, *record, record->updated_at));
}

Task<Answer> release_record(OperatorNeeds needs, const Exchange& exchange)
{
    const auto id = read_id_of_tenant(exchange);
    if (!id) co_return std::unexpected(id.error());
    if (auto unknown = refuse_unknown(exchange, {"reason"})) {
        co_return std::unexpected(*std::move(unknown));
    }
    auto reason = read_reason(exchange);
    if (!reason) co_return std::unexpected(no_reason(exchange));
    auto answering = answer_changed(*id, needs.engine.async_release(*id, *std::move(reason)));
    co_return co_await std::move(answering);
}

// The answer that retries will get. Nullopt: none is kept.
OrProblem<std::optional<Response>> read_response(const Exchange& exchange)
{
    const auto refuse = [&](const std::string& field, const std::string& message) {
        return std::unexpected(wrong_field(field, message, exchange.language));
    };
    const bool has_status = has_field(exchange, "response_status");
    const bool has_type = has_field(exchange, "response_type");
    if (!has_field(exchange, "response_body")) {
        if (has_status) return refuse("response_status", "needs a response_body");
        if (has_type) return refuse("response_type", "needs a response_body");
        return std::optional<Response>{};
    }
    const auto body = find_text(exchange, "response_body");
    if (!body) return refuse("response_body", "must be a text");
    // What cannot be read must not become a final 200.
    const auto status = has_status ? find_integer(exchange, "response_status") : 200;
    if (!status || *status < 200 || *status > 599) {
        return refuse("response_status", "must be a status from 200 to 599");
    }
    if (has_type && !find_text(exchange, "response_type")) {
        return refuse("response_type", "must be a text");
    }
    Response response{
        .status = static_cast<int>(*status), .headers = {}, .body = *body, .entity = {}
    };
    response.headers.push_back(
        {"Content-Type", find_text(exchange, "response_type").value_or("application/json")}
    );
    if (std::ranges::any_of(response.headers[0].value, [](char c) { return c < ' ' || c > '~'; })) {
        return refuse("response_type", "must be a media type");
    }
    return response;
}

Task<Answer> resolve_record(OperatorNeeds needs, const Exchange& exchange)
{
    const auto id = read_id_of_tenant(exchange);
    if (!id) co_return std::unexpected(id.error());
    if (auto unknown = refuse_unknown(
            exchange, {"reason", "as", "response_body", "response_status", "response_type"}
        )) {
        co_return std::unexpected(*std::move(unknown));
    }
    auto reason = read_reason(exchange);
    if (!reason) co_return std::unexpected(no_reason(exchange));
    const auto as = find_text(exchange, "as");
    if (as != "succeeded" && as != "failed") {
        co_return std::unexpected(
            wrong_field("as", "must be succeeded or failed", exchange.language)
        );
    }
    auto response = read_response(exchange);
    if (!response) co_return std::unexpected(response.error());
    auto resolving = needs.engine.async_resolve(
        *id,
        as == "succeeded" ? Resolution::succeeded : Resolution::failed,
        *std::move(response),
        *std::move(reason)
    );
    auto answering = answer_changed(*id, std::move(resolving));
    co_return co_await std::move(answering);
}

Task<Answer> sweep(OperatorNeeds needs, const Exchange& exchange)
{
    if (auto refused = refuse_unless_all_tenants(exchange.caller))
        co_return std::unexpected(*refused);
    auto sweeping = needs.engine.async_sweep_once();
    const auto swept = co_await std::move(sweeping);
    if (!swept) co_return std::unexpected(problem_of(swept.error()));
    co_return ok(to_json(*swept));
}

Task<Answer> back_up(OperatorNeeds needs, const Exchange& exchange)
{
    const auto path = find_text(exchange, "path");
    if (!path || path->empty()) {
        co_return std::unexpected(wrong_field("path", "the file to write", exchange.language));
    }
    if (const auto done = needs.database.backup(*path); !done) {
        http::Problem problem = problem_of(done.error());
        problem.detail = {done.error().detail, done.error().detail};
        co_return std::unexpected(std::move(problem));
    }
    co_return ok(JsonObject{}.text("path", *path).str());
}

using Call = Task<Answer> (*)(OperatorNeeds, const Exchange&);

CallRoute route(OperatorNeeds needs, http::Route declared, Call call, Role role = Role::operator_)
{
    return {
        .route = std::move(declared),
        .role = role,
        .call = [needs, call](const Exchange& exchange) { return call(needs, exchange); },
    };
}

http::Route declare(std::string method, std::string pattern, std::string id, std::string summary)
{
    http::Route declared;
    declared.method = std::move(method);
    declared.pattern = std::move(pattern);
    declared.operation_id = std::move(id);
    declared.tag = "Operators";
    declared.summary = std::move(summary);
    declared.answers.push_back({.status = 200, .description = "done"});
    declared.problems = {"forbidden", "store-unavailable"};
    return declared;
}

http::Body reason_body(std::vector<http::Field> more = {})
{
    std::vector<http::Field> fields{
        {.name = "reason", .type = http::text({.min = 1}), .description = "why; kept in the audit"}
    };
    std::ranges::move(more, std::back_inserter(fields));
    http::Body body;
    body.schema = http::object(std::move(fields));
    return body;
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
    list.description =
        "A page may be short, even empty, although more follow: it ends where `next` is null. "
        "Without "
        "`tenant`: the tenant of the token, or all of them for a token of tenant `*`.";
    return list;
}

http::Route declare_resolve()
{
    http::Route resolve = declare(
        "POST",
        "/ops/records/{tenant}/{operation}/{key}/resolve",
        "operators.resolve",
        "Give an in-doubt or abandoned key its final word"
    );
    resolve.body = reason_body({
        {.name = "as", .type = http::one_of({"succeeded", "failed"})},
        {.name = "response_status",
         .type = http::integer({.min = 200, .max = 599}),
         .required = false},
        {.name = "response_type", .type = http::text(), .required = false},
        {.name = "response_body",
         .type = http::text(),
         .description = "what retries are answered with",
         .required = false},
    });
    resolve.problems = {"forbidden", "store-unavailable", "record-not-changed", "validation"};
    return resolve;
}

}  // namespace

std::vector<CallRoute> operator_routes(OperatorNeeds needs)
{
    const std::string one = "/ops/records/{tenant}/{operation}/{key}";
    http::Route release = declare(
        "POST",
        one + "/release",
        "operators.release",
        "Let an in-doubt, abandoned or failed key be claimed again"
    );
    release.body = reason_body();
    release.problems = {"forbidden", "store-unavailable", "record-not-changed", "validation"};

    std::vector<CallRoute> routes;
    routes.push_back(route(needs, declare_list(), list_records));
    routes.push_back(
        route(needs, declare("GET", one, "operators.explain", "The story of a key"), explain_record)
    );
    routes.push_back(route(needs, std::move(release), release_record));
    routes.push_back(route(needs, declare_resolve(), resolve_record));
    routes.push_back(route(
        needs, declare("POST", "/ops/sweep", "operators.sweep", "Remove expired records now"), sweep
    ));
    std::ranges::move(token_routes(needs), std::back_inserter(routes));
    return routes;
}

std::vector<CallRoute> local_routes(OperatorNeeds needs)
{
    http::Route backup = declare("POST", "/ops/backup", "operators.backup", "Copy the database");
    backup.body =
        http::Body{.schema = http::object({{.name = "path", .type = http::text({.min = 1})}})};
    return {route(needs, std::move(backup), back_up)};
}

}  // namespace umavez::operators
