// Which account of a provider belongs to which tenant.

#include "base/json_object.hpp"
#include "operators/body_fields.hpp"
#include "operators/refusals.hpp"
#include "operators/route_parts.hpp"
#include "webhook/inbox/accounts_table.hpp"
#include "webhook/inbox/documents.hpp"
#include "webhook/inbox/operator_routes.hpp"

#include <algorithm>
#include <utility>

namespace umavez::webhook {
namespace {

using key_protocol::CallRoute;
using key_protocol::Exchange;
using key_protocol::OrProblem;
using operators::Answer;
using operators::declare;
using operators::find_text;
using operators::ok;
using operators::OperatorNeeds;
using operators::problem_of;
using operators::wrong_field;

constexpr std::size_t provider_max = 64;
constexpr std::size_t account_max = 255;

bool has_controls(std::string_view text)
{
    return std::ranges::any_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

struct AccountName {
    std::string provider;
    std::string account;
};

OrProblem<AccountName> read_name(const Exchange& exchange)
{
    if (auto refused = operators::refuse_unless_all_tenants(exchange.caller)) {
        return std::unexpected(*std::move(refused));
    }
    if (auto unknown = operators::refuse_unknown(exchange, {"provider", "account", "tenant"})) {
        return std::unexpected(*std::move(unknown));
    }
    for (const char* const field : {"provider", "account", "tenant"}) {
        const auto text = find_text(exchange, field);
        if (operators::has_field(exchange, field) && (!text || has_controls(*text))) {
            return std::unexpected(
                wrong_field(field, "must be a text without control characters", exchange.language)
            );
        }
    }
    AccountName name{
        find_text(exchange, "provider").value_or(""), find_text(exchange, "account").value_or("")
    };
    if (name.provider.empty() || name.provider.size() > provider_max) {
        return std::unexpected(
            wrong_field("provider", "write the name of a [[webhook.provider]]", exchange.language)
        );
    }
    if (name.account.size() > account_max) {
        return std::unexpected(wrong_field("account", "has at most 255 bytes", exchange.language));
    }
    return name;
}

http::Problem of_another_tenant(const AccountName& name)
{
    return {
        .name = "account-taken",
        .members =
            {http::text_member("provider", name.provider),
             http::text_member("account", name.account)},
    };
}

Task<Answer> add(OperatorNeeds needs, const Exchange& exchange)
{
    const auto name = read_name(exchange);
    if (!name) co_return std::unexpected(name.error());
    const auto tenant = TenantId::parse(find_text(exchange, "tenant").value_or(""));
    if (!tenant) {
        co_return std::unexpected(wrong_field("tenant", tenant.error().detail, exchange.language));
    }
    // Where workers keep the records of their runs.
    if (tenant->text().starts_with('_')) {
        co_return std::unexpected(
            wrong_field("tenant", "a name that begins with _ is ours", exchange.language)
        );
    }
    AccountAdded added = AccountAdded::added;
    Closure closure = [&](Transaction& transaction) -> Result<void> {
        const auto done = add_account(transaction, name->provider, name->account, *tenant);
        if (!done) return std::unexpected(done.error());
        added = *done;
        return {};
    };
    auto writing = needs.database.async_transact(std::move(closure));
    const auto done = co_await std::move(writing);
    if (!done) co_return std::unexpected(problem_of(done.error()));
    if (added == AccountAdded::of_another_tenant)
        co_return std::unexpected(of_another_tenant(*name));
    co_return ok(JsonObject{}
                     .text("provider", name->provider)
                     .text("account", name->account)
                     .text("tenant", tenant->text())
                     .boolean("added", added == AccountAdded::added)
                     .str());
}

Task<Answer> remove(OperatorNeeds needs, const Exchange& exchange)
{
    const auto name = read_name(exchange);
    if (!name) co_return std::unexpected(name.error());
    bool is_removed = false;
    Closure closure = [&](Transaction& transaction) -> Result<void> {
        const auto done = remove_account(transaction, name->provider, name->account, std::nullopt);
        if (!done) return std::unexpected(done.error());
        is_removed = *done;
        return {};
    };
    auto writing = needs.database.async_transact(std::move(closure));
    const auto done = co_await std::move(writing);
    if (!done) co_return std::unexpected(problem_of(done.error()));
    if (!is_removed) co_return std::unexpected(operators::not_found("such account"));
    co_return ok(JsonObject{}
                     .text("provider", name->provider)
                     .text("account", name->account)
                     .boolean("removed", true)
                     .str());
}

Task<Answer> list(OperatorNeeds needs, const Exchange& exchange)
{
    std::optional<TenantId> tenant;
    if (!exchange.caller.all_tenants) tenant = exchange.caller.tenant_id;
    std::vector<ProviderAccount> accounts;
    Closure closure = [&](Transaction& transaction) -> Result<void> {
        auto listed = list_accounts(transaction, tenant);
        if (!listed) return std::unexpected(listed.error());
        accounts = *std::move(listed);
        return {};
    };
    auto reading = needs.database.async_read(std::move(closure));
    const auto done = co_await std::move(reading);
    if (!done) co_return std::unexpected(problem_of(done.error()));
    const auto one = [](const ProviderAccount& account) { return to_json(account); };
    co_return ok(JsonObject{}
                     .raw("accounts", to_json_array(accounts, one))
                     .instant("now", system_clock().realtime())
                     .str());
}

std::vector<http::Field> name_fields()
{
    return {
        {.name = "provider", .type = http::text({.max = 64, .min = 1})},
        {.name = "account",
         .type = http::text({.max = 255}),
         .description = "As the events name it; left out: for events that name none",
         .required = false},
    };
}

}  // namespace

std::vector<CallRoute> account_routes(const OperatorNeeds& needs)
{
    http::Route listing =
        declare("GET", "/ops/accounts", "accounts.list", "Accounts of providers and their tenants");
    listing.answers.push_back({.status = 200, .description = "all of them"});
    http::Route adding =
        declare("POST", "/ops/accounts", "accounts.add", "Say whose the events of an account are");
    std::vector<http::Field> fields = name_fields();
    fields.push_back({.name = "tenant", .type = http::text({.max = 64, .min = 1})});
    adding.body = http::Body{
        .schema = http::object(std::move(fields)),
        .example = R"({"provider":"stripe","account":"acct_1","tenant":"loja"})",
    };
    adding.answers.push_back({.status = 200, .description = "added, now or before"});
    adding.problems.insert(adding.problems.end(), {"validation", "account-taken"});
    http::Route removing =
        declare("POST", "/ops/accounts/remove", "accounts.remove", "Forget whose an account is");
    removing.body = http::Body{.schema = http::object(name_fields())};
    removing.answers.push_back({.status = 200, .description = "removed"});
    removing.problems.insert(removing.problems.end(), {"validation", "not-found"});
    return {
        bound(needs, std::move(listing), list),
        bound(needs, std::move(adding), add),
        bound(needs, std::move(removing), remove),
    };
}

}  // namespace umavez::webhook
