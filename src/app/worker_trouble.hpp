#pragma once

// A worker has nobody to answer to: what keeps it from its work is told here. Confined to one thread.

#include "app/mailings.hpp"
#include "app/webhooks.hpp"
#include "telemetry/log.hpp"

#include <umavez/engine.hpp>

#include <optional>
#include <string>

namespace umavez {

class WorkerTrouble {
public:
    // All outlive it; null: this process works on no webhooks, or no mailings.
    WorkerTrouble(
        const Engine& engine, WebhookWorkers* webhooks, MailingWorkers* mailings, Log& log
    ) noexcept
        : engine_(engine), webhooks_(webhooks), mailings_(mailings), log_(log)
    {
    }

    void tell()
    {
        tell_engine();
        if (webhooks_ != nullptr) tell_all("webhook_trouble", webhooks_->take_troubles());
        if (mailings_ != nullptr) tell_all("mailing_trouble", mailings_->take_troubles());
    }

private:
    void tell_all(const char* event, const std::vector<std::string>& troubles)
    {
        for (const std::string& trouble : troubles) log_.error(event, {{"detail", trouble}});
    }

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
    MailingWorkers* const mailings_;
    Log& log_;
    std::optional<std::string> told_;
};

}  // namespace umavez
