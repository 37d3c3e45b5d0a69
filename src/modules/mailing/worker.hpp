#pragma once

// MailingWorker: threads that ingest and send the mailings their messages name, and what keeps them honest:
// signs of life for the locks that are held, and a scan for what dead workers left.
//
// Any number of workers, in any number of processes, share the tables and the source. One mailing has one
// thread at a time; a mailing that fails or throws does not stop the thread.
//
// Thread-safe. Outlived by database and source. stop() lets the mail that is in hand come to its end,
// writes its result, and gives the locks back so that another process goes on at once.

#include "modules/mailing/run.hpp"
#include "work/every.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace umavez::mailing {

struct MailingWorkerOptions {
    std::size_t threads = 2;
    SendingRules sending = {};                            // with lock_timeout, batch and retry
    Duration recovery_period = std::chrono::seconds{60};  // between scans
    Duration forgotten =
        std::chrono::minutes{15};  // longer than sending.held_most: see recover.hpp
    double rate = 0;               // mails a second; 0: no limit
    std::string public_url = {};   // empty: no page to unsubscribe
    Duration no_transport_delay = std::chrono::seconds{30};
    Duration stop_grace = std::chrono::seconds{5};  // for the database, when it stops

    // Reads the file of a mailing: mailing::ingest with the storage folder.
    std::function<Result<Ingested>(const Locked&, const std::stop_token&)> ingest;
    // One for each thread. Empty: nothing can be sent, and mailings wait as QUEUED.
    std::function<Result<std::unique_ptr<mail::Transport>>()> make_transport = {};
    // Done with each scan: removes the files of mailings that are over.
    std::function<Result<void>(const std::stop_token&)> sweep_files = {};
    // For logs and metrics; called by many threads, throws nothing.
    std::function<void(const MailingEvent&)> on_event = {};

    const Clock* clock = nullptr;  // nullptr: the system's
    Random* random = nullptr;
};

class MailingWorker {
public:
    MailingWorker(
        Database& database, messaging::MessageSource& source, MailingWorkerOptions options
    );
    ~MailingWorker();
    MailingWorker(const MailingWorker&) = delete;
    MailingWorker& operator=(const MailingWorker&) = delete;

    // A message was committed in this process.
    void wake() { source_.wake(); }

    void stop();

    // Why something could not be done, if it could not; told once.
    std::optional<std::string> take_trouble();

private:
    void run(const std::stop_token& stop);
    std::unique_ptr<mail::Transport> open_transport();
    void work_on(
        const messaging::ReceivedMessage& message,
        mail::Transport* transport,
        const std::stop_token& stop
    );
    Result<void> dispose(const messaging::ReceivedMessage& message, const Disposal& disposal);
    void scan(const std::stop_token& stop);
    void recover_all(const std::stop_token& stop);
    void note_trouble(std::string detail);

    Database& database_;
    messaging::MessageSource& source_;
    const MailingWorkerOptions options_;
    Rate rate_;
    HeldLocks held_;
    const RunParts parts_;

    std::mutex mutex_;
    std::optional<std::string> trouble_;  // guarded by mutex_
    work::Every heartbeats_;
    work::Every scans_;
    std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace umavez::mailing
