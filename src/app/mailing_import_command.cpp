// umavez mailing import: a file becomes a mailing, and its progress is shown until every line is in.
//
// A server is sent the file. A process on this machine that has the database open is told where it lies.
// Where nobody has the database open, this process takes it in and reads it itself, under the lock of the
// mailing.

#include "app/commands.hpp"
#include "app/desk.hpp"
#include "app/mailing_commands.hpp"
#include "app/progress.hpp"
#include "app/read_input.hpp"
#include "app/upload_file.hpp"
#include "base/json_object.hpp"
#include "base/pause.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <future>
#include <utility>

namespace umavez {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t part_bytes_max = 1024 * 1024;  // the server has a smaller limit of its own
constexpr Duration look_period = std::chrono::milliseconds{250};

struct ImportWish {
    std::string path;  // absolute
    std::string filename;
    Fields fields;
};

std::expected<Fields, int> read_fields(const Invocation& invocation)
{
    Fields fields;
    for (const char* const name : {"assunto", "remetente", "incerteza", "dedupe"}) {
        if (auto value = invocation.find(fmt::format("--{}", name))) {
            fields.emplace_back(name, *std::move(value));
        }
    }
    for (const char* const name : {"texto", "html"}) {
        const std::string flag = fmt::format("--{}-file", name);
        const auto file = invocation.find(flag);
        if (!file) continue;
        auto text = read_input(*file, part_bytes_max);
        if (!text) {
            return std::unexpected(complain(flag + ": " + text.error().detail, exit_usage));
        }
        fields.emplace_back(name, *std::move(text));
    }
    return fields;
}

std::expected<ImportWish, int> read_wish(const Invocation& invocation)
{
    const std::filesystem::path path{invocation.arguments.front()};
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        return std::unexpected(complain(
            fmt::format("{} is not a file that can be read", shown(path.string())), exit_usage
        ));
    }
    auto fields = read_fields(invocation);
    if (!fields) return std::unexpected(fields.error());
    return ImportWish{
        .path = std::filesystem::absolute(path).string(),
        .filename = invocation.find("--filename").value_or(path.filename().string()),
        .fields = *std::move(fields),
    };
}

// Where the import went, and how its mailing is asked for.
struct Imported {
    Document answer;  // {"mailingId","status","created","filename"[,"contentDiffers"]}
    std::string path;
    bool has_server = false;

    // In what `path` answers.
    std::optional<JsonValue> mailing_of(const JsonValue& root) const
    {
        return has_server ? root : root.find("mailing");
    }
};

bool is_true(const JsonValue& object, std::string_view name)
{
    const auto value = object.find(name);
    return value && value->kind() == JsonKind::boolean && value->boolean();
}

