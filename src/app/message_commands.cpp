// Commands about messages on their way to workers and to the broker: messages list, redrive, drop; broker
// forget.

#include "app/commands.hpp"
#include "app/desk.hpp"
#include "app/people.hpp"
#include "base/json_object.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace umavez {
namespace {

Colour colour_of_message(std::string_view state)
{
    if (state == "dead") return Colour::red;
    return state == "pending" ? Colour::yellow : Colour::grey;
}

int list(const Invocation& invocation)
{
    if (!check_word(invocation, "--state", {"pending", "published", "done", "dead"}))
        return exit_usage;
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto page = desk->ask(
        {.path = "/ops/messages",
         .query = query_of(invocation, {"state", "tenant", "queue", "cursor", "limit"})}
    );
    if (!page) return page.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *page->text);
        return exit_done;
    }
    const auto listed = page->root().find("messages");
    if (!listed || listed->kind() != JsonKind::array)
        return complain("the answer lists no messages");
    std::vector<std::vector<Cell>> rows;
    for (const JsonValue message : listed->elements()) {
        const std::string state = text_of(message, "state");
        rows.push_back({
            {number_of(message, "id")},
            {state, colour_of_message(state)},
            {number_of(message, "attempts")},
            {text_of(message, "tenant")},
            {text_of(message, "queue")},
            {text_of(message, "type")},
            {text_of(message, "aggregate")},
            {shown(text_of(message, "last_error"))},
        });
    }
    fmt::print(
        "{}", to_columns({"ID", "STATE", "FAILED", "TENANT", "QUEUE", "TYPE", "ABOUT", "WHY"}, rows)
    );
    if (rows.empty()) fmt::print(stderr, "no messages\n");
    if (const std::string next = number_of(page->root(), "next"); !next.empty()) {
        fmt::print(stderr, "more: add --cursor {}\n", next);
    }
    return exit_done;
}

// A wish with a reason; `done` is what people are told.
int order(const Invocation& invocation, const std::string& path, const std::string& done)
{
    const auto reason = invocation.find("--reason");
    if (!reason)
        return complain("--reason is needed: say why, it is kept in the audit", exit_usage);
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto answer = desk->ask(
        {.method = "POST", .path = path, .body = JsonObject{}.text("reason", *reason).str()}
    );
    if (!answer) return answer.error();
    fmt::print("{}", invocation.has("--json") ? *answer->text : done + "\n");
    return exit_done;
}

int order_one(const Invocation& invocation, const char* deed, const char* done)
{
    const std::string& id = invocation.arguments.front();
    if (!is_number(id)) {
        return complain(
            fmt::format(
                "\"{}\" is not the number of a message; umavez messages list shows them", shown(id)
            ),
            exit_usage
        );
    }
    return order(
        invocation,
        fmt::format("/ops/messages/{}/{}", id, deed),
        fmt::format("message {} {}", id, done)
    );
}

std::vector<CommandOption> reason_option()
{
    return desk_options({{"--reason", "TEXT", "why; kept in the audit"}});
}

}  // namespace

Command messages_list_command()
{
    return {
        .name = "messages list",
        .summary = "Messages on their way to workers and to the broker, newest first",
        .example = "umavez messages list --state pending --queue events",
        .options = desk_options({
            {"--state", "STATE", "pending, published, done or dead [dead]"},
            {"--tenant", "NAME", "of this tenant"},
            {"--queue", "NAME", "of this queue: mailing, events"},
            {"--cursor", "N", "go on after a page"},
            {"--limit", "N", "at most so many, up to 200 [50]"},
        }),
        .takes_settings = true,
        .argument = {},
        .run = list,
    };
}

Command messages_redrive_command()
{
    return {
        .name = "messages redrive",
        .summary = "Carry a dead message again",
        .example = "umavez messages redrive 12 --reason 'the queue is bound again'",
        .options = reason_option(),
        .takes_settings = true,
        .argument = "ID",
        .run = [](const Invocation& invocation
               ) { return order_one(invocation, "redrive", "is due again"); },
    };
}

Command messages_drop_command()
{
    return {
        .name = "messages drop",
        .summary = "Remove a message that is dead or pending",
        .example = "umavez messages drop 12 --reason 'its mailing was cancelled'",
        .options = reason_option(),
        .takes_settings = true,
        .argument = "ID",
        .run = [](const Invocation& invocation
               ) { return order_one(invocation, "drop", "was removed"); },
    };
}

Command broker_forget_command()
{
    return {
        .name = "broker forget",
        .summary = "Make no more messages of events, for a deployment that gave its broker up",
        .example = "umavez broker forget --reason 'no broker any more'",
        .options = reason_option(),
        .takes_settings = true,
        .argument = {},
        .run =
            [](const Invocation& invocation) {
                return order(invocation, "/ops/broker/forget", "events are no messages any more");
            },
    };
}

}  // namespace umavez
