#include "messaging/message_routes.hpp"

#include "base/json_object.hpp"
#include "http/parameters.hpp"
#include "messaging/broker_use.hpp"
#include "messaging/messages_desk.hpp"
#include "operators/body_fields.hpp"
#include "operators/refusals.hpp"
#include "operators/route_parts.hpp"

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

constexpr std::int64_t page_max = 200;

std::string to_message_json(const MessageRow& message)
{
    const bool waits = message.state == "pending";
    return JsonObject{}
        .number("id", message.id)
        .text("tenant", message.tenant)
        .text("message_id", message.message_id)
        .text("queue", message.queue)
        .text("aggregate", message.aggregate)
        .text("type", message.type)
        .text("state", message.state)
        .number("attempts", message.attempts)
        .instant("next_at", waits ? std::optional{message.due_at} : std::nullopt)
        .raw("last_error", message.last_error ? to_json_text(*message.last_error) : "null")
        .instant("created_at", message.created_at)
        .instant("changed_at", message.changed_at)
        .str();
}

OrProblem<MessagesQuery> read_query(const Exchange& exchange)
{
    MessagesQuery query;
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
    if (const auto state = http::find_parameter(exchange.request, "state")) query.state = *state;
    if (const auto queue = http::find_parameter(exchange.request, "queue")) query.queue = *queue;
    query.before = http::find_integer(exchange.request, "cursor");
    query.limit = http::find_integer(exchange.request, "limit").value_or(query.limit);
    return query;
}

Task<Answer> list(OperatorNeeds needs, const Exchange& exchange)
{
    const auto query = read_query(exchange);
    if (!query) co_return std::unexpected(query.error());
    std::vector<MessageRow> messages;
    Closure look = [&messages, &query](Transaction& transaction) -> Result<void> {
        auto listed = list_messages(transaction, *query);
        if (!listed) return std::unexpected(listed.error());
        messages = *std::move(listed);
        return {};
    };
    auto looking = needs.database.async_read(std::move(look));
    const auto looked = co_await std::move(looking);
    if (!looked) co_return std::unexpected(problem_of(looked.error()));
    const auto limit = static_cast<std::size_t>(query->limit);
    const bool has_more = messages.size() > limit;
    if (has_more) messages.resize(limit);
    JsonObject json;
    json.raw("messages", to_json_array(messages, to_message_json))
        .raw("next", has_more ? std::to_string(messages.back().id) : "null");
    co_return operators::ok(json.str());
}

// Who did it and why, under the operation and the message's id.
void remark(
    const OperatorNeeds& needs,
    const MessageRow& message,
    const char* operation_name,
    const std::string& what
)
{
    const auto tenant = TenantId::parse(message.tenant);
    const auto operation = Operation::parse(operation_name);
    const auto key = Key::parse(message.message_id);
    if (!tenant || !operation || !key) return;
    needs.engine.remark({*tenant, *operation, *key}, what);
}

// What an operator does to one message. False: the message is in no state for it.
using Change = Result<bool> (*)(Transaction&, std::int64_t);

// Nullopt: there is no such message, for this caller. What belongs to another tenant is not there.
Result<std::optional<MessageRow>> run_change(
    Transaction& transaction, const Exchange& exchange, Change change, const char* refusal
)
{
    const std::int64_t id = http::get_integer(exchange.request, "id");
    auto found = find_message(transaction, id);
    if (!found || !*found) return found;
    const auto tenant = TenantId::parse((*found)->tenant);
    if (!tenant || !exchange.caller.may_see(*tenant)) return std::nullopt;
    const auto changed = change(transaction, id);
    if (!changed) return std::unexpected(changed.error());
    if (!*changed) return fail(Errc::invalid_argument, refusal);
    return found;
}

struct Deed {
    Change change;
    const char* refusal;
    const char* operation;
    const char* state;  // it is in afterwards
    const char* remark;
};

Task<Answer> act(OperatorNeeds needs, const Exchange& exchange, Deed deed)
{
    if (auto unknown = operators::refuse_unknown(exchange, {"reason"})) {
        co_return std::unexpected(*std::move(unknown));
    }
    const auto reason = operators::read_reason(exchange);
    if (!reason) co_return std::unexpected(reason.error());
    std::optional<MessageRow> message;
    Closure run = [&message, &exchange, &deed](Transaction& transaction) -> Result<void> {
        auto changed = run_change(transaction, exchange, deed.change, deed.refusal);
        if (!changed) return std::unexpected(changed.error());
        message = *std::move(changed);
        return {};
    };
    auto running = needs.database.async_transact(std::move(run));
    const auto done = co_await std::move(running);
    if (!done) co_return std::unexpected(problem_of(done.error()));
    if (!message) co_return std::unexpected(not_found("such message"));
    remark(needs, *message, deed.operation, deed.remark + *reason);
    JsonObject json;
    json.number("id", message->id)
        .text("message_id", message->message_id)
        .text("state", deed.state);
    co_return operators::ok(json.str());
}

