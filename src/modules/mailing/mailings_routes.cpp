#include "http/parameters.hpp"
#include "modules/mailing/answers.hpp"
#include "modules/mailing/entries_table.hpp"
#include "modules/mailing/mailings_table.hpp"
#include "modules/mailing/module_routes.hpp"
#include "modules/mailing/schemas.hpp"
#include "modules/parts/route_parts.hpp"

#include <utility>

namespace umavez::mailing {
namespace {

using key_protocol::Exchange;
using key_protocol::OrProblem;
using key_protocol::ReadAction;
using key_protocol::ReadRoute;

using Shown = Result<OrProblem<http::Response>>;

ReadRoute listar()
{
    http::Route route =
        declare("GET", "/api/v1/mailings", "mailings.listar", "Mailings, page by page");
    route.query = modules::page_parameters();
    route.query.push_back(
        {.name = "status", .type = http::one_of(status_words()), .required = false}
    );
    route.answers = {modules::page_answer(mailing_schema())};
    route.problems = {"validation"};
    const auto read_filter = [](const http::Request& request) -> std::optional<Status> {
        const auto status = http::find_parameter(request, "status");
        return status ? parse_status(*status) : std::nullopt;
    };
    return modules::listing(std::move(route), read_filter, list_mailings);
}

Shown show(Transaction& transaction, const TenantId& tenant_id, const std::string& uuid)
{
    const auto found = find_mailing_head(transaction, tenant_id, uuid);
    if (!found) return std::unexpected(found.error());
    if (*found) return modules::to_http(to_response(200, **found));
    return OrProblem<http::Response>{std::unexpected(no_mailing(uuid))};
}

ReadRoute mostrar()
{
    http::Route route = declare(
        "GET", "/api/v1/mailings/{id}", "mailings.mostrar", "One mailing and how far it is"
    );
    route.path = {mailing_parameter()};
    route.answers = {
        {.status = 200,
         .description = "The mailing",
         .body = mailing_schema(),
         .example = mailing_example}
    };
    route.problems = {"not-found"};
    ReadRoute read{.route = std::move(route)};
    read.prepare = [](const Exchange& exchange) -> OrProblem<ReadAction> {
        return [tenant_id = exchange.caller.tenant_id,
                uuid = std::string{http::get_parameter(exchange.request, "id")
                }](Transaction& transaction) { return show(transaction, tenant_id, uuid); };
    };
    return read;
}

struct EntriesWish {
    TenantId tenant_id;
    std::string uuid;
    std::optional<EntryStatus> status;
    bool only_uncertain = false;
    modules::Page page;
};

Shown show_entries(Transaction& transaction, const EntriesWish& wish, const http::Request& request)
{
    const auto mailing = find_mailing_head(transaction, wish.tenant_id, wish.uuid);
    if (!mailing) return std::unexpected(mailing.error());
    if (!*mailing) return OrProblem<http::Response>{std::unexpected(no_mailing(wish.uuid))};
    if (wish.status == EntryStatus::invalid) {
        const auto lines = list_invalid_lines(transaction, (*mailing)->id, wish.page);
        if (!lines) return std::unexpected(lines.error());
        return modules::to_page_response(*lines, request);
    }
    const auto entries =
        list_entries(transaction, (*mailing)->id, {wish.status, wish.only_uncertain}, wish.page);
    if (!entries) return std::unexpected(entries.error());
    return modules::to_page_response(*entries, request);
}

OrProblem<ReadAction> prepare_entries(const Exchange& exchange)
{
    const auto page = modules::page_of(exchange);
    if (!page) return std::unexpected(page.error());
    EntriesWish wish{
        .tenant_id = exchange.caller.tenant_id,
        .uuid = std::string{http::get_parameter(exchange.request, "id")},
        .status = {},
        .page = *page,
    };
    if (const auto status = http::find_parameter(exchange.request, "status")) {
        wish.status = parse_entry_status(*status);
    }
    wish.only_uncertain = http::find_parameter(exchange.request, "uncertain") == "true";
    return [wish = std::move(wish), &request = exchange.request](Transaction& transaction) {
        return show_entries(transaction, wish, request);
    };
}

ReadRoute entradas()
{
    http::Route route = declare(
        "GET", "/api/v1/mailings/{id}/entries", "mailings.entries", "The recipients of a mailing"
    );
    route.description =
        "In the order of the file. `status=INVALID` lists the lines that are no address instead; "
        "`uncertain=true` only those that may have been sent when nobody knew, whatever became of "
        "them.";
    route.path = {mailing_parameter()};
    route.query = modules::page_parameters();
    route.query.push_back(
        {.name = "status", .type = http::one_of(entry_status_words()), .required = false}
    );
    route.query.push_back({.name = "uncertain", .type = http::boolean(), .required = false});
    route.answers = {modules::page_answer(entry_schema())};
    route.problems = {"validation", "not-found"};
    return {.route = std::move(route), .prepare = prepare_entries};
}

}  // namespace

void add_mailing_routes(key_protocol::Api& api)
{
    api.add(listar());
    api.add(mostrar());
    api.add(entradas());
}

}  // namespace umavez::mailing
