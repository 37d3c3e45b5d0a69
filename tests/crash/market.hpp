#pragma once

// Market: the operations of the crash tests, one for each way a guarantee is kept, and their
// outside world.
//
//     order    pedidos.criar      atomic: two business rows, or a final refusal
//     session  sessoes.abrir      atomic with a short retention: swept together with its row
//     payment  pagamentos.cobrar  leased, reconciled against the ledger
//     slip     boletos.emitir     leased, run again after a death; the other side dedupes on the
//     effect key notice   avisos.enviar      leased, held: nobody knows, so nobody repeats it
//
// The number of an intent chooses its trouble: a first attempt that fails before or after its
// effect, throws, lingers for a heartbeat, or drops its lease. Thread-safe.

#include "intent.hpp"
#include "kill_switch.hpp"
#include "ledger.hpp"

#include <umavez/engine.hpp>

#include <functional>
#include <optional>
#include <string>

namespace umavez::crash {

struct Timing {
    Duration lease = std::chrono::milliseconds{200};
    Duration settle = std::chrono::milliseconds{60};
    Duration retention = std::chrono::milliseconds{150};  // of sessions
    // Longer than any stall.
    Duration run_limit = std::chrono::minutes{2};
    Duration atomic_run_limit = std::chrono::hours{1};
};

struct MarketOptions {
    std::string directory;  // of `ledger` and `authority`
    Timing timing;
    const KillSwitch* arrivals = nullptr;        // without it nobody lingers
    std::function<void(std::string)> on_broken;  // a promise was not kept; called from any thread
};

// What a caller may tell others: only after the engine said so.
struct Answer {
    bool is_last = false;              // nothing to retry: kept, or in doubt for an operator
    std::optional<Response> response;  // kept by the engine
    std::string note;                  // the outcome's name, and why
};

class Market {
public:
    explicit Market(MarketOptions options);

    // The business tables, in the engine's own database.
    static Result<void> prepare(Database& database);

    Result<void> declare(Engine& engine);
    Answer call(Engine& engine, const Intent& intent);

    Ledger& ledger() noexcept { return ledger_; }

private:
    struct Visit {
        const Intent& intent;
        Duration called_at;
        std::string nonce;
    };

    Policy policy_of(Kind kind) const;
    Reconciliation reconcile(const Enquiry& enquiry);
    Result<Response> order(Transaction& transaction, const Visit& visit) const;
    Result<Response> open_session(Transaction& transaction, const Visit& visit) const;
    Response pay(Lease& lease, const Visit& visit);
    Response issue(Lease& lease, const Visit& visit);
    Response notify(Lease& lease, const Visit& visit);
    Response handle(Lease& lease, const Visit& visit);
    Result<Outcome> begin_and_drop(Engine& engine, Request request, const Visit& visit);
    void linger(const Lease& lease) const;
    void check_fenced(const Visit& visit) const;

    const MarketOptions options_;
    Ledger ledger_;
    Ledger authority_;
};

}  // namespace umavez::crash
