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

#include <optional>
#include <string>

namespace umavez::webhook {

struct InboxOptions {
    std::size_t threads = 8;
    Duration period = std::chrono::seconds{1};       // between looks at an inbox that is empty
    Duration tidy_period = std::chrono::seconds{5};  // between looks at accounts and at what is old
    Duration lease = std::chrono::seconds{30};  // an interrupted processing is taken over after it
    Duration retention = std::chrono::hours{24 * 30};  // of events that came to an end
    work::RetryRule retries = {};
};

class InboxWorker {
public:
    InboxWorker(
        Engine& engine, Database& database, work::RunItem processor, const InboxOptions& options
    );

    void wake() { worker_.wake(); }
    void stop() { worker_.stop(); }
    std::optional<std::string> take_trouble() { return worker_.take_trouble(); }

private:
    void tidy();

    Database& database_;
    const Duration retention_;
    work::Worker worker_;
    work::Every tidying_;
};

}  // namespace umavez::webhook
