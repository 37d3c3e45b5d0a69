#include "app/mailings.hpp"

#include "app/load.hpp"
#include "app/modules.hpp"
#include "mail/transport.hpp"
#include "messaging/broker/address.hpp"
#include "messaging/broker/broker_source.hpp"
#include "messaging/messages.hpp"
#include "messaging/table_source.hpp"
#include "modules/mailing/csv_layout.hpp"
#include "modules/mailing/ingest.hpp"
#include "modules/mailing/storage.hpp"
#include "modules/mailing/storage_claim.hpp"
#include "modules/mailing/storage_sweep.hpp"
#include "modules/mailing/wake_up.hpp"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <future>
#include <optional>
#include <thread>
#include <utility>

namespace umavez {
namespace {

messaging::BrokerOptions broker_options(const MailingSettings& settings)
{
    messaging::BrokerOptions options{.url = settings.broker};
    options.prefetch = static_cast<std::uint16_t>(settings.threads);
    return options;
}

Result<std::unique_ptr<messaging::MessageSource>> make_source(
    const MailingSettings& settings, Database& database
)
{
    const std::string queue{mailing::wake_up_queue};
    if (!settings.broker.empty()) {
        return messaging::make_broker_source(broker_options(settings), queue);
    }
    return messaging::make_table_source(database, queue, {.hidden = settings.lock_timeout});
}

Result<std::string> path_of(const std::string& folder, const std::string& url)
{
    const auto storage = mailing::Storage::open(folder);
    if (!storage) return std::unexpected(storage.error());
    return storage->path_of(url);
}

mailing::SendingRules sending_rules(const MailingSettings& settings)
{
    mailing::SendingRules rules;
    rules.batch = settings.batch;
    rules.lock_timeout = settings.lock_timeout;
    rules.retry = {
        .first = settings.retry_first,
        .longest = settings.retry_longest,
        .attempts_max = settings.attempts_max,
    };
    return rules;
}

// What the storage is rid of. Confined to the thread that calls it.
class FileSweep {
public:
    FileSweep(Settings settings, Database& database)
        : settings_(std::move(settings)), database_(database)
    {
    }

    // Throws nothing: it is a chore of a thread of its own.
    Result<void> operator()(const std::stop_token& stop)
    {
        try {
            return sweep(stop);
        } catch (const std::exception& thrown) {
            return fail(
                Errc::store_unavailable, fmt::format("files were not swept: {}", thrown.what())
            );
        }
    }

private:
    static constexpr Duration orphans_every = std::chrono::hours{1};

    Result<void> sweep(const std::stop_token& stop)
    {
        const std::string folder = storage_folder(settings_);
        std::error_code ignored;
        // A folder that was never made has nothing to sweep.
        if (!std::filesystem::exists(folder, ignored)) return {};
        const auto storage = open_storage(settings_, database_);
        if (!storage) return std::unexpected(storage.error());
        const auto over =
            mailing::sweep_over(database_, *storage, settings_.mailing.retention, stop);
        if (!over) return std::unexpected(over.error());
        const Duration now = system_clock().boottime();
        if (next_orphans_ && now < *next_orphans_) return {};
        next_orphans_ = now + orphans_every;
        const auto orphans =
            mailing::sweep_orphans(database_, *storage, system_clock(), mailing::orphan_age, stop);
        if (!orphans) return std::unexpected(orphans.error());
        return {};
    }

