#pragma once

// A worker has nobody to answer to: what keeps it from its work is told here. Confined to one thread.

#include "app/webhooks.hpp"
#include "telemetry/log.hpp"

#include <umavez/engine.hpp>

#include <optional>
#include <string>

namespace umavez {

class WorkerTrouble {
public:
    // All outlive it; null: this process works on no webhooks.
    WorkerTrouble(const Engine& engine, WebhookWorkers* webhooks, Log& log) noexcept
        : engine_(engine), webhooks_(webhooks), log_(log)
    {
    }

    void tell()
    {
        tell_engine();
        if (webhooks_ == nullptr) return;
        for (const std::string& trouble : webhooks_->take_troubles()) {
            log_.error("webhook_trouble", {{"detail", trouble}});
        }
    }

private:
    void tell_engine()
    {
        std::optional<std::string> trouble = engine_.worker_trouble();
        if (trouble == told_) return;
        if (trouble) log_.error("worker_trouble", {{"detail", *trouble}});
        if (!trouble) log_.info("worker_recovered");
        told_ = std::move(trouble);
    }

    const Engine& engine_;
    WebhookWorkers* const webhooks_;
    Log& log_;
    std::optional<std::string> told_;
};

}  // namespace umavez
