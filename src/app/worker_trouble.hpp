#pragma once

// A worker has nobody to answer to: what keeps it from its work is told here. Confined to one thread.

#include "app/fiscal.hpp"
#include "app/mailings.hpp"
#include "app/webhooks.hpp"
#include "telemetry/log.hpp"

#include <umavez/engine.hpp>

#include <optional>
#include <string>

namespace umavez {

class WorkerTrouble {
public:
    // All outlive it; null: this process does not work on these.
    struct Workers {
        WebhookWorkers* webhooks = nullptr;
        MailingWorkers* mailings = nullptr;
        fiscal::FiscalWorker* fiscal = nullptr;
    };
    WorkerTrouble(const Engine& engine, const Workers& workers, Log& log) noexcept
        : engine_(engine), workers_(workers), log_(log)
    {
    }

    void tell()
    {
        tell_engine();
        const auto& [webhooks, mailings, fiscal] = workers_;
        if (webhooks != nullptr) tell_all("webhook_trouble", webhooks->take_troubles());
        if (mailings != nullptr) tell_all("mailing_trouble", mailings->take_troubles());
        if (fiscal == nullptr) return;
        if (const auto trouble = fiscal->take_trouble()) tell_all("fiscal_trouble", {*trouble});
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
    const Workers workers_;
    Log& log_;
    std::optional<std::string> told_;
};

}  // namespace umavez