    Settings settings_;
    Database& database_;
    std::optional<Duration> next_orphans_;  // by boottime
};

mailing::MailingWorkerOptions worker_options(
    const Settings& settings, Database& database, OnMailing on_event
)
{
    const MailingSettings& wanted = settings.mailing;
    mailing::MailingWorkerOptions options;
    options.threads = wanted.threads;
    options.sending = sending_rules(wanted);
    options.recovery_period = wanted.recovery_period;
    options.rate = static_cast<double>(wanted.rate);
    options.public_url = wanted.public_url;
    options.ingest = [&database, settings](
                         const mailing::Locked& locked, const std::stop_token& stop
                     ) { return ingest_file(settings, database, locked, stop); };
    options.sweep_files = FileSweep{settings, database};
    if (!wanted.smtp.empty()) {
        options.make_transport = [url = wanted.smtp, timeout = wanted.smtp_timeout] {
            return mail::make_transport({.url = url, .answer_timeout = timeout});
        };
    }
    options.on_event = std::move(on_event);
    return options;
}

}  // namespace

Result<mailing::Storage> open_storage(const Settings& settings, Database& database)
{
    auto storage = mailing::Storage::open(storage_folder(settings));
    if (!storage && settings.mailing.storage.empty())
        return fail(Errc::store_unavailable, storage.error().detail);
    if (!storage) return storage;
    const bool is_postgres = dialect_of(settings) == Dialect::postgres;
    // Beside its database it can belong to no other one.
    if (!is_postgres && settings.mailing.storage.empty()) return storage;
    const auto identity = is_postgres ? mailing::postgres_identity(database)
                                      : Result<std::string>{"sqlite:" + database_path(settings)};
    if (!identity) return std::unexpected(identity.error());
    if (auto claimed = mailing::claim(*storage, *identity); !claimed)
        return std::unexpected(claimed.error());
    return storage;
}

mailing::Premises premises_of(const Settings& settings)
{
    return {
        .read_columns = [folder = storage_folder(settings)](const std::string& url
                        ) -> Result<std::vector<std::string>> {
            const auto path = path_of(folder, url);
            if (!path) return std::unexpected(path.error());
            return mailing::read_header(*path);
        },
        .has_public_url = !settings.mailing.public_url.empty(),
    };
}

mailing::UploadNeeds upload_needs(
    const Settings& settings,
    Database& database,
    const mailing::Storage& storage,
    std::function<void()> wake
)
{
    return {
        .database = database,
        .storage = storage,
        .append = messaging::append_message,
        .check_message = [has_public_url = !settings.mailing.public_url.empty()](
                             const mailing::Message& message, const std::string& path
                         ) { return mailing::check_message(message, path, has_public_url); },
        .wake = std::move(wake),
        .dedupes_by_content = settings.mailing.is_content_deduped,
        .bytes_max = settings.mailing.upload_bytes_max,
    };
}

Result<mailing::Ingested> ingest_file(
    const Settings& settings,
    Database& database,
    const mailing::Locked& locked,
    const std::stop_token& stop
)
{
    if (!locked.mailing.storage_url) {
        return mailing::Ingested{mailing::Unusable{"o arquivo deste mailing foi removido"}};
    }
    const auto path = path_of(storage_folder(settings), *locked.mailing.storage_url);
    if (!path) return std::unexpected(path.error());
    return mailing::ingest(database, locked, *path, stop);
}

OnMailing note_mailings(Log& log, Metrics* metrics)
{
    struct Note {
        Log& log;
        Metrics* metrics;

        void operator()(const mailing::MailingTaken& taken) const
        {
            log.info(
                "mailing_taken",
                {{"mailing", taken.uuid},
                 {"tenant", taken.tenant_id.text()},
                 {"status", mailing::to_text(taken.status)},
                 {"uncertain", taken.uncertain}}
            );
        }
        void operator()(const mailing::MailingEnded& ended) const
        {
            log.info(
                ended.was_lost ? "mailing_lost" : "mailing_ended",
                {{"mailing", ended.uuid},
                 {"tenant", ended.tenant_id.text()},
                 {"status", mailing::to_text(ended.status)},
                 {"sent", ended.counts.sent},
                 {"failed", ended.counts.failed},
                 {"unknown", ended.counts.unknown},
                 {"open", ended.counts.open()}}
            );
        }
        void operator()(const mailing::MailHandedOver& mail) const
        {
            if (metrics != nullptr) metrics->count_mail(mail::to_text(mail.verdict));
        }
        void operator()(const mailing::MailServerAway& away) const
        {
            log.warning(
                "mail_server_away",
                {{"mailing", away.uuid}, {"tenant", away.tenant_id.text()}, {"detail", away.detail}}
            );
        }
        void operator()(const mailing::MailServerBack& back) const
        {
            log.info(
                "mail_server_back", {{"mailing", back.uuid}, {"tenant", back.tenant_id.text()}}
            );
        }
        void operator()(const mailing::MailingFault& fault) const
        {
            log.warning(
                "mailing_fault",
                {{"mailing", fault.uuid},
                 {"tenant", fault.tenant_id.text()},
                 {"detail", fault.detail}}
            );
        }
        void operator()(const mailing::MailingsRecovered& recovered) const
        {
            log.warning(
                "mailings_recovered",
                {{"stale", recovered.stale},
                 {"woken", recovered.woken},
                 {"uncertain", recovered.uncertain}}
            );
        }
    };
    return [note = Note{log, metrics}](const mailing::MailingEvent& event) {
        std::visit(note, event);
    };
}

Result<std::unique_ptr<MailingWorkers>> MailingWorkers::start(
    const Settings& settings, Database& database, OnMailing on_event
)
{
    if (const auto storage = open_storage(settings, database);
        !storage && storage.error().code == Errc::misconfigured) {
        return std::unexpected(storage.error());
    }
    std::unique_ptr<MailingWorkers> workers{new MailingWorkers};
    auto source = make_source(settings.mailing, database);
    if (!source) return fail(source.error().code, "broker: " + source.error().detail);
    workers->source_ = *std::move(source);
    if (!settings.mailing.broker.empty()) {
        workers->relay_ =
            std::make_unique<messaging::BrokerRelay>(database, broker_options(settings.mailing));
    }
    workers->worker_ = std::make_unique<mailing::MailingWorker>(
        database, *workers->source_, worker_options(settings, database, std::move(on_event))
    );
    return workers;
}

void MailingWorkers::wake()
{
    if (relay_) relay_->wake();
    worker_->wake();
}

void MailingWorkers::stop()
{
    // Those who take messages first, then whoever brings them.
    if (worker_) worker_->stop();
    if (relay_) relay_->stop();
}

std::vector<std::string> MailingWorkers::take_troubles()
{
    std::vector<std::string> troubles;
    if (auto trouble = worker_->take_trouble()) troubles.push_back(*std::move(trouble));
    if (relay_) {
        if (auto trouble = relay_->take_trouble()) troubles.push_back("broker: " + *trouble);
    }
    return troubles;
}

bool MailingWorkers::is_broker_up() const
{
    return !relay_ || relay_->is_connected();
}

std::string shown_smtp(const Settings& settings)
{
    return settings.mailing.smtp.empty() ? "" : mail::shown_url(settings.mailing.smtp);
}

std::string shown_broker(const Settings& settings)
{
    if (settings.mailing.broker.empty()) return "";
    const auto address = messaging::parse_broker_address(settings.mailing.broker);
    return address ? address->shown() : "";
}

bool stops_within(Duration limit, std::function<void()> stop)
{
    // The thread may outlive this frame: what it uses is its own.
    const auto promise = std::make_shared<std::promise<void>>();
    auto done = promise->get_future();
    std::thread stopping{[promise, stop = std::move(stop)] {
        stop();
        promise->set_value();
    }};
    if (done.wait_for(limit) != std::future_status::ready) {
        stopping.detach();
        return false;
    }
    stopping.join();
    return true;
}

}  // namespace umavez
