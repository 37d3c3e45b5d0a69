// `umavez serve`: opens the database, serves until a signal asks it to stop, and leaves nothing
// half-done.

#include "access/token_book.hpp"
#include "app/check_settings.hpp"
#include "app/commands.hpp"
#include "app/document_routes.hpp"
#include "app/fiscal_certificates.hpp"
#include "app/load.hpp"
#include "app/mailings.hpp"
#include "app/request_log.hpp"
#include "app/routes.hpp"
#include "app/stop_signal.hpp"
#include "app/version.hpp"
#include "app/worker_trouble.hpp"
#include "database/sqlite/process.hpp"
#include "http/server.hpp"
#include "modules/mailing/routes.hpp"
#include "modules/mailing/upload.hpp"
#include "operators/control_socket.hpp"
#include "operators/local_desk.hpp"
#include "operators/operator_routes.hpp"
#include "telemetry/log.hpp"

#include <cstdlib>
#include <stop_token>
#include <sys/resource.h>
#include <unistd.h>

namespace umavez {
namespace {

void reload_certificate(http::Server& server, const Settings& settings, Log& log)
{
    if (settings.tls_cert.empty()) {
        log.info("nothing_to_reload", {{"signal", "SIGHUP"}});
    } else if (const auto reloaded = server.reload_tls(); !reloaded) {
        log.error("certificate_kept", {{"detail", reloaded.error().detail}});
    } else {
        log.info("certificate_reloaded", {{"file", settings.tls_cert}});
    }
}

std::optional<http::TlsFiles> tls_files(const Settings& settings)
{
    if (settings.tls_cert.empty()) return std::nullopt;
    return http::TlsFiles{settings.tls_cert, settings.tls_key};
}

// Every connection is a file; the soft limit is often 1024.
void raise_file_limit()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

Result<std::unique_ptr<operators::ControlSocket>> open_control_socket(
    const Settings& settings, const operators::LocalDesk& desk
)
{
    const std::string path = control_socket_path(settings);
    if (path.empty()) return nullptr;
    return operators::ControlSocket::open(path, [&desk](std::string_view line) {
        return desk.answer_line(line);
    });
}

// The folder of uploads. One that was chosen must be usable; without the default uploads alone are refused.
Result<std::optional<mailing::Storage>> open_uploads(
    const Settings& settings, Database& database, Log& log
)
{
    auto storage = open_storage(settings, database);
    if (storage) return *std::move(storage);
    if (storage.error().code == Errc::misconfigured) return std::unexpected(storage.error());
    log.warning("uploads_refused", {{"detail", storage.error().detail}});
    return std::nullopt;
}

http::UploadOptions upload_options(
    const Settings& settings,
    const std::optional<mailing::Storage>& storage,
    const http::Router& router
)
{
    return {
        .folder = storage ? storage->folder() : "",
        .bytes_max = settings.mailing.upload_bytes_max,
        .is_upload = [&router](const http::Request& head) { return router.is_upload(head); },
    };
}

// Orders that came over HTTP are committed when they are answered.
http::OnAnswered waking(http::OnAnswered inner, MailingWorkers* mailings)
{
    if (mailings == nullptr) return inner;
    return [inner = std::move(inner), mailings](const http::Answered& answered) {
        inner(answered);
        const bool is_order =
            answered.method == "POST" && answered.route.starts_with("/api/v1/mailings/");
        if (is_order && answered.status < 300) mailings->wake();
    };
}

// Ends the process where what runs does not end: leases expire, transactions roll back, and what is being
// handed over to a mail server is told as uncertain by whoever takes its mailing over.
[[noreturn]] void end_without(Log& log, const char* event, const LogField& running)
{
    log.error(event, {running});
    log.flush();
    std::_Exit(exit_failed);
}

// The order of the locals is the order of ownership: the server goes first, the database last.
int serve(const Settings& settings, bool has_worker)
{
    Log log{settings.log_level};
    Metrics metrics{std::string{program_version}};
    EngineOptions engine_options;
    if (!has_worker) engine_options.worker_period.reset();
    auto opened = open_all(
        settings, engine_options, {}, note_processed(log, &metrics), note_fiscal(log, &metrics)
    );
    if (!opened) return complain(opened.error().detail);
    for (const std::string& warning : opened->engine->warnings())
        log.warning("policy", {{"detail", warning}});
    log_certificates(settings.fiscal, log);
    const auto tokens = access::TokenBook::open(*opened->database);
    if (!tokens) return complain("database: " + tokens.error().detail);
    if (const auto checked = check_listen(settings, !(*tokens)->is_empty()); !checked)
        return complain(checked.error().detail);
    std::stop_source stopping;
    const operators::OperatorNeeds operator_needs{
        *opened->engine, *opened->database, **tokens, stopping.get_token()
    };
    const auto storage = open_uploads(settings, *opened->database, log);
    if (!storage) return complain(storage.error().detail);
    std::unique_ptr<MailingWorkers> mailings;
    if (has_worker) {
        auto started =
            MailingWorkers::start(settings, *opened->database, note_mailings(log, &metrics));
        if (!started) return complain(started.error().detail);
        mailings = *std::move(started);
    }
    const auto wake_mailings = [&mailings] {
        if (mailings) mailings->wake();
    };
    const operators::LocalDesk desk{
        operator_needs,
        opened->modules.problems,
        more_local_routes(operator_needs, settings, *opened->fiscal, wake_mailings)
    };
    auto control = open_control_socket(settings, desk);
    if (!control) return complain("control socket: " + control.error().detail);

    const FileWatch files{database_path(settings)};
    Readiness readiness{*opened->database, files};
    SideThreads side_thread;
    http::Router router;
    LastCount last_count;
    LastValue<EngineSnapshot::Mailings> last_mailings;
    LastValue<EngineSnapshot::Fiscal> last_fiscal;
    const RouteNeeds needs{
        *opened->database,
        *opened->engine,
        **tokens,
        metrics,
        side_thread,
        readiness,
        last_count,
        opened->modules.problems,
        last_mailings,
        last_fiscal,
        opened->fiscal->authorities(),
        mailings.get(),
        settings.listen.is_loopback(),
    };
    add_common_routes(router, needs);
    for (key_protocol::CallRoute& route : operators::operator_routes(operator_needs)) {
        opened->modules.api.add(std::move(route));
    }
    for (key_protocol::CallRoute& route :
         more_operator_routes(operator_needs, settings, *opened->fiscal, wake_mailings)) {
        opened->modules.api.add(std::move(route));
    }
    std::optional<WebhookWorkers> workers;
    if (has_worker) workers.emplace(opened->webhooks, *opened->engine, *opened->database);
    fiscal::Module& documents = opened->fiscal->module();
    for (const std::string& authority : opened->fiscal->authorities()) {
        metrics.expect_fiscal_calls(authority, fiscal_words());
    }
    std::optional<fiscal::FiscalWorker> fiscal_worker;
    if (has_worker) fiscal_worker.emplace(documents, fiscal_worker_options(settings));
    add_webhook_routes(router, needs, opened->webhooks, workers ? &*workers : nullptr);
    if (*storage) {
        mailing::add_upload_route(
            opened->modules.api, upload_needs(settings, *opened->database, **storage, wake_mailings)
        );
    }
    mailing::add_unsubscribe_routes(router, *opened->database);
    add_api_routes(router, std::move(opened->modules.api), needs, settings.idempotency);
    add_document_routes(router, opened->modules.problems);
    auto handler = [&router](http::Request request) { return router.answer(std::move(request)); };
    auto gate = [&router](const http::Request& head) { return router.enter(head); };
    auto server = http::Server::listen(
        {.address = settings.listen.address,
         .port = settings.listen.port,
         .threads = settings.http_threads,
         .tls = tls_files(settings),
         .uploads = upload_options(settings, *storage, router)},
        handler,
        waking(note_answers(log, metrics), mailings.get()),
        gate
    );
    if (!server) return complain(server.error().detail);
    (*server)->start();
    log.info(
        "listening",
        {{"address", settings.listen.address},
         {"port", (*server)->port()},
         {"scheme", settings.tls_cert.empty() ? "http" : "https"},
         {"database", opened->database->url()},
         {"smtp", shown_smtp(settings)},
         {"broker", shown_broker(settings)},
         {"version", program_version},
         {"pid", ::getpid()}}
    );

    WorkerTrouble trouble{
        *opened->engine,
        {workers ? &*workers : nullptr, mailings.get(), fiscal_worker ? &*fiscal_worker : nullptr},
        log
    };
    const char* const signal = wait_for_stop_signal(
        {.on_hangup = [&] { reload_certificate(**server, settings, log); },
         .every_second = [&] { trouble.tell(); }}
    );
    stopping.request_stop();  // a copy of a large database would hold up the end
    log.info("stopping", {{"signal", signal}});
    documents.leave();
    const CutCalls cut{documents, settings.drain_limit / 2};
    if (const std::size_t running = (*server)->stop(settings.drain_limit); running > 0) {
        // Their frames cannot be taken down while they run.
        end_without(log, "stopped_with_running_requests", {"requests", running});
    }
    if (mailings && !stops_within(settings.drain_limit, [&] { mailings->stop(); })) {
        end_without(log, "stopped_with_running_mails", {"smtp", shown_smtp(settings)});
    }
    if (fiscal_worker && !stops_within(settings.drain_limit, [&] { fiscal_worker->stop(); })) {
        // What became of these documents is asked by whoever takes them over.
        end_without(
            log,
            "stopped_with_running_calls",
            {"drain_limit_s", settings.drain_limit / std::chrono::seconds{1}}
        );
    }
    if (workers) workers->stop();
    opened->engine->stop();
    log.info("stopped");
    return exit_done;
}

}  // namespace

Command serve_command()
{
    return {
        .name = "serve",
        .summary = "Serve HTTP until SIGTERM",
        .example = "umavez serve --listen 127.0.0.1:8080 --database sqlite:umavez.db",
        .options =
            {{"--no-worker",
              "",
              "leave mailings, webhooks, fiscal documents, abandoned work and the sweep to `umavez "
              "worker`"}},
        .takes_settings = true,
        .argument = {},
        .run =
            [](const Invocation& invocation) {
                const auto settings = load_settings(invocation);
                if (!settings) return refuse_settings(settings.error());
                if (const auto checked = check_settings(*settings); !checked)
                    return complain(checked.error().detail);
                block_signals();
                raise_file_limit();
                let_sqlite_count_no_memory();
                return serve(*settings, !invocation.has("--no-worker"));
            },
    };
}

}  // namespace umavez
