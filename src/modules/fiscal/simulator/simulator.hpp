#pragma once

// Simulator: the office, its ledger and its faults behind one mutex. Requests are judged one after the other,
// so that of two equal DPS at the same moment one is authorised; what is stored is durable before the answer
// leaves. Thread-safe.

#include "http/message.hpp"
#include "modules/fiscal/simulator/book.hpp"
#include "modules/fiscal/simulator/fault.hpp"
#include "modules/fiscal/simulator/ledger.hpp"
#include "modules/fiscal/simulator/office.hpp"

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

namespace umavez::fiscal::simulator {

struct SimulatorOptions {
    std::string ledger;          // its path
    std::string ambiente = "2";  // as in tpAmb
    ChanceOfFaults chance = {};
    Duration slow = std::chrono::seconds{2};
};

// How an answer ends.
enum class Ending : std::uint8_t {
    whole,
    cut,        // the connection is closed without any of it
    reset,      // and reset
    truncated,  // the head promises more than comes
};

struct Reply {
    http::Response response = {};
    Ending ending = Ending::whole;
};

class Simulator {
public:
    static Result<std::unique_ptr<Simulator>> open(SimulatorOptions options);

    // Blocks while the ledger is written, and as long as a slow fault lasts; the stop ends that early.
    Reply serve(const http::Request& request, std::string caller, const std::stop_token& stop);

    // For the control.
    void add(ScriptedFault fault);
    void forget_faults();
    std::string faults_json() const;
    std::string ledger_json(std::string_view id_dps) const;
    std::string stats_json() const;

    // An event of a note that no client asked for. not_found: there is no such note. Of a kind that is there
    // already nothing is written.
    Result<void> register_behind(std::string_view chave, std::string_view tipo);

private:
    Simulator(SimulatorOptions options, Ledger ledger, Book book);

    Result<void> keep(const LedgerEvent& event);
    Decision decide(const Asked& asked, std::optional<Fault> fault);
    void wait_slowly(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

    const SimulatorOptions options_;
    const NacionalOffice office_;

    mutable std::mutex mutex_;
    std::condition_variable_any nobody_;  // is notified: only the stop ends a wait
    Ledger ledger_;                       // guarded by mutex_, like all below
    Book book_;
    FaultPlan plan_;
};

}  // namespace umavez::fiscal::simulator
