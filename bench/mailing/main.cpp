// bench_mailing [PAIRS] [PART]: the goals of Mailing, each next to its limit, on SQLite and on a private
// PostgreSQL, both durable. PART is one of ingest, send, relay.
//
// Ingestion: the same rows by the databases' own importers into the same table with the same constraints.
// They read rows that are ready; we read a list, check addresses and make tokens, under a lock. Sending:
// one thread of the worker next to a loop around libcurl, one connection each, to a sink that only
// answers. An overhead of half a mail is a ratio of 1.5. Another row has a server that does its work
// (aiosmtpd). Relay: our outbox to RabbitMQ next to librabbitmq alone, with the same window of confirms.

#include "mail/mime.hpp"
#include "mailing/bare_curl.hpp"
#include "mailing/bare_publisher.hpp"
#include "mailing/fast_sink.hpp"
#include "mailing/importers.hpp"
#include "mailing/list_files.hpp"
#include "mailing/mailing_side.hpp"
#include "mailing/relay_side.hpp"
#include "support/comparison.hpp"
#include "support/postgres_server.hpp"
#include "support/rabbitmq_server.hpp"
#include "support/scratch_folder.hpp"
#include "support/smtp_sink.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <string_view>

namespace umavez::bench {
namespace {

constexpr std::size_t ingested_rows = 100'000;
constexpr std::size_t mails = 4'000;
constexpr std::size_t slow_mails = 1'000;
constexpr std::size_t messages = 20'000;
constexpr std::size_t window = 500;
constexpr double share_goal = 0.5;
constexpr double mail_goal = 1.5;

// A fresh database for each window.
class Databases {
public:
    explicit Databases(const ScratchFolder& folder) : folder_(folder) {}

    using Use = std::function<double(const std::string& url)>;

    double with_sqlite(const Use& use)
    {
        const std::string file = folder_.file("bench.db");
        const double figure = use("sqlite:" + file);
        remove(file);
        return figure;
    }
    double with_postgres(const Use& use)
    {
        const test::PostgresSchema schema{server_};
        return use(schema.url("umavez_connections=8"));
    }
    test::PostgresServer& server() noexcept { return server_; }

    static void remove(const std::string& file)
    {
        for (const char* const end : {"", "-wal", "-shm", ".lock", ".sql"}) {
            std::filesystem::remove(file + end);
        }
    }

private:
    const ScratchFolder& folder_;
    test::PostgresServer server_{
        {.durable = true, .settings = {"shared_buffers=128MB"}, .parent = "/var/tmp"}
    };
};

void compare_ingestion(Table& table, Databases& databases, const ScratchFolder& folder)
{
    const ListFiles files{folder.file("list"), ingested_rows};
    std::filesystem::permissions(
        std::filesystem::path{files.postgres}.parent_path(),
        std::filesystem::perms::others_exec,
        std::filesystem::perm_options::add
    );
    const Databases::Use ingest = [&](const std::string& url) {
        MailingSide side{url};
        return static_cast<double>(files.rows) / side.ingest(files.upload, files.rows);
    };
    table.compare({
        .what = "ingestion, SQLite: rows/s / sqlite3 .import",
        .ours = [&] { return databases.with_sqlite(ingest); },
        .limit =
            [&] {
                const std::string file = folder.file("import.db");
                const double rate = sqlite_import(file, files);
                Databases::remove(file);
                return rate;
            },
        .goal = share_goal,
    });
    table.compare({
        .what = "ingestion, PostgreSQL: rows/s / \\copy",
        .ours = [&] { return databases.with_postgres(ingest); },
        .limit = [&] { return postgres_copy(databases.server(), files); },
        .goal = share_goal,
    });
}

std::string bare_content()
{
    return mail::to_mime({
        .from = bench_sender,
        .to = "pessoa00000001@cliente1.example",
        .subject = "Maria Aparecida 1, uma oferta em São Paulo",
        .text = bench_text(),
        .html = bench_html(),
        .message_id = mail::make_message_id("01890a5d", "ana@cliente.example", "loja.example"),
        .date = from_micros(1'760'000'000'000'000),
    });
}

void compare_sending(Table& table, Databases& databases, const ScratchFolder& folder)
{
    const FastSink fast;
    const test::SmtpSink working;
    const std::string content = bare_content();
    const ListFiles files{folder.file("mails"), mails};
    const ListFiles few{folder.file("few"), slow_mails};
    const auto microseconds = [](double seconds, std::size_t count) {
        return seconds * 1e6 / static_cast<double>(count);
    };
    const auto send = [&](const ListFiles& list, const std::string& to) -> Databases::Use {
        return [&, to](const std::string& url) {
            MailingSide side{url};
            side.ingest(list.upload, list.rows);
            return microseconds(side.send(to, list.rows), list.rows);
        };
    };
    const auto bare = [&](std::size_t count, const std::string& to) {
        return [&, count, to] { return microseconds(send_by_curl(to, content, count), count); };
    };
    table.compare({
        .what = "sending, SQLite: us/mail / bare libcurl",
        .ours = [&] { return databases.with_sqlite(send(files, fast.url())); },
        .limit = bare(mails, fast.url()),
        .goal = mail_goal,
        .kind = Goal::at_most,
    });
    table.compare({
        .what = "sending, PostgreSQL: us/mail / bare libcurl",
        .ours = [&] { return databases.with_postgres(send(files, fast.url())); },
        .limit = bare(mails, fast.url()),
        .goal = mail_goal,
        .kind = Goal::at_most,
    });
    table.compare({
        .what = "sending, SQLite, to aiosmtpd: us/mail / bare libcurl",
        .ours = [&] { return databases.with_sqlite(send(few, working.url())); },
        .limit = bare(slow_mails, working.url()),
        .goal = mail_goal,
        .kind = Goal::at_most,
    });
}

void compare_relay(Table& table, Databases& databases)
{
    const test::RabbitMqServer rabbitmq;
    int windows = 0;
    const auto publishing = [&] {
        return Publishing{
            .port = rabbitmq.port(),
            .prefix = fmt::format("bench{}", ++windows),
            .body = relayed_body(),
            .count = messages,
            .window = window,
        };
    };
    const auto bare = [&] { return static_cast<double>(messages) / publish_bare(publishing()); };
    const Databases::Use relay = [&](const std::string& url) {
        return static_cast<double>(messages) / relay_all(url, publishing());
    };
    table.compare({
        .what = "relay, SQLite: messages/s / bare librabbitmq",
        .ours = [&] { return databases.with_sqlite(relay); },
        .limit = bare,
        .goal = share_goal,
    });
    table.compare({
        .what = "relay, PostgreSQL: messages/s / bare librabbitmq",
        .ours = [&] { return databases.with_postgres(relay); },
        .limit = bare,
        .goal = share_goal,
    });
}

bool run(int pairs, std::string_view part)
{
    const ScratchFolder folder;
    Databases databases{folder};
    Table table{pairs};
    if (part.empty() || part == "ingest") compare_ingestion(table, databases, folder);
    if (part.empty() || part == "send") compare_sending(table, databases, folder);
    if (part.empty() || part == "relay") compare_relay(table, databases);
    return table.all_met();
}

}  // namespace
}  // namespace umavez::bench

int main(int argc, char** argv)
{
    try {
        const int pairs = argc > 1 ? std::atoi(argv[1]) : 0;
        return umavez::bench::run(pairs, argc > 2 ? argv[2] : "") ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return EXIT_FAILURE;
    }
}
