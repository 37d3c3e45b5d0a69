// Commands about records: records, explain, release, resolve, sweep.

#include "app/commands.hpp"
#include "app/desk.hpp"
#include "app/people.hpp"
#include "app/read_input.hpp"
#include "base/json_object.hpp"
#include "base/limits.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <set>

namespace umavez {
namespace {

using operators::percent_encode;
using operators::Wish;

// A search that finds nothing goes on for so many pages; each looks at 10,000 records.
constexpr int pages_max = 100;

Colour colour_of(const std::string& state)
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

std::string query_of(const Invocation& invocation)
{
    std::string query;
    for (const char* const name : {"status", "operation", "tenant", "key", "limit"}) {
        const auto value = invocation.find(std::string{"--"} + name);
        if (!value) continue;
        query += fmt::format("{}{}={}", query.empty() ? "" : "&", name, percent_encode(*value));
    }
    return query;
}

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

bool is_empty(const JsonValue& page)
{
    const auto records = page.find("records");
    return !records || records->kind() != JsonKind::array || records->elements().size() == 0;
}

std::optional<Document> ask_page(
    DeskSession& desk, const std::string& filter, const std::string& cursor
)
{
    std::string query = filter;
    if (!cursor.empty()) {
        query += fmt::format("{}cursor={}", filter.empty() ? "" : "&", percent_encode(cursor));
    }
    return desk.ask({.path = "/ops/records", .query = std::move(query)});
}

// The first page that has something on it, or the last of all.
std::optional<Document> find_page(DeskSession& desk, const std::string& filter, std::string cursor)
{
    for (int pages = 0;; ++pages) {
        auto page = ask_page(desk, filter, cursor);
        if (!page) return std::nullopt;
        cursor = text_of(page->root(), "next");
        if (!is_empty(page->root()) || cursor.empty() || pages == pages_max) return page;
    }
}

int records(const Invocation& invocation)
{
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto page =
        find_page(*desk, query_of(invocation), invocation.find("--cursor").value_or(""));
    if (!page) return exit_failed;
    if (invocation.has("--json")) {
        fmt::print("{}", *page->text);
        return exit_done;
    }
    print_records(page->root());
    if (is_empty(page->root())) fmt::print(stderr, "no records\n");
    if (const std::string next = text_of(page->root(), "next"); !next.empty()) {
        fmt::print(stderr, "more: add --cursor '{}'\n", next);
    }
    return exit_done;
}

// "/ops/records/acme/pedidos.criar/k1", from the flags, or found by the key alone.
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
    // Filters go by how a key begins, so pages are walked to their end: another record of the same key may
    // lie on the last.
    std::set<std::string> places;
    std::string cursor;
    int pages = 0;
    do {
        const auto page = ask_page(desk, query, cursor);
        if (!page) return std::unexpected(exit_failed);
        cursor = text_of(page->root(), "next");
        if (is_empty(page->root())) continue;
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

void print_line(std::string_view name, const std::string& value)
{
    if (!value.empty() && value != "-") fmt::print("  {:<12}{}\n", name, value);
}

void print_story(const JsonValue& story)
{
    const std::string state = text_of(story, "state");
    if (const auto record = story.find("record"); record && record->kind() == JsonKind::object) {
        fmt::print(
            "{}\n",
            painted(
                fmt::format(
                    "{} / {} / {}",
                    text_of(*record, "tenant"),
                    text_of(*record, "operation"),
                    text_of(*record, "key")
                ),
                Colour::bold
            )
        );
        print_line(
            "state",
            painted(state, colour_of(state)) + ", " + distance_of(*record, "updated_at", story)
        );
        print_line("created", distance_of(*record, "created_at", story));
        print_line("lease", distance_of(*record, "lease_until", story));
        print_line("asks again", distance_of(*record, "retry_at", story));
        print_line("expires", distance_of(*record, "expires_at", story));
        print_line("attempts", number_of(*record, "attempts"));
        print_line("epoch", number_of(*record, "epoch"));
        if (const auto answer = record->find("response");
            answer && answer->kind() == JsonKind::object) {
            print_line(
                "answer",
                number_of(*answer, "status") + ", " + number_of(*answer, "bytes") + " bytes"
            );
        }
    } else {
        print_line("state", "no record");
    }
    print_line("effect key", text_of(story, "effect_key"));
    fmt::print("\n{}\n", text_of(story, "meaning"));
    fmt::print("{} {}\n", painted("Next:", Colour::bold), text_of(story, "next"));

    std::vector<std::vector<Cell>> rows;
    const auto timeline = story.find("timeline");
    if (!timeline || timeline->kind() != JsonKind::array) return;
    for (const JsonValue entry : timeline->elements()) {
        rows.push_back({
            {text_of(entry, "at"), Colour::grey},
            {distance_of(entry, "at", story)},
            {text_of(entry, "event")},
            {number_of(entry, "epoch")},
            {text_of(entry, "detail")},
        });
    }
    if (!rows.empty()) fmt::print("\n{}", to_columns({"AT", "", "EVENT", "EPOCH", "DETAIL"}, rows));
}

int explain(const Invocation& invocation)
{
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto place = find_place(*desk, invocation);
    if (!place) return place.error();
    const auto story = desk->ask({.path = *place});
    if (!story) return exit_failed;
    if (invocation.has("--json")) {
        fmt::print("{}", *story->text);
    } else {
        print_story(story->root());
    }
    return exit_done;
}

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
    if (!changed) return exit_failed;
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
    if (as != "succeeded" && as != "failed") {
        return complain("--as is needed: succeeded or failed", exit_usage);
    }
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
    if (!swept) return exit_failed;
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

std::vector<CommandOption> place_options(std::vector<CommandOption> more = {})
{
    std::vector<CommandOption> options{
        {"--tenant", "NAME", "the key's tenant, where it is not the only one"},
        {"--operation", "NAME", "the key's operation, where it is not the only one"},
    };
    options.insert(options.end(), more.begin(), more.end());
    return desk_options(std::move(options));
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

Command explain_command()
{
    return {
        .name = "explain",
        .summary = "Tell the story of a key, and what to do about it",
        .example = "umavez explain 01890a5d-ac96-774b-bcce-b302099a8057",
        .options = place_options(),
        .takes_settings = true,
        .argument = "KEY",
        .run = explain,
    };
}

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
