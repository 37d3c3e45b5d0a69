// umavez worker: the engine's background work alone, beside servers on the same database.

#include "app/check_settings.hpp"
#include "app/commands.hpp"
#include "app/fiscal_certificates.hpp"
#include "app/load.hpp"
#include "app/request_log.hpp"
#include "app/stop_signal.hpp"
#include "app/version.hpp"
#include "app/worker_trouble.hpp"

#include <cstdlib>
#include <unistd.h>

namespace umavez {
namespace {

int run_worker(const Settings& settings)
{
    Log log{settings.log_level};
    const auto opened =
        open_all(settings, {}, {}, note_processed(log, nullptr), note_fiscal(log, nullptr));
    if (!opened) return complain(opened.error().detail);
    for (const std::string& warning : opened->engine->warnings())
        log.warning("policy", {{"detail", warning}});
    log_certificates(settings.fiscal, log);
    log.info(
        "working",
        {{"database", opened->database->url()},
         {"smtp", shown_smtp(settings)},
         {"broker", shown_broker(settings)},
         {"version", program_version},
         {"pid", ::getpid()}}
    );
    WebhookWorkers webhooks{opened->webhooks, *opened->engine, *opened->database};
    auto mailings = MailingWorkers::start(settings, *opened->database, note_mailings(log, nullptr));
    if (!mailings) return complain(mailings.error().detail);
    fiscal::FiscalWorker fiscal{opened->fiscal->module(), fiscal_worker_options(settings)};
    WorkerTrouble trouble{*opened->engine, {&webhooks, mailings->get(), &fiscal}, log};
    const char* const signal = wait_for_stop_signal(
        {.on_hangup = [&] { log.info("nothing_to_reload", {{"signal", "SIGHUP"}}); },
         .every_second = [&] { trouble.tell(); }}
    );
    log.info("stopping", {{"signal", signal}});
    opened->fiscal->module().leave();
    if (!stops_within(settings.drain_limit, [&] { (*mailings)->stop(); })) {
        // What is being handed over is told as uncertain by whoever takes the mailing over.
        log.error("stopped_with_running_mails", {{"smtp", shown_smtp(settings)}});
        log.flush();
        std::_Exit(exit_failed);
    }
    if (!stops_within(settings.drain_limit, [&] { fiscal.stop(); })) {
        // What became of these documents is asked by whoever takes them over.
        log.error("stopped_with_running_calls");
        log.flush();
        std::_Exit(exit_failed);
    }
    webhooks.stop();
    opened->engine->stop();
    log.info("stopped");
    return exit_done;
}

}  // namespace

Command worker_command()
{
    return {
        .name = "worker",
        .summary =
            "Work on mailings, webhooks and fiscal documents, take over abandoned work and sweep "
            "until SIGTERM, "
            "without HTTP",
        .example =
            "umavez worker --database postgres://umavez_app@db.example/loja --broker "
            "amqp://mq.example "
            "--smtp smtp://mail.example",
        .options = {},
        .takes_settings = true,
        .argument = {},
        .run =
            [](const Invocation& invocation) {
                const auto settings = load_settings(invocation);
                if (!settings) return refuse_settings(settings.error());
                if (const auto checked = check_settings(*settings); !checked)
                    return complain(checked.error().detail);
                block_signals();
                return run_worker(*settings);
            },
    };
}

}  // namespace umavez
