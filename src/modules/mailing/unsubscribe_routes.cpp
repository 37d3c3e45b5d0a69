// /u/{token}. Scanners of mail programs follow every link with GET: only POST unsubscribes.

#include "http/parameters.hpp"
#include "http/problem.hpp"
#include "modules/mailing/entries_table.hpp"
#include "modules/mailing/routes.hpp"
#include "modules/mailing/schemas.hpp"
#include "modules/mailing/suppressions_table.hpp"
#include "modules/mailing/unsubscribe.hpp"

#include <utility>

namespace umavez::mailing {
namespace {

constexpr std::string_view pattern = "/u/{token}";
constexpr std::string_view reason = "descadastro";

// Whose link it is; nullopt: nobody was sent it.
Result<std::optional<EntryOwner>> find_recipient(Transaction& transaction, std::string_view text)
{
    const auto parsed = parse_unsubscribe_token(text);
    auto owner = find_entry_owner(transaction, parsed ? parsed->entry_id : 0);
    if (!owner) return owner;
    // Compared also where there is nobody, so that both take the same time.
    const bool is_same =
        is_same_token(parsed ? parsed->token : text, *owner ? (*owner)->token : std::string{});
    if (!*owner || !is_same) return std::nullopt;
    return owner;
}

http::Response unavailable(const Error& error, const http::Request& request)
{
    http::Problem problem = http::problem_for(503);
    problem.headers.push_back({"Retry-After", "1"});
    problem.cause = error.detail;
    return http::to_response(problem, request);
}

Task<http::Response> ask(Database& database, http::Request request)
{
    const std::string text{http::get_parameter(request, "token")};
    bool is_known = false;
    Closure look = [&](Transaction& transaction) -> Result<void> {
        const auto recipient = find_recipient(transaction, text);
        if (!recipient) return std::unexpected(recipient.error());
        is_known = recipient->has_value();
        return {};
    };
    auto looking = database.async_read(std::move(look));
    const auto looked = co_await std::move(looking);
    if (!looked) co_return unavailable(looked.error(), request);
    co_return show_unsubscribe_page(
        is_known ? UnsubscribePage::ask : UnsubscribePage::unknown,
        http::choose_language(request.headers)
    );
}

Task<http::Response> unsubscribe(Database& database, http::Request request)
{
    const std::string text{http::get_parameter(request, "token")};
    bool is_known = false;
    Closure write = [&](Transaction& transaction) -> Result<void> {
        const auto recipient = find_recipient(transaction, text);
        if (!recipient) return std::unexpected(recipient.error());
        is_known = recipient->has_value();
        if (!is_known) return {};
        const EntryOwner& owner = **recipient;
        const auto added =
            suppress(transaction, owner.tenant_id, owner.email, reason, owner.mailing_uuid);
        if (!added) return std::unexpected(added.error());
        return {};
    };
    auto writing = database.async_transact(std::move(write));
    const auto written = co_await std::move(writing);
    if (!written) co_return unavailable(written.error(), request);
    co_return show_unsubscribe_page(
        is_known ? UnsubscribePage::done : UnsubscribePage::unknown,
        http::choose_language(request.headers)
    );
}

http::Route declare_page(std::string method, std::string id, std::string summary)
{
    http::Route route =
        declare(std::move(method), std::string{pattern}, std::move(id), std::move(summary));
    route.path = {
        {.name = "token",
         .type = http::text({.max = 200}),
         .description = "as the message has it: `{{descadastro}}`"}
    };
    route.answers = {
        {.status = 200, .description = "A page", .body = http::text(), .media_type = "text/html"},
        {.status = 404,
         .description = "A page: there is no such link",
         .body = http::text(),
         .media_type = "text/html"},
    };
    route.security = http::Security::open;
    return route;
}

}  // namespace

void add_unsubscribe_routes(http::Router& router, Database& database)
{
    router.add(
        declare_page(
            "GET", "descadastro.mostrar", "The page of an unsubscribe link; changes nothing"
        ),
        [&database](http::Request request) { return ask(database, std::move(request)); }
    );
    http::Route post = declare_page("POST", "descadastro.confirmar", "Unsubscribe");
    post.description =
        "The address gets nothing more from this tenant. Safe to repeat. Mail programs send "
        "`List-Unsubscribe=One-Click` (RFC 8058); any body will do, and none.";
    post.body = http::Body{
        .schema = http::any(),
        .required = false,
        .media_types = {"application/x-www-form-urlencoded", "multipart/form-data"},
    };
    router.add(std::move(post), [&database](http::Request request) {
        return unsubscribe(database, std::move(request));
    });
}

}  // namespace umavez::mailing
