// `umavez records`: a search, page by page.

#include "app/commands.hpp"
#include "app/record_places.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace umavez {
namespace {

void print_records(const JsonValue& page)
{
    std::vector<std::vector<Cell>> rows;
    const auto records = page.find("records");
    if (!records || records->kind() != JsonKind::array) return;
    for (const JsonValue record : records->elements()) {
        const std::string state = text_of(record, "state");
        rows.push_back({
            {state, colour_of(state)},
            {distance_of(record, "updated_at", page)},
            {number_of(record, "attempts")},
            {text_of(record, "tenant")},
            {text_of(record, "operation")},
            {text_of(record, "key")},
        });
    }
    fmt::print(
        "{}", to_columns({"STATE", "CHANGED", "ATTEMPTS", "TENANT", "OPERATION", "KEY"}, rows)
    );
}

// The first page that has something on it, or the last of all.
std::expected<Document, int> find_page(
    DeskSession& desk, const std::string& filter, std::string cursor
)
{
    for (int pages = 0;; ++pages) {
        auto page = ask_page(desk, filter, cursor);
        if (!page) return page;
        cursor = text_of(page->root(), "next");
        if (!is_empty_page(page->root()) || cursor.empty() || pages == search_pages_max)
            return page;
    }
}

int records(const Invocation& invocation)
{
    if (!check_word(invocation, "--status", {"processing", "succeeded", "failed", "in_doubt"}))
        return exit_usage;
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto page = find_page(
        *desk,
        query_of(invocation, {"status", "operation", "tenant", "key", "limit"}),
        invocation.find("--cursor").value_or("")
    );
    if (!page) return page.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *page->text);
        return exit_done;
    }
    print_records(page->root());
    if (is_empty_page(page->root())) fmt::print(stderr, "no records\n");
    if (const std::string next = text_of(page->root(), "next"); !next.empty()) {
        fmt::print(stderr, "more: add --cursor '{}'\n", next);
    }
    return exit_done;
}

}  // namespace

Command records_command()
{
    return {
        .name = "records",
        .summary = "Search records, newest first",
        .example = "umavez records --status in_doubt",
        .options = desk_options({
            {"--status", "STATUS", "processing, succeeded, failed or in_doubt"},
            {"--operation", "NAME", "of this operation"},
            {"--tenant", "NAME", "of this tenant"},
            {"--key", "PREFIX", "whose key begins with this"},
            {"--cursor", "CURSOR", "go on after a page"},
            {"--limit", "N", "at most so many, up to 200 [50]"},
        }),
        .takes_settings = true,
        .argument = {},
        .run = records,
    };
}

}  // namespace umavez
