#pragma once

// MediatorCore: the commands of a mediator, its pipeline and its counters, without their types.
//
// Thread-safe once made.

#include "base/striped_counters.hpp"
#include "mediator/idempotency.hpp"

#include <umavez/engine.hpp>
#include <umavez/mediator/behaviour.hpp>
#include <umavez/mediator/handler.hpp>
#include <umavez/mediator/stats.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace umavez::detail {

using SendCounters = StripedCounters<static_cast<std::size_t>(SendOutcome::count_)>;

// A registered command and what the engine needs to know of it.
struct DeclaredCommand {
    std::unique_ptr<CommandEntry> entry;
    CommandIdentity identity;
    std::unique_ptr<SendCounters> ended;
};

class MediatorCore {
public:
    struct Parts {
        std::unique_ptr<Engine> own_engine;  // null: `engine` is somebody else's
        Engine* engine = nullptr;
        TenantId tenant_id;
        std::shared_ptr<const KeyGenerator> key_generator;
        std::vector<std::shared_ptr<Behaviour>> behaviours;
        std::vector<DeclaredCommand> commands;     // by their number
        std::vector<std::size_t> number_by_index;  // by command_index(); SIZE_MAX: none
        bool sweeps_itself = false;                // nobody else removes what has expired
    };

    explicit MediatorCore(Parts parts);

    const CommandEntry* find(std::size_t index) const noexcept;
    const TenantId& default_tenant() const noexcept { return parts_.tenant_id; }
    Engine& engine() noexcept { return *parts_.engine; }

    // The whole pipeline. What comes out is counted, exceptions too.
    Task<Sent> run(Send& send);
    // From a behaviour on; behind the last one is the handler.
    Task<Sent> run_from(Send& send, std::size_t position);

    void count(const CommandEntry& entry, SendOutcome outcome) noexcept;
    std::vector<CommandStats> stats() const;

private:
    const DeclaredCommand& declared(const Send& send) const noexcept;
    void end(Send& send, SendOutcome outcome);
    Sent run_in_savepoint(Send& send);
    void sweep_now_and_then();

    Parts parts_;
    Idempotency idempotency_;
    const std::size_t idempotency_at_;  // among the behaviours; their number: nowhere
    std::atomic<std::uint64_t> claims_{0};
};

}  // namespace umavez::detail
