// Commands about accounts of providers: accounts add, list, remove.

#include "app/commands.hpp"
#include "app/desk.hpp"
#include "app/people.hpp"
#include "app/record_places.hpp"
#include "base/json_object.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace umavez {
namespace {

// "stripe acct_1", or "stripe" for events that name no account.
std::string shown_account(const JsonValue& object)
{
    const std::string account = text_of(object, "account");
    return account.empty() ? text_of(object, "provider") + " (events without an account)"
                           : text_of(object, "provider") + " " + account;
}

std::expected<JsonObject, int> read_name(const Invocation& invocation)
{
    const auto provider = invocation.find("--provider");
    if (!provider) {
        return std::unexpected(
            complain("--provider is needed: the name of a [[webhook.provider]]", exit_usage)
        );
    }
    JsonObject body;
    body.text("provider", *provider).text("account", invocation.find("--account").value_or(""));
    return body;
}

int add(const Invocation& invocation)
{
    auto body = read_name(invocation);
    if (!body) return body.error();
    const auto tenant = invocation.find("--tenant");
    if (!tenant)
        return complain("--tenant is needed: whose the events of the account are", exit_usage);
    body->text("tenant", *tenant);
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto added = desk->ask({.method = "POST", .path = "/ops/accounts", .body = body->str()});
    if (!added) return added.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *added->text);
        return exit_done;
    }
    fmt::print(
        "{} belongs to {}\n", shown_account(added->root()), text_of(added->root(), "tenant")
    );
    return exit_done;
}

int remove(const Invocation& invocation)
{
    const auto body = read_name(invocation);
    if (!body) return body.error();
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto removed =
        desk->ask({.method = "POST", .path = "/ops/accounts/remove", .body = body->str()});
    if (!removed) return removed.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *removed->text);
        return exit_done;
    }
    fmt::print("removed {}\n", shown_account(removed->root()));
    return exit_done;
}

int list(const Invocation& invocation)
{
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto listed = desk->ask({.path = "/ops/accounts"});
    if (!listed) return listed.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *listed->text);
        return exit_done;
    }
    const auto accounts = listed->root().find("accounts");
    if (!accounts || accounts->kind() != JsonKind::array) {
        return complain("the answer lists no accounts");
    }
    std::vector<std::vector<Cell>> rows;
    for (const JsonValue account : accounts->elements()) {
        const std::string name = text_of(account, "account");
        rows.push_back({
            {text_of(account, "provider")},
            {name.empty() ? "-" : name},
            {text_of(account, "tenant")},
            {distance_of(account, "created_at", listed->root())},
        });
    }
    fmt::print("{}", to_columns({"PROVIDER", "ACCOUNT", "TENANT", "ADDED"}, rows));
    if (rows.empty()) {
        fmt::print(
            stderr, "no accounts: events wait until `umavez accounts add` says whose they are\n"
        );
    }
    return exit_done;
}

std::vector<CommandOption> name_options(std::vector<CommandOption> more = {})
{
    std::vector<CommandOption> options{
        {"--provider", "NAME", "the [[webhook.provider]]"},
        {"--account", "ACCOUNT", "as its events name it; left out: events that name none"},
    };
    options.insert(options.end(), more.begin(), more.end());
    return desk_options(std::move(options));
}

}  // namespace

Command accounts_add_command()
{
    return {
        .name = "accounts add",
        .summary = "Say whose the events of a provider's account are",
        .example = "umavez accounts add --provider stripe --account acct_1 --tenant loja",
        .options = name_options({{"--tenant", "NAME", "whose they are"}}),
        .takes_settings = true,
        .argument = {},
        .run = add,
    };
}

Command accounts_list_command()
{
    return {
        .name = "accounts list",
        .summary = "Accounts of providers and their tenants",
        .example = "umavez accounts list",
        .options = desk_options(),
        .takes_settings = true,
        .argument = {},
        .run = list,
    };
}

Command accounts_remove_command()
{
    return {
        .name = "accounts remove",
        .summary = "Forget whose an account is; its new events wait",
        .example = "umavez accounts remove --provider stripe --account acct_1",
        .options = name_options(),
        .takes_settings = true,
        .argument = {},
        .run = remove,
    };
}

}  // namespace umavez
