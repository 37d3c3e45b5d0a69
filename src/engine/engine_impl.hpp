#pragma once

// EngineImpl: the engine's parts and the coroutines that drive its flows.
//
// One file per concern: engine_atomic.cpp, engine_claim.cpp, engine_completion.cpp,
// engine_leased.cpp, engine_worker.cpp, engine_operators.cpp. The rules are in core/, in the flows
// and in beat_rules.hpp; what is here is waiting. Thread-safe once started.

#include "base/fork.hpp"
#include "base/random.hpp"
#include "engine/claim_flow.hpp"
#include "engine/completion_flow.hpp"
#include "engine/declared.hpp"
#include "engine/finish_all.hpp"
#include "engine/flights.hpp"
#include "engine/keeper.hpp"
#include "engine/known_answers.hpp"
#include "engine/lease_state.hpp"
#include "engine/make_engine.hpp"
#include "engine/seen_keys.hpp"
#include "engine/sweep_rate.hpp"
#include "engine/timers.hpp"
#include "store/transactional_store.hpp"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace umavez {

class EngineImpl final : public Engine {
public:
    // `transactional` is `store` where it is one, else null.
    EngineImpl(
        std::unique_ptr<Store> owned,
        Store& store,
        TransactionalStore* transactional,
        EngineOptions options
    );
    ~EngineImpl() override;

    Result<void> declare(OperationSpec operation) override;
    Result<void> start() override;
    void stop() override;
    const std::vector<std::string>& warnings() const noexcept override { return warnings_; }

    using Engine::atomically;
    Task<Result<Outcome>> async_atomically(Request request, AtomicHandler handler) override;
    Result<Outcome> atomically(Transaction& outer, Request request, const AtomicHandler& handler)
        override;
    Task<Result<Outcome>> async_leased(Request request, AsyncLeasedHandler handler) override;
    Task<Result<Begun>> async_begin(Request request) override;
    Task<Result<std::optional<Outcome>>> async_look_up(Request request) override;

    Task<Result<WorkReport>> async_work_once() override;
    Task<Result<SweepReport>> async_sweep_once() override;

    Task<Result<RecordsPage>> async_records(RecordsQuery query) override;
    Task<Result<StoriesPage>> async_stories(StoriesQuery query) override;
    Task<Result<Story>> async_explain(RecordId id) override;
    Task<Result<Record>> async_release(RecordId id, std::string reason) override;
    Task<Result<Record>> async_resolve(
        RecordId id, Resolution as, std::optional<Response> response, std::string reason
    ) override;
    Task<Result<Record>> async_reopen(RecordId id, std::string reason) override;
    void remark(const RecordId& id, std::string text) override;
    std::vector<OperationStats> stats() const override;
    StoreStats store_stats() const override;
    std::optional<std::string> worker_trouble() const override;
    Task<Result<std::vector<RecordsByStatus>>> async_count() override;

    // For Lease.
    Task<Result<void>> save(std::shared_ptr<LeaseState> lease, std::string checkpoint);
    Task<Result<void>> settle(
        std::shared_ptr<LeaseState> lease,
        Settled as,
        std::optional<Response> response,
        std::string why
    );
    // All leases are of the engine of the first.
    static Result<void> finish_in(Transaction& transaction, std::vector<LeaseFinish> all);
    void drop(LeaseState& lease);
    std::stop_token lost(LeaseState& lease) { return keeper_.lost(lease); }

private:
    using LeaseRef = std::shared_ptr<LeaseState>;
    // The store could not say whose the key is.
    struct Unclaimed {
        Error error;
        bool is_key_free = false;  // as in ClaimFlow
    };
    // The lease may be in mode reconcile.
    using Claimed = std::variant<LeaseRef, Outcome, Unclaimed>;

    // engine_claim.cpp: `id` moves into the lease, if there is one. `seen`: what a worker just
    // read; null: the store is asked.
    Task<Claimed> claim(
        Declared& operation, RecordId& id, const Request& request, Sighting* seen = nullptr
    );
    Outcome to_outcome(
        Declared& operation,
        const RecordId& id,
        const Request& request,
        const Decision& decision,
        Record& record
    );
    // What a look found: the audit tells it.
    struct Met {
        std::int64_t epoch = 0;
        bool differs = false;  // in the fingerprint, which the policy may ignore
    };
    void note_mismatch(const RecordId& id, const Mismatch& mismatch, std::int64_t epoch);
    bool note_if_ignored(
        Declared& operation, const RecordId& id, const Request& request, const Record& record
    );
    Task<std::optional<Outcome>> look_aside(
        Declared& operation, const RecordId& id, const Request& request
    );
    Task<bool> shows_owner(const Declared& operation, const RecordId& id, const Request& request);
    std::optional<Outcome> look_at_hand(Declared& operation, const Request& request);
    void note_known(Declared& operation, const RecordId& id, const Outcome& known, const Met& met);
    Task<std::optional<Outcome>> look_at_current(
        Declared& operation, const RecordId& id, const Request& request
    );
    // A record and what it means for the request, if that is known without claiming.
    struct News {
        StateMark state{};
        KnownAnswers::Known known;
    };
    struct Sight {
        Met met;
        std::optional<Outcome> outcome;
        std::optional<News> news;  // for who asks next
    };
    std::optional<Sight> look_at_known(
        const Declared& operation,
        const RecordId& id,
        const Request& request,
        const StateMark& state,
        Instant now
    );
    Result<Sight> read_current(
        Transaction& transaction, Declared& operation, const RecordId& id, const Request& request
    );

