#pragma once

// A worker has nobody to answer to: what keeps it from its work is told here, once. Confined to one thread.

#include "telemetry/log.hpp"

#include <umavez/engine.hpp>

#include <optional>
#include <string>

namespace umavez {

class WorkerTrouble {
public:
    // Both outlive it.
    WorkerTrouble(const Engine& engine, Log& log) noexcept : engine_(engine), log_(log) {}

    void tell()
    {
        std::optional<std::string> trouble = engine_.worker_trouble();
        if (trouble == told_) return;
        if (trouble) log_.error("worker_trouble", {{"detail", *trouble}});
        if (!trouble) log_.info("worker_recovered");
        told_ = std::move(trouble);
    }

private:
    const Engine& engine_;
    Log& log_;
    std::optional<std::string> told_;
};

}  // namespace umavez
