#pragma once

// Fiscal documents of the program: what is made of their settings when engine and database are open.
//
// Thread-safe.

#include "app/fiscal_authorities.hpp"
#include "app/settings.hpp"
#include "modules/fiscal/fiscal_worker.hpp"
#include "modules/fiscal/module.hpp"
#include "modules/fiscal/numbering/routes.hpp"
#include "telemetry/log.hpp"
#include "telemetry/metrics.hpp"

#include <umavez/engine.hpp>
#include <umavez/transaction.hpp>

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace umavez {

using OnFiscal = std::function<void(const fiscal::FiscalEvent&)>;

// A line for each call, change of state and alert; calls are counted. Metrics may be null.
OnFiscal note_fiscal(Log& log, Metrics* metrics);

// The authorities, and the module that calls them. Certificates are read when they are first needed.
class Fiscal {
public:
    // Engine and database outlive it, and so does what on_event refers to.
    Fiscal(const Settings& settings, Engine& engine, Database& database, OnFiscal on_event);
    Fiscal(const Fiscal&) = delete;
    Fiscal& operator=(const Fiscal&) = delete;

    fiscal::Module& module() noexcept { return *module_; }

    // By the names that metrics and the rate guard have.
    const std::vector<std::string>& authorities() const noexcept { return names_; }

private:
    const FiscalAuthorities authorities_;
    const std::vector<std::string> names_;
    std::unique_ptr<fiscal::Module> module_;  // last: it calls the authorities
};

// Everything that an answer of an authority may mean, as metrics have it.
std::vector<std::string> fiscal_words();

// Whose issuers are whose, as the file says.
std::map<std::string, TenantId> issuers_of(const FiscalSettings& settings);
fiscal::IsIssuer issuer_rule(const FiscalSettings& settings);

// For FiscalWorker. A stop leaves the calls that run half of the drain limit to come to their end.
fiscal::FiscalWorkerOptions fiscal_worker_options(const Settings& settings);

// Ends the calls of an authority, which take up to a minute, while the server waits for their requests: what
// they did is found out later by a worker. From `after` on, unless it is destroyed before.
class CutCalls {
public:
    CutCalls(fiscal::Module& module, Duration after);

private:
    std::jthread thread_;
};

}  // namespace umavez
