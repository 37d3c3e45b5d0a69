#pragma once

// Mailings of the program: what is made of their settings when the database is open.
//
// Thread-safe.

#include "app/settings.hpp"
#include "messaging/broker/broker_relay.hpp"
#include "messaging/message_source.hpp"
#include "modules/mailing/orders.hpp"
#include "modules/mailing/upload.hpp"
#include "modules/mailing/worker.hpp"
#include "telemetry/log.hpp"
#include "telemetry/metrics.hpp"

#include <umavez/transaction.hpp>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace umavez {

using OnMailing = std::function<void(const mailing::MailingEvent&)>;

// A line for each mailing that was taken, left, or found abandoned; mails are counted. Metrics may be null.
OnMailing note_mailings(Log& log, Metrics* metrics);

// The folder of uploads, made where it is not there. misconfigured: one that was chosen cannot be used, or it
// belongs to another database. store_unavailable: the default cannot be used.
Result<mailing::Storage> open_storage(const Settings& settings, Database& database);

// What the rules of mailings need to know of this deployment.
mailing::Premises premises_of(const Settings& settings);

// For uploads into the storage; `wake` is called after the commit of one that workers shall take.
mailing::UploadNeeds upload_needs(
    const Settings& settings,
    Database& database,
    const mailing::Storage& storage,
    std::function<void()> wake
);

// The file of a mailing whose lock is held, into entries.
Result<mailing::Ingested> ingest_file(
    const Settings& settings,
    Database& database,
    const mailing::Locked& locked,
    const std::stop_token& stop
);

// Reads and sends mailings, and carries messages to the broker where there is one, until it is destroyed.
class MailingWorkers {
public:
    // misconfigured: the broker's address, or a queue there that is not as ours must be. A broker or a mail
    // server that is away is no error: take_troubles tells. The database outlives it.
    static Result<std::unique_ptr<MailingWorkers>> start(
        const Settings& settings, Database& database, OnMailing on_event
    );
    ~MailingWorkers() { stop(); }
    MailingWorkers(const MailingWorkers&) = delete;
    MailingWorkers& operator=(const MailingWorkers&) = delete;

    // A message was committed in this process.
    void wake();

    // What is in hand comes to its end, locks and messages are given back.
    void stop();

    std::vector<std::string> take_troubles();

    // Also where there is none.
    bool is_broker_up() const;

private:
    MailingWorkers() = default;

    std::unique_ptr<messaging::BrokerRelay> relay_;
    std::unique_ptr<messaging::MessageSource> source_;
    std::unique_ptr<mailing::MailingWorker> worker_;  // last: it uses the source
};

// For the log, without passwords; empty where there is none.
std::string shown_smtp(const Settings& settings);
std::string shown_broker(const Settings& settings);

// Runs `stop` for at most `limit`. False: it did not come to its end and goes on in a thread of its own, so
// the process has to end while all that `stop` refers to is still there.
bool stops_within(Duration limit, std::function<void()> stop);

}  // namespace umavez
