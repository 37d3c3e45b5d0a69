// `umavez explain`: the story of a key for people, or as it came.

#include "app/commands.hpp"
#include "app/record_places.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace umavez {
namespace {

void print_line(std::string_view name, const std::string& value)
{
    if (!value.empty() && value != "-") fmt::print("  {:<12}{}\n", name, value);
}

// "201, 57 bytes", or that its body is gone.
std::string answer_of(const JsonValue& record)
{
    const auto answer = record.find("response");
    if (!answer || answer->kind() != JsonKind::object) return {};
    const auto omitted = answer->find("omitted");
    if (omitted && omitted->kind() == JsonKind::boolean && omitted->boolean()) {
        return number_of(*answer, "status") + ", too large to keep";
    }
    return fmt::format("{}, {} bytes", number_of(*answer, "status"), number_of(*answer, "bytes"));
}

void print_record(const JsonValue& record, const JsonValue& story)
{
    const std::string name = fmt::format(
        "{} / {} / {}",
        text_of(record, "tenant"),
        text_of(record, "operation"),
        text_of(record, "key")
    );
    const std::string state = text_of(story, "state");
    fmt::print("{}\n", painted(name, Colour::bold));
    print_line(
        "state", painted(state, colour_of(state)) + ", " + distance_of(record, "updated_at", story)
    );
    print_line("created", distance_of(record, "created_at", story));
    print_line("lease", distance_of(record, "lease_until", story));
    print_line("asks again", distance_of(record, "retry_at", story));
    print_line("expires", distance_of(record, "expires_at", story));
    print_line("attempts", number_of(record, "attempts"));
    print_line("epoch", number_of(record, "epoch"));
    print_line("answer", answer_of(record));
}

void print_timeline(const JsonValue& story)
{
    std::vector<std::vector<Cell>> rows;
    const auto timeline = story.find("timeline");
    if (!timeline || timeline->kind() != JsonKind::array) return;
    for (const JsonValue entry : timeline->elements()) {
        const std::string epoch = number_of(entry, "epoch");
        rows.push_back({
            {text_of(entry, "at"), Colour::grey},
            {distance_of(entry, "at", story)},
            {text_of(entry, "event")},
            {epoch.empty() ? "-" : epoch},
            {text_of(entry, "detail")},
        });
    }
    if (!rows.empty()) fmt::print("\n{}", to_columns({"AT", "", "EVENT", "EPOCH", "DETAIL"}, rows));
}

void print_story(const JsonValue& story)
{
    if (const auto record = story.find("record"); record && record->kind() == JsonKind::object) {
        print_record(*record, story);
    } else {
        print_line("state", "no record");
    }
    print_line("effect key", text_of(story, "effect_key"));
    fmt::print("\n{}\n", text_of(story, "meaning"));
    fmt::print("{} {}\n", painted("Next:", Colour::bold), text_of(story, "next"));
    print_timeline(story);
}

int explain(const Invocation& invocation)
{
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto place = find_place(*desk, invocation, Search::stories_too);
    if (!place) return place.error();
    const auto story = desk->ask({.path = *place});
    if (!story) return story.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *story->text);
    } else {
        print_story(story->root());
    }
    return exit_done;
}

}  // namespace

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

}  // namespace umavez
