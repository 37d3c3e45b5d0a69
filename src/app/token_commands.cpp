// Commands about tokens: token create, list, revoke.

#include "app/commands.hpp"
#include "app/desk.hpp"
#include "app/people.hpp"
#include "app/units.hpp"
#include "base/json_object.hpp"
#include "base/rfc3339.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace umavez {
namespace {

// The token alone on standard output, so that a shell can take it; what people should know on the
// other.
int create(const Invocation& invocation)
{
    JsonObject body;
    const auto tenant = invocation.find("--tenant");
    const auto role = invocation.find("--role");
    if (!tenant)
        return complain("--tenant is needed: whose data the token opens, such as acme", exit_usage);
    if (!role) return complain("--role is needed: reader, writer or operator", exit_usage);
    if (!check_word(invocation, "--role", {"reader", "writer", "operator"})) return exit_usage;
    body.text("tenant", *tenant)
        .text("role", *role)
        .text("label", invocation.find("--label").value_or(""));
    if (const auto lifetime = invocation.find("--expires-in")) {
        const auto duration = parse_duration(*lifetime);
        if (!duration) return complain("--expires-in: " + duration.error().detail, exit_usage);
        body.number(
            "expires_in_seconds",
            std::chrono::duration_cast<std::chrono::seconds>(*duration).count()
        );
    }
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto made = desk->ask({.method = "POST", .path = "/ops/tokens", .body = body.str()});
    if (!made) return made.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *made->text);
        return exit_done;
    }
    fmt::print("{}\n", text_of(made->root(), "token"));
    const auto about = made->root().find("about");
    fmt::print(
        stderr,
        "token {}; it is shown this once, keep it safe\n",
        about ? number_of(*about, "id") : ""
    );
    return exit_done;
}

std::string state_of(const JsonValue& token, std::optional<Instant> now)
{
    if (!text_of(token, "revoked_at").empty()) return "revoked";
    const auto expires = parse_rfc3339(text_of(token, "expires_at"));
    return expires && now && *expires <= *now ? "expired" : "live";
}

int list(const Invocation& invocation)
{
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto listed = desk->ask({.path = "/ops/tokens"});
    if (!listed) return listed.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *listed->text);
        return exit_done;
    }
    const auto now = parse_rfc3339(text_of(listed->root(), "now"));
    const auto distance = [now](const JsonValue& token, std::string_view name) {
        const auto at = parse_rfc3339(text_of(token, name));
        return at && now ? to_distance(*at, *now) : std::string{"-"};
    };
    std::vector<std::vector<Cell>> rows;
    const auto tokens = listed->root().find("tokens");
    if (!tokens || tokens->kind() != JsonKind::array) return complain("the answer lists no tokens");
    for (const JsonValue token : tokens->elements()) {
        const std::string state = state_of(token, now);
        rows.push_back({
            {number_of(token, "id")},
            {state, state == "live" ? Colour::green : Colour::grey},
            {text_of(token, "tenant")},
            {text_of(token, "role")},
            {"…" + text_of(token, "ending")},
            {distance(token, "created_at")},
            {distance(token, "expires_at")},
            {text_of(token, "label")},
        });
    }
    fmt::print(
        "{}",
        to_columns(
            {"ID", "STATE", "TENANT", "ROLE", "ENDS IN", "CREATED", "EXPIRES", "LABEL"}, rows
        )
    );
    if (rows.empty()) {
        fmt::print(
            stderr, "no tokens: tenant default is served to everybody on a loopback address\n"
        );
    }
    return exit_done;
}

int revoke(const Invocation& invocation)
{
    const std::string& id = invocation.arguments.front();
    if (!is_number(id)) {
        return complain(
            fmt::format("\"{}\" is not the id of a token; umavez token list shows them", shown(id)),
            exit_usage
        );
    }
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto revoked =
        desk->ask({.method = "POST", .path = fmt::format("/ops/tokens/{}/revoke", id)});
    if (!revoked) return revoked.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *revoked->text);
    } else {
        fmt::print("revoked token {}\n", id);
    }
    return exit_done;
}

}  // namespace

Command token_create_command()
{
    return {
        .name = "token create",
        .summary = "Make a token and print it once",
        .example = "umavez token create --tenant acme --role writer --label loja --expires-in 90d",
        .options = desk_options({
            {"--tenant", "NAME", "whose data it opens; * with role operator: everybody's"},
            {"--role", "ROLE", "reader, writer or operator"},
            {"--label", "TEXT", "who has it; shown in lists and in the audit"},
            {"--expires-in",
             "DURATION",
             "such as 90d; without it the token lives until it is revoked"},
        }),
        .takes_settings = true,
        .argument = {},
        .run = create,
    };
}

Command token_list_command()
{
    return {
        .name = "token list",
        .summary = "List tokens, without their secrets",
        .example = "umavez token list",
        .options = desk_options(),
        .takes_settings = true,
        .argument = {},
        .run = list,
    };
}

Command token_revoke_command()
{
    return {
        .name = "token revoke",
        .summary = "Revoke a token at once",
        .example = "umavez token revoke 3",
        .options = desk_options(),
        .takes_settings = true,
        .argument = "ID",
        .run = revoke,
    };
}

}  // namespace umavez
