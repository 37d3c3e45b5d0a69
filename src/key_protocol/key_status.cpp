#include "key_protocol/key_status.hpp"

#include "base/json_object.hpp"
#include "http/parameters.hpp"
#include "key_protocol/outcome_problem.hpp"

#include <algorithm>

namespace umavez::key_protocol {
namespace {

// A record whose failure was not final may be claimed again: to its owner it is free.
std::string_view status_text(const Record& record)
{
    if (record.status == Status::failed && !record.final) return "released";
    return to_text(record.status);
}

http::Problem not_found()
{
    return {
        .name = "not-found",
        .detail =
            {
                "this key was not used with this operation, or its record has expired",
                "esta chave não foi usada com esta operação, ou o seu registro expirou",
            },
    };
}

Task<OrProblem<http::Response>> answer(Engine& engine, const Exchange& exchange)
{
    const auto operation = Operation::parse(http::get_parameter(exchange.request, "operation"));
    const auto key = Key::parse(http::get_parameter(exchange.request, "key"));
    if (!operation || !key) co_return std::unexpected(not_found());
    const RecordId id{exchange.caller.tenant_id, *operation, *key};
    auto explaining = engine.async_explain(id);
    const auto story = co_await std::move(explaining);
    if (!story) co_return std::unexpected(problem_of(story.error()));
    const bool is_gone =
        !story->record || (story->record->expires_at && *story->record->expires_at <= story->now);
    if (is_gone) co_return std::unexpected(not_found());
    http::Response response =
        http::json_response(200, to_key_status(id, *story->record, story->now));
    response.headers.push_back({"Cache-Control", "no-store"});
    co_return response;
}

}  // namespace

std::string to_key_status(const RecordId& id, const Record& record, Instant now)
{
    JsonObject json;
    json.text("operation", id.operation.text())
        .text("key", id.key.text())
        .text("status", status_text(record))
        .number("attempts", record.attempts)
        .instant("created_at", record.created_at)
        .instant("updated_at", record.updated_at);
    if (record.completed_at) json.instant("completed_at", record.completed_at);
    if (record.expires_at) json.instant("expires_at", record.expires_at);
    if (record.processing_expires_at) {
        using std::chrono::milliseconds;
        const Duration left = std::max(*record.processing_expires_at - now, Duration{0});
        json.number("lease_remaining_ms", std::chrono::duration_cast<milliseconds>(left).count());
    }
    const bool is_final = record.status == Status::succeeded || record.final;
    if (is_final && record.response) {
        const Response& response = record.response->response;
        json.number("stored_status", response.status);
        const auto location = http::find_header(response.headers, "Location");
        if (location) json.text("location", *location);
    }
    return json.str() + "\n";
}

CallRoute key_status_route(Engine& engine)
{
    return {
        .route =
            {.method = "GET",
             .pattern = "/api/v1/idempotency/{operation}/{key}",
             .operation_id = "idempotency.status",
             .tag = "Idempotency",
             .summary = "What became of a key of yours",
             .description =
                 "The state of the record under a key. To get the answer itself, send the request "
                 "again with the same key.",
             .path =
                 {{.name = "operation",
                   .type = http::text({.max = 100, .min = 1}),
                   .description = "the name of the operation",
                   .example = "\"clientes.criar\""},
                  {.name = "key",
                   .type = http::text({.max = 255, .min = 1}),
                   .description = "the key, percent-encoded as one segment",
                   .example = "\"8e03978e-40d5-43dd-bc93-6894a57f9324\""}},
             .answers =
                 {{.status = 200,
                   .description = "the record",
                   .body = http::object({
                       {.name = "operation", .type = http::text()},
                       {.name = "key", .type = http::text()},
                       {.name = "status",
                        .type = http::one_of(
                            {"processing", "succeeded", "failed", "in_doubt", "released"}
                        )},
                       {.name = "attempts", .type = http::integer()},
                       {.name = "created_at", .type = http::date_time()},
                       {.name = "updated_at", .type = http::date_time()},
                       {.name = "completed_at", .type = http::date_time(), .required = false},
                       {.name = "expires_at", .type = http::date_time(), .required = false},
                       {.name = "lease_remaining_ms", .type = http::integer(), .required = false},
                       {.name = "stored_status", .type = http::integer(), .required = false},
                       {.name = "location", .type = http::text(), .required = false},
                   })}},
             .problems = {"not-found"}},
        .role = access::Role::reader,
        .call = [&engine](const Exchange& exchange) { return answer(engine, exchange); },
    };
}

}  // namespace umavez::key_protocol