    // engine_leased.cpp
    Task<Result<Begun>> begin_unclaimed(
        Declared& operation, const RecordId& id, const Request& request, Unclaimed unclaimed
    );
    Task<Result<Begun>> begin_at_store(Request request);
    Task<Outcome> conclude(LeaseRef lease, std::optional<Response> response);
    Outcome settled_outcome(LeaseState& settled);
    Task<Outcome> read_back(LeaseRef lease, std::optional<Response> response);
    LeaseRef unprotected_lease(Declared& operation, const RecordId& id);
    LeaseRef unkeyed_lease(Declared& operation, const Request& request);

    // engine_completion.cpp: an owner's write, until its fate is known. Both arguments outlive the
    // task. lease_lost: `lease.instead` says what is there.
    Task<Result<void>> write(LeaseState& lease, const OwnerWrite& wanted);
    OwnerWrite last_write(const LeaseState& lease, Settled as, std::string why) const;
    void consume(LeaseState& lease, Settled as);
    void fence(LeaseState& lease, std::optional<Record>& there, Instant now);
    Result<void> finish_own(Transaction& transaction, std::vector<LeaseFinish>& all);
    Result<void> judge_finish(LeaseState& lease, CompletionFlow& flow, Replaced replaced);
    void adopt(LeaseState& lease, Record&& completed);

    // engine_atomic.cpp
    Task<Result<Outcome>> run_unkeyed(Declared& operation, AtomicHandler handler);
    Task<Result<Outcome>> run_atomic(
        Declared& operation, RecordId id, const Request& request, const AtomicHandler& handler
    );

    // engine_worker.cpp
    Task<std::optional<Outcome>> reconcile(LeaseRef lease);  // nullopt: it did not happen, run it
    Task<Result<void>> work_through(DueQuery query, WorkReport& report);
    Task<void> work_on(NamedRecord found, Instant now, WorkReport& report);
    Task<void> run_loaded(Lease& owned);

    // engine_sweep.cpp
    Task<Result<SweepReport>> sweep(std::size_t count_max, Duration* work);
    Result<void> clean_up_after(Transaction& transaction, const std::vector<RecordId>& ids);
    bool work_through_due(std::optional<std::string>& trouble);
    std::uint64_t count_written() const;
    bool sweep_through(std::optional<std::string>& trouble);
    bool run_pass();
    void run_worker();

    // engine_operators.cpp
    using MayOverrule = std::function<bool(const Record&, Instant)>;
    using MakeDraft = std::function<Draft(const Record&, const Policy&)>;
    Task<Result<Record>> overrule(
        RecordId id,
        AuditNote note,
        MayOverrule may,
        MakeDraft make,
        std::string_view wish,
        std::string_view when
    );

    Execution make_execution();
    double random_share();
    // `epoch`: of the record that was met; 0: none was read.
    void note(const RecordId& id, AuditEvent event, std::int64_t epoch, std::string detail = {});
    std::optional<AuditNote> audit(AuditEvent event, std::string detail = {}) const;
    // Who may come in: to look, to claim, to claim inside a transaction that is open.
    Result<Declared*> enter(const Request& request) const;
    Result<Declared*> enter_to_claim(const Request& request) const;
    Result<Declared*> enter_in_transaction(const Request& request) const;
    Result<Declared*> find_operation(const Request& request) const;
    bool is_in_child() const noexcept { return fork_generation() != born_in_; }

    std::unique_ptr<Store> own_store_;  // first: everything else uses it
    Store& store_;
    TransactionalStore* const transactional_;
    const EngineOptions options_;
    const Clock& clock_;
    Random& random_;
    std::unique_ptr<Timers> own_timers_;
    Timers& timers_;
    Operations operations_;
    Flights flights_;
    SeenKeys seen_keys_;
    KnownAnswers known_answers_;
    Keeper keeper_;
    std::vector<std::string> warnings_;
    bool is_started_ = false;
    const unsigned born_in_ = fork_generation();

    SweepRate sweep_rate_;  // the worker's

    mutable std::mutex worker_mutex_;
    OfThisProcess<std::condition_variable> worker_changed_;  // a child would wait for its waiters
    std::atomic<bool> is_stopped_{false};                    // written under worker_mutex_
    std::optional<std::string> worker_trouble_;              // guarded by worker_mutex_

    OfThisProcess<std::thread> worker_;
};

}  // namespace umavez
