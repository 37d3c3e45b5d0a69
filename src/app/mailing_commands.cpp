// Commands about mailings: mailing list, show, start, pause, resume, cancel, retry.

#include "app/mailing_commands.hpp"

#include "app/commands.hpp"
#include "app/desk.hpp"
#include "app/people.hpp"
#include "app/record_places.hpp"
#include "base/json_object.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace umavez {
namespace {

constexpr int recipients_per_page = 1000;

Colour colour_of_mailing(std::string_view status)
{
    if (status == "FAILED") return Colour::red;
    if (status == "COMPLETED") return Colour::green;
    if (status == "DRAFT" || status == "CANCELLED") return Colour::grey;
    return status == "PAUSED" || status == "PENDING" ? Colour::yellow : Colour::blue;
}

std::string count_of(const JsonValue& mailing, std::string_view name)
{
    const auto counts = mailing.find("counts");
    return counts ? number_of(*counts, name) : "";
}

std::vector<Cell> cells_of(const JsonValue& mailing, const JsonValue& page)
{
    const std::string status = text_of(mailing, "status");
    const std::string unknown = count_of(mailing, "unknown");
    return {
        {text_of(mailing, "mailingId")},
        {status, colour_of_mailing(status)},
        {distance_of(mailing, "createdAt", page)},
        {count_of(mailing, "entries")},
        {count_of(mailing, "sent")},
        {count_of(mailing, "failed")},
        {unknown, unknown == "0" ? Colour::none : Colour::yellow},
        {count_of(mailing, "pending")},
        {text_of(mailing, "tenant")},
        {shown(text_of(mailing, "filename"))},
        {shown(text_of(mailing, "error"))},
    };
}

int list(const Invocation& invocation)
{
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto page = desk->ask(
        {.path = "/ops/mailings",
         .query = query_of(invocation, {"tenant", "status", "cursor", "limit"})}
    );
    if (!page) return page.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *page->text);
        return exit_done;
    }
    const auto mailings = page->root().find("mailings");
    if (!mailings || mailings->kind() != JsonKind::array) {
        return complain("the answer lists no mailings");
    }
    std::vector<std::vector<Cell>> rows;
    for (const JsonValue mailing : mailings->elements()) {
        rows.push_back(cells_of(mailing, page->root()));
    }
    fmt::print(
        "{}",
        to_columns(
            {"ID",
             "STATUS",
             "UPLOADED",
             "ADDRESSES",
             "SENT",
             "FAILED",
             "UNKNOWN",
             "OPEN",
             "TENANT",
             "FILE",
             "WHY"},
            rows
        )
    );
    if (rows.empty()) fmt::print(stderr, "no mailings\n");
    if (const std::string next = number_of(page->root(), "next"); !next.empty()) {
        fmt::print(stderr, "more: add --cursor {}\n", next);
    }
    return exit_done;
}

// All of them, page by page. `each` is given every entry. Nullopt, or the code of a complaint.
template <typename Each>
std::optional<int> for_each_uncertain(DeskSession& desk, const std::string& id, const Each& each)
{
    std::string cursor = "0";
    while (!cursor.empty()) {
        const auto page = desk.ask(
            {.path = mailing_path(id) + "/entries",
             .query = fmt::format("uncertain=true&limit={}&cursor={}", recipients_per_page, cursor)}
        );
        if (!page) return page.error();
        const auto entries = page->root().find("entries");
        if (!entries || entries->kind() != JsonKind::array) {
            return complain("the answer lists no recipients");
        }
        for (const JsonValue entry : entries->elements()) each(entry);
        cursor = number_of(page->root(), "next");
    }
    return std::nullopt;
}

std::string to_recipient_json(const JsonValue& entry)
{
    JsonObject json;
    json.text("email", text_of(entry, "email"))
        .text("status", text_of(entry, "status"))
        .raw("line", number_of(entry, "line"))
        .text("lastAttempt", text_of(entry, "lastAttempt"));
    return json.str();
}

// One document: the mailing, and everybody who may have been sent to.
int show_json(DeskSession& desk, const std::string& id, const Document& found)
{
    std::vector<std::string> recipients;
    const auto failed = for_each_uncertain(desk, id, [&](const JsonValue& entry) {
        recipients.push_back(to_recipient_json(entry));
    });
    if (failed) return *failed;
    std::string document = *found.text;
    document.erase(document.find_last_of('}'));
    fmt::print("{},\"uncertainRecipients\":{}}}\n", document, to_json_array(recipients));
    return exit_done;
}

