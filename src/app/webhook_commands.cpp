// Commands about accepted events: webhook list, show, redrive, quarantine.

#include "app/commands.hpp"
#include "app/desk.hpp"
#include "app/people.hpp"
#include "app/record_places.hpp"
#include "base/json_object.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace umavez {
namespace {

Colour colour_of_event(std::string_view state)
{
    if (state == "dead") return Colour::red;
    if (state == "done") return Colour::green;
    return state == "pending" || state == "waiting" ? Colour::yellow : Colour::grey;
}

// The rows of `name`, or the code of a complaint.
template <typename ToCells>
std::expected<std::vector<std::vector<Cell>>, int> rows_of(
    const JsonValue& page, std::string_view name, ToCells to_cells
)
{
    const auto listed = page.find(name);
    if (!listed || listed->kind() != JsonKind::array) {
        return std::unexpected(complain(fmt::format("the answer lists no {}", name)));
    }
    std::vector<std::vector<Cell>> rows;
    for (const JsonValue row : listed->elements()) rows.push_back(to_cells(row));
    return rows;
}

void tell_next(const JsonValue& page)
{
    if (const std::string next = number_of(page, "next"); !next.empty()) {
        fmt::print(stderr, "more: add --cursor {}\n", next);
    }
}

int list(const Invocation& invocation)
{
    const std::vector<std::string> states{"pending", "waiting", "done", "ignored", "stale", "dead"};
    if (!check_word(invocation, "--state", states)) return exit_usage;
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto page = desk->ask(
        {.path = "/ops/webhooks",
         .query =
             query_of(invocation, {"state", "provider", "tenant", "event-id", "cursor", "limit"})}
    );
    if (!page) return page.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *page->text);
        return exit_done;
    }
    const auto rows = rows_of(page->root(), "events", [&](const JsonValue& event) {
        const std::string state = text_of(event, "state");
        const std::string tenant = text_of(event, "tenant");
        return std::vector<Cell>{
            {number_of(event, "id")},
            {state, colour_of_event(state)},
            {distance_of(event, "received_at", page->root())},
            {number_of(event, "attempts")},
            {tenant.empty() ? "-" : tenant},
            {text_of(event, "provider")},
            {shown(text_of(event, "type"))},
            {shown(text_of(event, "event_id"))},
            {shown(text_of(event, "last_error"))},
        };
    });
    if (!rows) return rows.error();
    fmt::print(
        "{}",
        to_columns(
            {"ID", "STATE", "RECEIVED", "FAILED", "TENANT", "PROVIDER", "TYPE", "EVENT", "WHY"},
            *rows
        )
    );
    if (rows->empty()) fmt::print(stderr, "no events\n");
    tell_next(page->root());
    return exit_done;
}

int quarantine(const Invocation& invocation)
{
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto page = desk->ask(
        {.path = "/ops/webhooks/quarantine", .query = query_of(invocation, {"cursor", "limit"})}
    );
    if (!page) return page.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *page->text);
        return exit_done;
    }
    const auto rows = rows_of(page->root(), "quarantined", [&](const JsonValue& row) {
        return std::vector<Cell>{
            {number_of(row, "id")},
            {distance_of(row, "received_at", page->root())},
            {text_of(row, "provider")},
            {shown(text_of(row, "event_id"))},
            {number_of(row, "inbox_id")},
            {shown(text_of(row, "body").substr(0, 60))},
        };
    });
    if (!rows) return rows.error();
    fmt::print(
        "{}", to_columns({"ID", "RECEIVED", "PROVIDER", "EVENT", "FIRST IS", "BODY"}, *rows)
    );
    if (rows->empty()) fmt::print(stderr, "nothing is quarantined\n");
    tell_next(page->root());
    return exit_done;
}

// Nullopt: it complained.
std::optional<std::string> read_event_number(const Invocation& invocation)
{
    const std::string& id = invocation.arguments.front();
    if (is_number(id)) return id;
    complain(
        fmt::format(
            "\"{}\" is not the number of an event; umavez webhook list shows them", shown(id)
        ),
        exit_usage
    );
    return std::nullopt;
}

