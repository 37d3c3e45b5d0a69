#pragma once

// Simulator: the desks, their ledger and their faults behind one mutex. Requests are judged one after the
// other, so that of two equal documents at the same moment one is authorised; what is stored is durable
// before the answer leaves. Thread-safe.

#include "http/message.hpp"
#include "modules/fiscal/simulator/book.hpp"
#include "modules/fiscal/simulator/fault.hpp"
#include "modules/fiscal/simulator/ledger.hpp"
#include "modules/fiscal/simulator/nacional_desk.hpp"
#include "modules/fiscal/simulator/sefaz_desk.hpp"
#include "modules/fiscal/simulator/sp_desk.hpp"

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace umavez::fiscal::simulator {

struct SimulatorOptions {
    std::string ledger;          // its path
    std::string ambiente = "2";  // as in tpAmb
    ChanceOfFaults chance = {};
    Duration slow = std::chrono::seconds{2};
    Duration throttle = std::chrono::hours{1};  // of SEFAZ, from the last call on
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
    std::string ledger_json(std::string_view documento) const;
    std::string stats_json() const;

    // An event of a note that no client asked for; `tipo` is empty: it is cancelled. not_found: there is no
    // such note. Of a kind that is there already nothing is written.
    Result<void> register_behind(std::string_view chave, std::string_view tipo);

private:
    Simulator(SimulatorOptions options, Ledger ledger, Book book);

    const Desk& desk_of(Service service) const noexcept;
    void complete(Asked& asked) const;
    std::optional<Fault> next_fault(const Asked& asked, std::uint64_t number, Instant now);
    Result<void> keep(std::span<const LedgerEvent> events);
    Result<void> keep(const LedgerEvent& event) { return keep({&event, 1}); }
    Result<http::Response> judge(
        const Asked& asked, const Moment& moment, std::optional<Fault> fault
    );
    void wait_slowly(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

    const SimulatorOptions options_;
    const NacionalDesk nacional_;
    const SefazDesk sefaz_;
    const SpDesk sao_paulo_;

    mutable std::mutex mutex_;
    std::condition_variable_any nobody_;  // is notified: only the stop ends a wait
    Ledger ledger_;                       // guarded by mutex_, like all below
    Book book_;
    FaultPlan plan_;
};

}  // namespace umavez::fiscal::simulator