void print_mailing(const JsonValue& mailing)
{
    const std::string status = text_of(mailing, "status");
    fmt::print("{} {}\n", text_of(mailing, "mailingId"), shown(text_of(mailing, "filename")));
    fmt::print("  status      {}\n", painted(status, colour_of_mailing(status)));
    if (const std::string why = text_of(mailing, "error"); !why.empty()) {
        fmt::print("  why         {}\n", shown(why));
    }
    fmt::print("  tenant      {}\n", text_of(mailing, "tenant"));
    fmt::print("  subject     {}\n", shown(text_of(mailing, "assunto")));
    fmt::print("  sender      {}\n", shown(text_of(mailing, "remetente")));
    fmt::print("  uncertainty {}\n", text_of(mailing, "incerteza"));
    fmt::print("  uploaded    {}\n", text_of(mailing, "createdAt"));
    fmt::print("  changed     {}\n", text_of(mailing, "updatedAt"));
    fmt::print(
        "  read        {} of {} bytes, {} lines\n",
        number_of(mailing, "readBytes"),
        number_of(mailing, "contentBytes"),
        number_of(mailing, "readLines")
    );
    fmt::print(
        "  addresses   {} ({} duplicates, {} invalid lines left out)\n",
        count_of(mailing, "entries"),
        count_of(mailing, "duplicates"),
        count_of(mailing, "invalid")
    );
    for (const char* const name : {"sent", "failed", "unknown", "pending"}) {
        fmt::print("  {:<11} {}\n", name, count_of(mailing, name));
    }
}

int show(const Invocation& invocation)
{
    const auto id = read_mailing_id(invocation);
    if (!id) return exit_usage;
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto found = desk->ask({.path = mailing_path(*id)});
    if (!found) return found.error();
    if (invocation.has("--json")) return show_json(*desk, *id, *found);
    const auto mailing = found->root().find("mailing");
    if (!mailing) return complain("the answer has no mailing");
    print_mailing(*mailing);
    const std::string uncertain = number_of(found->root(), "uncertain");
    if (uncertain == "0") {
        fmt::print("\nno recipient is uncertain\n");
        return exit_done;
    }
    fmt::print("\n{} recipients may have been sent to when nobody knew:\n", uncertain);
    const auto failed = for_each_uncertain(*desk, *id, [](const JsonValue& entry) {
        fmt::print(
            "  {:<8} line {:<7} {}\n",
            text_of(entry, "status"),
            number_of(entry, "line"),
            shown(text_of(entry, "email"))
        );
    });
    return failed.value_or(exit_done);
}

int order(const Invocation& invocation, const char* word)
{
    const auto id = read_mailing_id(invocation);
    if (!id) return exit_usage;
    JsonObject body;
    if (invocation.has("--uncertain")) body.boolean("incertas", true);
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    const auto ordered = desk->ask(
        {.method = "POST", .path = fmt::format("{}/{}", mailing_path(*id), word), .body = body.str()
        }
    );
    if (!ordered) return ordered.error();
    if (invocation.has("--json")) {
        fmt::print("{}", *ordered->text);
    } else {
        fmt::print("mailing {} is {}\n", *id, text_of(ordered->root(), "status"));
    }
    return exit_done;
}

Command order_command(
    std::string verb, std::string summary, const char* word, std::vector<CommandOption> own = {}
)
{
    std::string name = "mailing " + verb;
    return {
        .name = name,
        .summary = std::move(summary),
        .example = "umavez " + name + " 01890a5d-ac96-774b-bcce-b302099a8057",
        .options = desk_options(std::move(own)),
        .takes_settings = true,
        .argument = "ID",
        .run = [word](const Invocation& invocation) { return order(invocation, word); },
    };
}

}  // namespace

std::string mailing_path(const std::string& id)
{
    return "/ops/mailings/" + operators::percent_encode(id);
}

std::optional<std::string> read_mailing_id(const Invocation& invocation)
{
    constexpr std::size_t uuid_size = 36;
    const std::string& id = invocation.arguments.front();
    if (id.size() == uuid_size && id.find_first_not_of("0123456789abcdef-") == std::string::npos) {
        return id;
    }
    complain(
        fmt::format("\"{}\" is not the id of a mailing; umavez mailing list shows them", shown(id)),
        exit_usage
    );
    return std::nullopt;
}

Command mailing_list_command()
{
    return {
        .name = "mailing list",
        .summary = "Mailings, newest first",
        .example = "umavez mailing list --status PROCESSING",
        .options = desk_options({
            {"--status", "STATUS", "DRAFT, QUEUED, INGESTING, PROCESSING, PAUSED, COMPLETED …"},
            {"--tenant", "NAME", "of this tenant"},
            {"--cursor", "N", "go on after a page"},
            {"--limit", "N", "at most so many, up to 200 [50]"},
        }),
        .takes_settings = true,
        .argument = {},
        .run = list,
    };
}

Command mailing_show_command()
{
    return {
        .name = "mailing show",
        .summary = "One mailing, its counts and every recipient that is uncertain",
        .example = "umavez mailing show 01890a5d-ac96-774b-bcce-b302099a8057",
        .options = desk_options(),
        .takes_settings = true,
        .argument = "ID",
        .run = show,
    };
}

Command mailing_start_command()
{
    return order_command("start", "Send a draft", "iniciar");
}

Command mailing_pause_command()
{
    return order_command(
        "pause", "Pause a mailing; its worker stops before the next batch", "pausar"
    );
}

Command mailing_resume_command()
{
    return order_command("resume", "Go on with a paused mailing", "retomar");
}

Command mailing_cancel_command()
{
    return order_command("cancel", "Give a mailing up; what was sent stays sent", "cancelar");
}

Command mailing_retry_command()
{
    return order_command(
        "retry",
        "Send to those again whose mail failed",
        "reenviar-falhas",
        {{"--uncertain", "", "also to those whose mail may have arrived: they may get it twice"}}
    );
}

}  // namespace umavez