int show(const Invocation& invocation)
{
    const auto id = read_event_number(invocation);
    if (!id) return exit_usage;
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto event = desk->ask({.path = "/ops/webhooks/" + *id});
    if (!event) return event.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *event->text);
        return exit_done;
    }
    const JsonValue root = event->root();
    const std::string state = text_of(root, "state");
    const std::string tenant = text_of(root, "tenant");
    fmt::print(
        "{} {} {}\n", text_of(root, "provider"), text_of(root, "type"), text_of(root, "event_id")
    );
    fmt::print("  state      {}\n", painted(state, colour_of_event(state)));
    fmt::print("  tenant     {}\n", tenant.empty() ? "not known yet" : tenant);
    fmt::print("  received   {}\n", text_of(root, "received_at"));
    fmt::print("  changed    {}\n", text_of(root, "changed_at"));
    fmt::print("  failed     {} times\n", number_of(root, "attempts"));
    if (const std::string why = text_of(root, "last_error"); !why.empty()) {
        fmt::print("  why        {}\n", shown(why));
    }
    const std::string body = text_of(root, "body");
    fmt::print("\n{}\n", body.empty() ? text_of(root, "body_hex") : body);
    return exit_done;
}

int redrive(const Invocation& invocation)
{
    const auto reason = invocation.find("--reason");
    if (!reason)
        return complain("--reason is needed: say why, it is kept in the audit", exit_usage);
    JsonObject body;
    body.text("reason", *reason);
    const bool is_all = invocation.arguments.front() == "all-dead";
    std::string path = "/ops/webhooks/redrive";
    if (!is_all) {
        const auto id = read_event_number(invocation);
        if (!id) return exit_usage;
        path = fmt::format("/ops/webhooks/{}/redrive", *id);
    }
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto driven = desk->ask(
        {.method = "POST",
         .path = path,
         .query = is_all ? query_of(invocation, {"provider", "tenant"}) : "",
         .body = body.str()}
    );
    if (!driven) return driven.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *driven->text);
    } else if (is_all) {
        fmt::print("{} events are due again\n", number_of(driven->root(), "redriven"));
    } else {
        fmt::print("event {} is due again\n", number_of(driven->root(), "id"));
    }
    return exit_done;
}

}  // namespace

Command webhook_list_command()
{
    return {
        .name = "webhook list",
        .summary = "Accepted events, newest first",
        .example = "umavez webhook list --state dead",
        .options = desk_options({
            {"--state", "STATE", "pending, waiting (for a tenant), done, ignored, stale or dead"},
            {"--provider", "NAME", "of this provider"},
            {"--tenant", "NAME", "of this tenant"},
            {"--event-id", "ID", "as the provider calls it"},
            {"--cursor", "N", "go on after a page"},
            {"--limit", "N", "at most so many, up to 200 [50]"},
        }),
        .takes_settings = true,
        .argument = {},
        .run = list,
    };
}

Command webhook_show_command()
{
    return {
        .name = "webhook show",
        .summary = "One event and its body",
        .example = "umavez webhook show 17",
        .options = desk_options(),
        .takes_settings = true,
        .argument = "ID",
        .run = show,
    };
}

Command webhook_redrive_command()
{
    return {
        .name = "webhook redrive",
        .summary = "Process an event again, or all-dead",
        .example = "umavez webhook redrive 17 --reason 'the invoice is there now'",
        .options = desk_options({
            {"--reason", "TEXT", "why; kept in the audit"},
            {"--provider", "NAME", "with all-dead: of this provider"},
            {"--tenant", "NAME", "with all-dead: of this tenant"},
        }),
        .takes_settings = true,
        .argument = "ID",
        .run = redrive,
    };
}

Command webhook_quarantine_command()
{
    return {
        .name = "webhook quarantine",
        .summary = "Deliveries under the id of an event with another body",
        .example = "umavez webhook quarantine",
        .options = desk_options({
            {"--cursor", "N", "go on after a page"},
            {"--limit", "N", "at most so many, up to 200 [50]"},
        }),
        .takes_settings = true,
        .argument = {},
        .run = quarantine,
    };
}

}  // namespace umavez
