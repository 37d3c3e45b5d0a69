// `umavez serve`: opens the database, serves until a signal asks it to stop, and leaves nothing
// half-done.

#include "access/token_book.hpp"
#include "app/check_settings.hpp"
#include "app/commands.hpp"
#include "app/document_routes.hpp"
#include "app/load.hpp"
#include "app/request_log.hpp"
#include "app/routes.hpp"
#include "app/stop_signal.hpp"
#include "app/version.hpp"
#include "app/worker_trouble.hpp"
#include "database/sqlite/process.hpp"
#include "http/server.hpp"
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

// The order of the locals is the order of ownership: the server goes first, the database last.
int serve(const Settings& settings, bool has_worker)
{
    Log log{settings.log_level};
    Metrics metrics{std::string{program_version}};
    EngineOptions engine_options;
    if (!has_worker) engine_options.worker_period.reset();
    auto opened = open_all(settings, engine_options, {}, note_processed(log, &metrics));
    if (!opened) return complain(opened.error().detail);
    for (const std::string& warning : opened->engine->warnings())
        log.warning("policy", {{"detail", warning}});
    const auto tokens = access::TokenBook::open(*opened->database);
    if (!tokens) return complain("database: " + tokens.error().detail);
    if (const auto checked = check_listen(settings.listen, !(*tokens)->is_empty()); !checked)
        return complain(checked.error().detail);
    std::stop_source stopping;
    const operators::OperatorNeeds operator_needs{
        *opened->engine, *opened->database, **tokens, stopping.get_token()
    };
    const operators::LocalDesk desk{
        operator_needs, opened->modules.problems, more_operator_routes(operator_needs)
    };
    auto control = open_control_socket(settings, desk);
    if (!control) return complain("control socket: " + control.error().detail);

    const FileWatch files{database_path(settings)};
    Readiness readiness{*opened->database, files};
    SideThread side_thread;
    http::Router router;
    LastCount last_count;
    const RouteNeeds needs{
        *opened->database,
        *opened->engine,
        **tokens,
        metrics,
        side_thread,
        readiness,
        last_count,
        opened->modules.problems,
        settings.listen.is_loopback(),
    };
    add_common_routes(router, needs);
    for (key_protocol::CallRoute& route : operators::operator_routes(operator_needs)) {
        opened->modules.api.add(std::move(route));
    }
    for (key_protocol::CallRoute& route : more_operator_routes(operator_needs)) {
        opened->modules.api.add(std::move(route));
    }
    std::optional<WebhookWorkers> workers;
    if (has_worker) workers.emplace(opened->webhooks, *opened->engine, *opened->database);
    add_webhook_routes(router, needs, opened->webhooks, workers ? &*workers : nullptr);
    add_api_routes(router, std::move(opened->modules.api), needs, settings.idempotency);
    add_document_routes(router, opened->modules.problems);
    auto handler = [&router](http::Request request) { return router.answer(std::move(request)); };
    auto gate = [&router](const http::Request& head) { return router.enter(head); };
    auto server = http::Server::listen(
        {.address = settings.listen.address,
         .port = settings.listen.port,
         .threads = settings.http_threads,
         .tls = tls_files(settings)},
        handler,
        note_answers(log, metrics),
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
         {"version", program_version},
         {"pid", ::getpid()}}
    );

    WorkerTrouble trouble{*opened->engine, workers ? &*workers : nullptr, log};
    const char* const signal = wait_for_stop_signal(
        {.on_hangup = [&] { reload_certificate(**server, settings, log); },
         .every_second = [&] { trouble.tell(); }}
    );
    stopping.request_stop();  // a copy of a large database would hold up the end
    log.info("stopping", {{"signal", signal}});
    if (const std::size_t running = (*server)->stop(settings.drain_limit); running > 0) {
        // Their frames cannot be taken down while they run. Leases expire, transactions roll back.
        log.error("stopped_with_running_requests", {{"requests", running}});
        log.flush();
        std::_Exit(exit_failed);
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
        .options = {{"--no-worker", "", "leave webhooks, abandoned work and the sweep to `umavez worker`"}},
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
