#pragma once

// Webhooks of the program, in and out: what is made of their settings when engine and database are open.
// Plain values; what they hold is thread-safe.

#include "app/settings.hpp"
#include "messaging/relay.hpp"
#include "webhook/inbox/inbox_worker.hpp"
#include "webhook/inbox/ingress.hpp"
#include "webhook/inbox/processor.hpp"

#include <umavez/engine.hpp>
#include <umavez/operation.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace umavez {

using OnProcessed = std::function<void(const webhook::ProcessedEvent&)>;

// The operations of the workers, whose policies the file of a deployment may change.
std::vector<OperationSpec> worker_operations();

struct Webhooks {
    std::shared_ptr<const webhook::Schemes> schemes;
    webhook::Processor processor;
    webhook::InboxOptions inbox;
    messaging::RelayOptions relay;
};

// Engine and database outlive it, and so does what on_processed refers to. `operations` are those of
// worker_operations(), as the file wants them.
Result<Webhooks> make_webhooks(
    const Settings& settings,
    Engine& engine,
    Database& database,
    const std::vector<OperationSpec>& operations,
    OnProcessed on_processed
);

// Works on events and delivers ours, until it is destroyed.
class WebhookWorkers {
public:
    WebhookWorkers(const Webhooks& webhooks, Engine& engine, Database& database)
        : inbox_(engine, database, webhooks.processor, webhooks.inbox),
          relay_(engine, database, webhooks.relay)
    {
    }

    void wake() { inbox_.wake(); }
    void stop()
    {
        inbox_.stop();
        relay_.stop();
    }
    std::vector<std::string> take_troubles();

private:
    webhook::InboxWorker inbox_;
    messaging::Relay relay_;
};

}  // namespace umavez
