// Deciding: a key is released, or gets its final word. Both need a reason.

#include "operators/body_fields.hpp"
#include "operators/documents.hpp"
#include "operators/refusals.hpp"
#include "operators/route_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace umavez::operators {
namespace {

using key_protocol::CallRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;

Task<Answer> answer_changed(RecordId id, Task<Result<Record>> changing)
{
    const auto record = co_await std::move(changing);
    if (!record) co_return std::unexpected(problem_of(record.error()));
    co_return ok(to_json(id, *record, record->updated_at));
}

Task<Answer> release_record(OperatorNeeds needs, const Exchange& exchange)
{
    const auto id = read_id(exchange);
    if (!id) co_return std::unexpected(id.error());
    if (auto unknown = refuse_unknown(exchange, {"reason"})) {
        co_return std::unexpected(*std::move(unknown));
    }
    auto reason = read_reason(exchange);
    if (!reason) co_return std::unexpected(reason.error());
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
    const auto id = read_id(exchange);
    if (!id) co_return std::unexpected(id.error());
    if (auto unknown = refuse_unknown(
            exchange, {"reason", "as", "response_body", "response_status", "response_type"}
        )) {
        co_return std::unexpected(*std::move(unknown));
    }
    auto reason = read_reason(exchange);
    if (!reason) co_return std::unexpected(reason.error());
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

// A decision about a record: `/release`, with the fields that its body has besides the reason.
http::Route declare_order(
    const std::string& verb, std::string summary, std::vector<http::Field> more = {}
)
{
    http::Route order = declare(
        "POST",
        std::string{record_pattern} + "/" + verb,
        "operators." + verb,
        std::move(summary)
    );
    std::vector<http::Field> fields{
        {.name = "reason", .type = http::text({.min = 1}), .description = "why; kept in the audit"}
    };
    std::ranges::move(more, std::back_inserter(fields));
    order.body.emplace();
    order.body->schema = http::object(std::move(fields));
    order.answers.push_back({.status = 200, .description = "done"});
    order.problems = {
        "forbidden", "store-unavailable", "record-not-changed", "validation", "not-found"
    };
    return order;
}

http::Route declare_release()
{
    return declare_order("release", "Let an in-doubt, abandoned or failed key be claimed again");
}

http::Route declare_resolve()
{
    return declare_order(
        "resolve",
        "Give an in-doubt or abandoned key its final word",
        {
            {.name = "as", .type = http::one_of({"succeeded", "failed"})},
            {.name = "response_status",
             .type = http::integer({.min = 200, .max = 599}),
             .required = false},
            {.name = "response_type", .type = http::text(), .required = false},
            {.name = "response_body",
             .type = http::text(),
             .description = "what retries are answered with",
             .required = false},
        }
    );
}

}  // namespace

std::vector<CallRoute> order_routes(OperatorNeeds needs)
{
    return {
        bound(needs, declare_release(), release_record),
        bound(needs, declare_resolve(), resolve_record),
    };
}

}  // namespace umavez::operators
