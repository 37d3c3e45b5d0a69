// Commands about outgoing webhooks: deliveries list, redrive.

#include "app/commands.hpp"
#include "app/desk.hpp"
#include "app/people.hpp"
#include "base/json_object.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace umavez {
namespace {

Colour colour_of_delivery(std::string_view state)
{
    if (state == "dead") return Colour::red;
    if (state == "delivered") return Colour::green;
    return state == "pending" ? Colour::yellow : Colour::grey;
}

int list(const Invocation& invocation)
{
    if (!check_word(invocation, "--state", {"pending", "delivered", "dead", "cancelled"}))
        return exit_usage;
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto page = desk->ask(
        {.path = "/ops/deliveries",
         .query = query_of(invocation, {"state", "tenant", "destination", "cursor", "limit"})}
    );
    if (!page) return page.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *page->text);
        return exit_done;
    }
    const auto listed = page->root().find("deliveries");
    if (!listed || listed->kind() != JsonKind::array)
        return complain("the answer lists no deliveries");
    std::vector<std::vector<Cell>> rows;
    for (const JsonValue delivery : listed->elements()) {
        const std::string state = text_of(delivery, "state");
        rows.push_back({
            {number_of(delivery, "id")},
            {state, colour_of_delivery(state)},
            {number_of(delivery, "attempts")},
            {text_of(delivery, "tenant")},
            {text_of(delivery, "type")},
            {text_of(delivery, "aggregate")},
            {shown(text_of(delivery, "url"))},
            {shown(text_of(delivery, "last_error"))},
        });
    }
    fmt::print(
        "{}", to_columns({"ID", "STATE", "FAILED", "TENANT", "TYPE", "ABOUT", "TO", "WHY"}, rows)
    );
    if (rows.empty()) fmt::print(stderr, "no deliveries\n");
    if (const std::string next = number_of(page->root(), "next"); !next.empty()) {
        fmt::print(stderr, "more: add --cursor {}\n", next);
    }
    return exit_done;
}

int redrive(const Invocation& invocation)
{
    const std::string& what = invocation.arguments.front();
    const auto destination = invocation.find("--destination");
    const bool is_all = what == "all-dead";
    if (is_all && (!destination || !is_number(*destination))) {
        return complain(
            "--destination is needed: the number of the one that missed deliveries", exit_usage
        );
    }
    if (!is_all && !is_number(what)) {
        return complain(
            fmt::format(
                "\"{}\" is not the number of a delivery; umavez deliveries list shows them",
                shown(what)
            ),
            exit_usage
        );
    }
    const auto reason = invocation.find("--reason");
    if (!reason)
        return complain("--reason is needed: say why, it is kept in the audit", exit_usage);
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    JsonObject body;
    body.text("reason", *reason);
    if (is_all) body.raw("destination", *destination);
    const operators::Wish wish{
        .method = "POST",
        .path =
            is_all ? "/ops/deliveries/redrive" : fmt::format("/ops/deliveries/{}/redrive", what),
        .body = body.str(),
    };
    const auto driven = desk->ask(wish);
    if (!driven) return driven.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *driven->text);
    } else if (is_all) {
        fmt::print("{} deliveries are due again\n", number_of(driven->root(), "redriven"));
    } else {
        fmt::print("delivery {} is due again\n", what);
    }
    return exit_done;
}

}  // namespace

Command deliveries_list_command()
{
    return {
        .name = "deliveries list",
        .summary = "Our events on their way to tenants' destinations, newest first",
        .example = "umavez deliveries list --state dead",
        .options = desk_options({
            {"--state", "STATE", "pending, delivered, dead or cancelled"},
            {"--tenant", "NAME", "of this tenant"},
            {"--destination", "N", "to this destination"},
            {"--cursor", "N", "go on after a page"},
            {"--limit", "N", "at most so many, up to 200 [50]"},
        }),
        .takes_settings = true,
        .argument = {},
        .run = list,
    };
}

Command deliveries_redrive_command()
{
    return {
        .name = "deliveries redrive",
        .summary = "Deliver again, one or all-dead of a destination",
        .example = "umavez deliveries redrive all-dead --destination 3 --reason 'it is back'",
        .options = desk_options({
            {"--reason", "TEXT", "why; kept in the audit"},
            {"--destination", "N", "with all-dead: whose"},
        }),
        .takes_settings = true,
        .argument = "ID",
        .run = redrive,
    };
}

}  // namespace umavez
