#pragma once

// Relay: what carries events out of the outbox: a dispatcher that gives them out, and workers that deliver.
//
//     engine.declare(relay_operation(options));   // before the engine starts
//     Relay relay{engine, database, options};
//
// Any number of relays, in any number of processes, share the tables. At least once, in order inside an
// aggregate, and always with the same webhook-id.
//
// Thread-safe. Outlived by engine and database.

#include "messaging/deliver.hpp"
#include "work/every.hpp"
#include "work/worker.hpp"

#include <umavez/engine.hpp>
#include <umavez/operation.hpp>
#include <umavez/time.hpp>
#include <umavez/transaction.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace umavez::messaging {

struct RelayOptions {
    std::size_t threads = 8;                           // that deliver
    Duration period = std::chrono::milliseconds{500};  // between looks where nobody calls wake()
    Duration lease = std::chrono::seconds{30};         // longer than a call may take
    Duration stop_grace = std::chrono::seconds{5};     // for calls under way, when it stops
    Duration retention = std::chrono::hours{24 * 30};  // of events and messages, once they are out
    Duration sweep_period = std::chrono::minutes{1};
    std::size_t batch = 200;  // events given out in one transaction
    DeliveryOptions delivery = {};
};

class Relay {
public:
    Relay(Engine& engine, Database& database, RelayOptions options);
    ~Relay();
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    // An event was committed in this process: give it out now.
    void wake();

    // Lets calls that are under way come to their end, for stop_grace; then cuts them. What was cut is sent
    // again by whoever comes by.
    void stop();

    // Why the last pass or delivery could not be done, if it could not; told once. That a receiver refuses
    // is no trouble of ours: its delivery tells it.
    std::optional<std::string> take_trouble();

private:
    void run(const std::stop_token& stop);
    void dispatch_all(const std::stop_token& stop);
    void sweep_some(const std::stop_token& stop);
    void note_trouble(const Error& error);

    Database& database_;
    const RelayOptions options_;
    std::stop_source cut_;

    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool is_stopped_ = false;                         // guarded by mutex_
    std::optional<std::string> trouble_;              // guarded by mutex_
    std::chrono::steady_clock::time_point sweep_at_;  // of the dispatcher alone
    work::Worker worker_;
    work::Every dispatcher_;
};

// The operation whose records are the runs of deliveries, for Engine::declare.
OperationSpec relay_operation(const RelayOptions& options);

}  // namespace umavez::messaging
