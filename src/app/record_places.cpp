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

bool is_empty_page(const JsonValue& page, const char* of)
{
    const auto rows = page.find(of);
    return !rows || rows->kind() != JsonKind::array || rows->elements().size() == 0;
}

std::expected<Document, int> ask_page(
    DeskSession& desk, const std::string& filter, const std::string& cursor, const char* of
)
{
    std::string query = filter;
    if (!cursor.empty()) {
        query += fmt::format("{}cursor={}", filter.empty() ? "" : "&", percent_encode(cursor));
    }
    return desk.ask({.path = std::string{"/ops/"} + of, .query = std::move(query)});
}

namespace {

std::string to_place(
    const std::string& tenant, const std::string& operation, const std::string& key
)
{
    return fmt::format(
        "/ops/records/{}/{}/{}",
        percent_encode(tenant),
        percent_encode(operation),
        percent_encode(key)
    );
}

struct Places {
    std::set<std::string> places;
    bool is_whole = false;  // there are no others
};

// Pages are walked to their end: another record of the same key may lie on the last.
std::expected<Places, int> find_all_places(
    DeskSession& desk, const char* of, const std::string& query, const std::string& key
)
{
    Places found;
    std::string cursor;
    int pages = 0;
    do {
        const auto page = ask_page(desk, query, cursor, of);
        if (!page) return std::unexpected(page.error());
        cursor = text_of(page->root(), "next");
        if (is_empty_page(page->root(), of)) continue;
        for (const JsonValue row : page->root().find(of)->elements()) {
            if (text_of(row, "key") != key) continue;
            found.places.insert(to_place(text_of(row, "tenant"), text_of(row, "operation"), key));
        }
    } while (!cursor.empty() && found.places.size() < 2 && ++pages < search_pages_max);
    found.is_whole = cursor.empty();
    return found;
}

}  // namespace

std::expected<std::string, int> find_place(
    DeskSession& desk, const Invocation& invocation, Search search
)
{
    const std::string& key = invocation.arguments.front();
    const auto tenant = invocation.find("--tenant");
    const auto operation = invocation.find("--operation");
    if (tenant && operation) return to_place(*tenant, *operation, key);

    std::string query = "key=" + percent_encode(key);
    if (tenant) query += "&tenant=" + percent_encode(*tenant);
    if (operation) query += "&operation=" + percent_encode(*operation);
    auto found = find_all_places(desk, "records", query, key);
    if (found && found->places.empty() && found->is_whole && search == Search::stories_too) {
        found = find_all_places(desk, "stories", query, key);
    }
    if (!found) return std::unexpected(found.error());
    if (found->places.size() == 1 && found->is_whole) return *found->places.begin();
    if (found->places.empty() && found->is_whole) {
        return std::unexpected(complain(fmt::format(
            "no {} has the key \"{}\"",
            search == Search::stories_too ? "record and no story" : "record",
            shown(key)
        )));
    }
    for (const std::string& each : found->places) fmt::print("{}\n", each);
    return std::unexpected(complain(
        found->places.size() > 1 ? "this key is there several times; choose one with --tenant and "
                                   "--operation"
                                 : "there is too much to search; say --tenant and --operation",
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
