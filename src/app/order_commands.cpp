// Commands that decide about records: release, resolve, sweep.

#include "app/commands.hpp"
#include "app/read_input.hpp"
#include "app/record_places.hpp"
#include "base/json_object.hpp"
#include "base/limits.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace umavez {
namespace {

using operators::Wish;

// release and resolve: what they order, and what became of the record.
int order(const Invocation& invocation, std::string_view what, const JsonObject& body)
{
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto place = find_place(*desk, invocation);
    if (!place) return place.error();
    const Wish wish{
        .method = "POST", .path = fmt::format("{}/{}", *place, what), .body = body.str()
    };
    const auto changed = desk->ask(wish);
    if (!changed) return changed.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *changed->text);
        return exit_done;
    }
    fmt::print(
        "{}: {} / {} / {} is now {} (epoch {})\n",
        what,
        text_of(changed->root(), "tenant"),
        text_of(changed->root(), "operation"),
        text_of(changed->root(), "key"),
        text_of(changed->root(), "state"),
        number_of(changed->root(), "epoch")
    );
    return exit_done;
}

int release(const Invocation& invocation)
{
    const auto reason = invocation.find("--reason");
    if (!reason)
        return complain("--reason is needed: say why, it is kept in the audit", exit_usage);
    JsonObject body;
    body.text("reason", *reason);
    return order(invocation, "release", body);
}

int resolve(const Invocation& invocation)
{
    const auto reason = invocation.find("--reason");
    const auto as = invocation.find("--as");
    if (!reason)
        return complain("--reason is needed: say why, it is kept in the audit", exit_usage);
    if (!as) return complain("--as is needed: succeeded or failed", exit_usage);
    if (!check_word(invocation, "--as", {"succeeded", "failed"})) return exit_usage;
    JsonObject body;
    body.text("reason", *reason).text("as", *as);
    if (const auto file = invocation.find("--response")) {
        const auto text = read_input(*file, limits::response_bytes_max);
        if (!text) return complain("--response: " + text.error().detail);
        body.text("response_body", *text);
        if (!JsonTree::parse(*text)) body.text("response_type", "text/plain; charset=utf-8");
    }
    if (const auto status = invocation.find("--response-status")) {
        if (status->empty() || status->size() > 3 ||
            status->find_first_not_of("0123456789") != std::string::npos) {
            return complain("--response-status: write a number such as 201", exit_usage);
        }
        body.raw("response_status", *status);
    }
    return order(invocation, "resolve", body);
}

int sweep(const Invocation& invocation)
{
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto swept = desk->ask({.method = "POST", .path = "/ops/sweep"});
    if (!swept) return swept.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *swept->text);
    } else {
        fmt::print(
            "removed {} records and {} audit entries\n",
            number_of(swept->root(), "records"),
            number_of(swept->root(), "audit_entries")
        );
    }
    return exit_done;
}

}  // namespace

Command release_command()
{
    return {
        .name = "release",
        .summary = "Let an in-doubt, abandoned or failed key be claimed again",
        .example = "umavez release KEY --reason 'the bank has no such transfer'",
        .options = place_options({{"--reason", "TEXT", "why; kept in the audit"}}),
        .takes_settings = true,
        .argument = "KEY",
        .run = release,
    };
}

Command resolve_command()
{
    return {
        .name = "resolve",
        .summary = "Give an in-doubt or abandoned key its final word",
        .example =
            "umavez resolve KEY --as succeeded --response answer.json --reason 'seen at the bank'",
        .options = place_options({
            {"--as", "WORD", "succeeded or failed"},
            {"--reason", "TEXT", "why; kept in the audit"},
            {"--response", "FILE", "the body that retries will get"},
            {"--response-status", "N", "and its status [200]"},
        }),
        .takes_settings = true,
        .argument = "KEY",
        .run = resolve,
    };
}

Command sweep_command()
{
    return {
        .name = "sweep",
        .summary = "Remove expired records now, one batch",
        .example = "umavez sweep --database sqlite:umavez.db",
        .options = desk_options(),
        .takes_settings = true,
        .argument = {},
        .run = sweep,
    };
}

}  // namespace umavez