Task<Answer> redrive(OperatorNeeds needs, const Exchange& exchange)
{
    const Deed deed{
        drive_message_again,
        "only a dead message is driven again",
        "messages.redrive",
        "pending",
        "driven again ",
    };
    return act(needs, exchange, deed);
}

Task<Answer> drop(OperatorNeeds needs, const Exchange& exchange)
{
    const Deed deed{
        drop_message,
        "only a message that is dead or pending is dropped",
        "messages.drop",
        "dropped",
        "dropped ",
    };
    return act(needs, exchange, deed);
}

Task<Answer> forget(OperatorNeeds needs, const Exchange& exchange)
{
    if (auto refused = operators::refuse_unless_all_tenants(exchange.caller)) {
        co_return std::unexpected(*std::move(refused));
    }
    if (auto unknown = operators::refuse_unknown(exchange, {"reason"})) {
        co_return std::unexpected(*std::move(unknown));
    }
    const auto reason = operators::read_reason(exchange);
    if (!reason) co_return std::unexpected(reason.error());
    Closure run = [](Transaction& transaction) { return forget_broker(transaction); };
    auto running = needs.database.async_transact(std::move(run));
    const auto done = co_await std::move(running);
    if (!done) co_return std::unexpected(problem_of(done.error()));
    const auto operation = Operation::parse("broker.forget");
    const auto key = Key::parse("broker");
    if (operation && key) {
        needs.engine.remark({exchange.caller.tenant_id, *operation, *key}, "forgotten " + *reason);
    }
    co_return operators::ok(JsonObject{}.boolean("forgotten", true).str());
}

void ask_reason(http::Route& route, std::string example)
{
    const http::Field reason{
        .name = "reason",
        .type = http::text({.max = 1000, .min = 1}),
        .description = "why; kept in the audit",
    };
    route.body = http::Body{.schema = http::object({reason}), .example = std::move(example)};
    route.problems.emplace_back("validation");
}

http::Route declare_list()
{
    http::Route route =
        declare("GET", "/ops/messages", "messages.list", "Search messages, newest first");
    route.description = "Those that are dead, unless another state is asked for.";
    route.query = {
        {.name = "state",
         .type = http::one_of({"pending", "published", "done", "dead"}),
         .required = false},
        {.name = "tenant", .type = http::text({.max = 64}), .required = false},
        {.name = "queue", .type = http::text({.max = 64}), .required = false},
        {.name = "cursor",
         .type = http::integer({.min = 1}),
         .description = "`next` of the page before",
         .required = false},
        {.name = "limit", .type = http::integer({.min = 1, .max = page_max}), .required = false},
    };
    route.answers.push_back({.status = 200, .description = "a page; `next` is null on the last"});
    return route;
}

http::Route declare_deed(std::string tail, std::string id, std::string summary, std::string example)
{
    http::Route route =
        declare("POST", "/ops/messages/{id}/" + tail, std::move(id), std::move(summary));
    route.path = {{.name = "id", .type = http::integer({.min = 1})}};
    ask_reason(route, std::move(example));
    route.answers.push_back({.status = 200, .description = "what became of it"});
    route.problems.emplace_back("not-found");
    route.problems.emplace_back("record-not-changed");
    return route;
}

http::Route declare_forget()
{
    http::Route route =
        declare("POST", "/ops/broker/forget", "broker.forget", "Events are no messages any more");
    route.description =
        "For a deployment that gave its broker up. Events that wait for it are removed; work that "
        "waits stays, and is read from the database. A process that starts with a broker is "
        "remembered again.";
    ask_reason(route, R"({"reason":"we have no broker any more"})");
    route.answers.push_back({.status = 200, .description = "done, or was so before"});
    return route;
}

}  // namespace

std::vector<CallRoute> message_routes(const OperatorNeeds& needs)
{
    return {
        bound(needs, declare_list(), list),
        bound(
            needs,
            declare_deed(
                "redrive",
                "messages.redrive",
                "Carry a dead message again, at once",
                R"({"reason":"the queue is bound again"})"
            ),
            redrive
        ),
        bound(
            needs,
            declare_deed(
                "drop",
                "messages.drop",
                "Remove a message that is dead or pending",
                R"({"reason":"its mailing was cancelled"})"
            ),
            drop
        ),
        bound(needs, declare_forget(), forget),
    };
}

}  // namespace umavez::messaging
