#include "app/record_places.hpp"

#include "base/rfc3339.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <set>

namespace umavez {

using operators::percent_encode;

Colour colour_of(std::string_view state)
{
    if (state == "succeeded") return Colour::green;
    if (state == "in doubt" || state == "abandoned") return Colour::red;
    if (state == "running") return Colour::yellow;
    return Colour::grey;
}

std::string distance_of(const JsonValue& object, std::string_view name, const JsonValue& clock)
{
    const auto at = parse_rfc3339(text_of(object, name));
    const auto now = parse_rfc3339(text_of(clock, "now"));
    return at && now ? to_distance(*at, *now) : "-";
}

bool is_empty_page(const JsonValue& page)
{
    const auto records = page.find("records");
    return !records || records->kind() != JsonKind::array || records->elements().size() == 0;
}

std::expected<Document, int> ask_page(
    DeskSession& desk, const std::string& filter, const std::string& cursor
)
{
    std::string query = filter;
    if (!cursor.empty()) {
        query += fmt::format("{}cursor={}", filter.empty() ? "" : "&", percent_encode(cursor));
    }
    return desk.ask({.path = "/ops/records", .query = std::move(query)});
}

std::expected<std::string, int> find_place(DeskSession& desk, const Invocation& invocation)
{
    const std::string& key = invocation.arguments.front();
    const auto place = [&key](const std::string& tenant, const std::string& operation) {
        return fmt::format(
            "/ops/records/{}/{}/{}",
            percent_encode(tenant),
            percent_encode(operation),
            percent_encode(key)
        );
    };
    const auto tenant = invocation.find("--tenant");
    const auto operation = invocation.find("--operation");
    if (tenant && operation) return place(*tenant, *operation);

    std::string query = "key=" + percent_encode(key);
    if (tenant) query += "&tenant=" + percent_encode(*tenant);
    if (operation) query += "&operation=" + percent_encode(*operation);
    // Filters go by how a key begins, so pages are walked to their end: another record of the same
    // key may lie on the last.
    std::set<std::string> places;
    std::string cursor;
    int pages = 0;
    do {
        const auto page = ask_page(desk, query, cursor);
        if (!page) return std::unexpected(page.error());
        cursor = text_of(page->root(), "next");
        if (is_empty_page(page->root())) continue;
        for (const JsonValue record : page->root().find("records")->elements()) {
            if (text_of(record, "key") != key) continue;
            places.insert(place(text_of(record, "tenant"), text_of(record, "operation")));
        }
    } while (!cursor.empty() && places.size() < 2 && ++pages < pages_max);
    if (places.size() == 1 && cursor.empty()) return *places.begin();
    if (places.empty() && cursor.empty()) {
        return std::unexpected(complain(fmt::format(
            "no record has the key \"{}\"; a swept one has a story under --tenant and --operation",
            shown(key)
        )));
    }
    for (const std::string& found : places) fmt::print("{}\n", found);
    return std::unexpected(complain(
        places.size() > 1
            ? "several records have this key; choose one with --tenant and --operation"
            : "too many keys begin like this one; say --tenant and --operation",
        exit_usage
    ));
}

std::vector<CommandOption> place_options(std::vector<CommandOption> more)
{
    std::vector<CommandOption> options{
        {"--tenant", "NAME", "the key's tenant, where it is not the only one"},
        {"--operation", "NAME", "the key's operation, where it is not the only one"},
    };
    options.insert(options.end(), more.begin(), more.end());
    return desk_options(std::move(options));
}

}  // namespace umavez