std::int64_t integer_of(const JsonValue& object, std::string_view name)
{
    std::int64_t number = 0;
    const std::string text = number_of(object, name);
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::expected<Imported, int> import_to_server(
    const ServerAccess& server, const ImportWish& wish, Progress& progress
)
{
    std::string url = server.url;
    while (url.ends_with('/')) url.pop_back();
    const auto reply = upload_file(
        {.url = url + "/api/v1/mailings",
         .token = server.token,
         .path = wish.path,
         .filename = wish.filename,
         .fields = wish.fields},
        [&](std::int64_t sent, std::int64_t total) {
            progress.show({.what = "uploading", .bytes = sent, .bytes_total = total});
        }
    );
    progress.end();
    if (!reply) {
        return std::unexpected(complain(fmt::format(
            "the upload broke off ({}); run it again: the same name is the same mailing",
            reply.error().detail
        )));
    }
    auto answer = read_reply(*reply);
    if (!answer) return std::unexpected(answer.error());
    std::string path = "/api/v1/mailings/" + text_of(answer->root(), "mailingId");
    return Imported{*std::move(answer), std::move(path), true};
}

std::expected<Imported, int> import_here(
    DeskSession& desk, const ImportWish& wish, const std::string& tenant
)
{
    JsonObject body;
    body.text("path", wish.path).text("filename", wish.filename).text("tenant", tenant);
    for (const auto& [name, value] : wish.fields) body.text(name, value);
    auto answer = desk.ask({.method = "POST", .path = "/ops/mailings/import", .body = body.str()});
    if (!answer) return std::unexpected(answer.error());
    std::string path = mailing_path(text_of(answer->root(), "mailingId"));
    return Imported{*std::move(answer), std::move(path), false};
}

// Nothing more is to be expected of the ingestion.
bool is_settled(const JsonValue& mailing)
{
    const std::string status = text_of(mailing, "status");
    if (is_true(mailing, "ingested")) return true;
    return status == "DRAFT" || status == "PAUSED" || status == "FAILED" || status == "CANCELLED";
}

// What is waited for: whoever reads the file. That may be a thread of ours.
struct Waiting {
    bool is_wanted = true;
    std::future<Result<operators::Reply>> reading = {};

    // The code of a complaint, once our own reading failed. 409: somebody else reads it.
    std::optional<int> find_failure()
    {
        if (!reading.valid() ||
            reading.wait_for(std::chrono::seconds{0}) != std::future_status::ready) {
            return std::nullopt;
        }
        auto reply = reading.get();
        if (!reply) return complain(reply.error().detail);
        if (reply->status < 400 || reply->status == 409) return std::nullopt;
        return read_reply(*std::move(reply)).error();
    }
};

// Looks until every line is in, or nobody reads any more.
std::expected<Document, int> wait_for_lines(
    DeskSession& desk, const Imported& imported, Waiting waiting, Progress& progress
)
{
    progress.begin();
    for (;;) {
        if (const auto failed = waiting.find_failure()) return std::unexpected(*failed);
        auto shown_now = desk.ask({.path = imported.path});
        if (!shown_now) return shown_now;
        const auto mailing = imported.mailing_of(shown_now->root());
        if (!mailing) return std::unexpected(complain("the answer has no mailing"));
        if (!waiting.is_wanted || is_settled(*mailing)) return shown_now;
        const bool is_read = text_of(*mailing, "status") == "INGESTING";
        progress.show({
            .what = is_read ? "reading" : "waiting for a worker",
            .bytes = integer_of(*mailing, "readBytes"),
            .bytes_total = integer_of(*mailing, "contentBytes"),
            .lines = integer_of(*mailing, "readLines"),
        });
        pause_up_to(look_period);
    }
}

// One document: what became of the upload, and the mailing.
void print_json(const Imported& imported, const Document& mailing)
{
    std::string upload = *imported.answer.text;
    upload.erase(upload.find_last_of('}'));
    std::string now = *mailing.text;
    now.erase(now.find_last_not_of(" \r\n") + 1);
    if (imported.has_server) {
        fmt::print("{},\"mailing\":{}}}\n", upload, now);
    } else {
        fmt::print("{},{}\n", upload, now.substr(1));
    }
}

void print_summary(const Imported& imported, const JsonValue& mailing)
{
    const JsonValue answer = imported.answer.root();
    const std::string status = text_of(mailing, "status");
    fmt::print("{} {}\n", text_of(answer, "mailingId"), status);
    if (!is_true(answer, "created")) {
        fmt::print(stderr, "this file was uploaded before: nothing new was made\n");
    }
    if (is_true(mailing, "ingested")) {
        const auto counts = mailing.find("counts");
        if (!counts) return;
        fmt::print(
            stderr,
            "{} addresses; left out: {} duplicates, {} invalid lines\n",
            number_of(*counts, "entries"),
            number_of(*counts, "duplicates"),
            number_of(*counts, "invalid")
        );
    } else if (status == "DRAFT") {
        fmt::print(
            stderr, "it has no message yet: give it one (PATCH), then umavez mailing start\n"
        );
    }
    if (const std::string why = text_of(mailing, "error"); !why.empty()) {
        fmt::print(stderr, "{}\n", shown(why));
    }
}

int tell(const Invocation& invocation, const Imported& imported, const Document& found)
{
    const auto mailing = imported.mailing_of(found.root());
    if (!mailing) return complain("the answer has no mailing");
    if (invocation.has("--json")) {
        print_json(imported, found);
    } else {
        print_summary(imported, *mailing);
    }
    if (is_true(imported.answer.root(), "contentDiffers")) {
        return complain(
            "a file of this name was uploaded before with another content, which stands; give this "
            "one "
            "another name with --filename, or use --dedupe content"
        );
    }
    return text_of(*mailing, "status") == "FAILED" ? exit_failed : exit_done;
}

// Nobody else has the database open, or nobody has to: whoever gets the lock reads the file.
std::future<Result<operators::Reply>> read_here(DeskSession& desk, const Imported& imported)
{
    return std::async(std::launch::async, [&desk, path = imported.path + "/ingest"] {
        return desk.try_ask({.method = "POST", .path = path});
    });
}

int import_file(const Invocation& invocation)
{
    const auto wish = read_wish(invocation);
    if (!wish) return wish.error();
    const auto server = find_server(invocation);
    if (!server) return complain(server.error().detail);
    if (*server && invocation.has("--tenant")) {
        return complain("--tenant: with --server the token says whose mailing it is", exit_usage);
    }
    auto desk = DeskSession::open(invocation);
    if (!desk) return desk.error();
    Progress progress{invocation.has("--json")};
    auto imported =
        *server ? import_to_server(**server, *wish, progress)
                : import_here(*desk, *wish, invocation.find("--tenant").value_or("default"));
    if (!imported) return imported.error();
    Waiting waiting{.is_wanted = !invocation.has("--no-wait")};
    if (waiting.is_wanted && desk->is_own()) waiting.reading = read_here(*desk, *imported);
    const auto found = wait_for_lines(*desk, *imported, std::move(waiting), progress);
    progress.end();
    if (!found) return found.error();
    return tell(invocation, *imported, *found);
}

}  // namespace

Command mailing_import_command()
{
    return {
        .name = "mailing import",
        .summary = "Upload a CSV file as a mailing and watch it being read",
        .example =
            "umavez mailing import clientes.csv --assunto 'Olá, {{nome}}' --remetente "
            "'Loja <news@loja.example>' --texto-file oi.txt",
        .options = desk_options({
            {"--assunto", "TEXT", "subject; without a message the mailing waits as a draft"},
            {"--remetente", "MAILBOX", "sender, such as 'Loja <news@loja.example>'"},
            {"--texto-file", "FILE", "the text part; {{nome}} is a column of the file"},
            {"--html-file", "FILE", "the HTML part"},
            {"--incerteza", "HOW", "of mails that may have been sent: no-maximo-uma or ao-menos-uma"
            },
            {"--dedupe", "HOW", "what makes two uploads the same: filename or content"},
            {"--filename", "NAME", "what the mailing is called [the name of FILE]"},
            {"--tenant", "NAME", "whose it is, without --server [default]"},
            {"--no-wait", "", "do not wait until every line is read"},
        }),
        .takes_settings = true,
        .argument = "FILE",
        .run = import_file,
    };
}

}  // namespace umavez
