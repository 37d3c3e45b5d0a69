#pragma once

// InboxWorker: works on accepted events, and keeps the inbox in order: wakes events whose account got a
// tenant, and removes those that came to an end longer ago than the retention. Any number of processes may
// have one.
//
// Thread-safe. Outlived by engine and database.

#include "webhook/inbox/processor.hpp"
#include "work/every.hpp"
#include "work/worker.hpp"

#include <umavez/engine.hpp>

#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace umavez::webhook {

struct InboxOptions {
    std::size_t threads = 8;
    Duration period = std::chrono::seconds{1};       // between looks at an inbox that is empty
    Duration tidy_period = std::chrono::seconds{5};  // between looks at accounts and at what is old
    Duration lease = std::chrono::seconds{30};  // an interrupted processing is taken over after it
    Duration retention = std::chrono::hours{24 * 30};  // of events that came to an end
    work::RetryRule retries = {};
    std::vector<std::string> providers = {};  // whose events are taken
    std::function<void(const ProcessedEvent&)> on_processed = {
    };  // also of what was given up unseen
};

class InboxWorker {
public:
    InboxWorker(
        Engine& engine, Database& database, Processor processor, const InboxOptions& options
    );

    void wake() { worker_.wake(); }
    void stop();
    // Why the last look, run or tidying failed, if it did; told once.
    std::optional<std::string> take_trouble();

private:
    void tidy(const std::stop_token& stop);
    void tell_dead(const work::Item& item, const std::string& why);

    Database& database_;
    const InboxOptions options_;
    const std::string ready_;  // outlives the worker, which refers to it
    std::mutex mutex_;
    std::optional<std::string> trouble_;  // guarded by mutex_
    work::Worker worker_;
    work::Every tidying_;
};

}  // namespace umavez::webhook
