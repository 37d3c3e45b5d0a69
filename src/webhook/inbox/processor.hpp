#pragma once

// Processor: what is done with an accepted event. Finds its tenant, lets the handler of its type work, and
// ends the run in the same transaction: the effect, the event's state and the record of the run are one
// commit.
//
// Thread-safe. Outlived by what it refers to.

#include "webhook/inbox/event_handlers.hpp"
#include "webhook/inbox/inbox_table.hpp"
#include "work/retry_delay.hpp"
#include "work/worker.hpp"

#include <umavez/engine.hpp>
#include <umavez/transaction.hpp>

#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace umavez::webhook {

// Asks a provider that signs no bodies for what the event speaks of, or tells why it could not be had.
// Blocks; outside of every transaction.
using Fetch = std::function<std::expected<std::string, std::string>(const InboxRow& event)>;

// What is known of a provider when its events are worked on.
struct KnownProvider {
    std::string scheme;
    Fetch fetch = {};  // empty: the body is signed and tells everything
};
using KnownProviders = std::map<std::string, KnownProvider, std::less<>>;

// What became of an event in one run.
struct ProcessedEvent {
    std::int64_t id = 0;
    std::string provider;
    std::string event_id;
    std::string type;
    std::string state;  // pending: it failed and is tried again
    std::string why;
};

struct ProcessorNeeds {
    Engine& engine;
    Database& database;
    std::shared_ptr<const EventHandlers> handlers;
    std::shared_ptr<const KnownProviders> providers;
    work::RetryRule retries = {};
    std::function<void(const ProcessedEvent&)> on_processed = {
    };  // after the commit; throws nothing
};

// The work of the inbox, for work::Worker.
struct Processor {
    work::RunItem alone;
    // Several events in one transaction. What must be fetched, or is not as it was taken, is left.
    work::RunItems together;
};
Processor make_processor(ProcessorNeeds needs);

}  // namespace umavez::webhook
