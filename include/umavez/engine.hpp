#pragma once

// Engine: makes an effect happen once although its request is retried, its message is redelivered, or the
// process that ran it died.
//
//     auto database = umavez::open_database("sqlite:shop.db");
//     auto engine = umavez::open_engine(**database);
//     (*engine)->declare({.name = "pedidos.criar", .policy = {.guarantee = Guarantee::atomic}});
//     (*engine)->start();
//     auto outcome = (*engine)->atomically(request, [&](Transaction& tx) -> Result<Response> { … });
//
// Every call has a blocking form and an awaitable one (async_…). Outcomes are values; a Result's error tells
// a mistake of the caller (unknown operation, missing key, wrong thread) or what the handler itself returned.
// An exception of a handler reaches the caller unchanged, after its record was dealt with.
//
// Thread-safe once started. Outlives its leases and tasks; is outlived by its database. A child of fork()
// opens an engine of its own: the parent's refuses it.

#include <umavez/lease.hpp>
#include <umavez/operation.hpp>
#include <umavez/outcome.hpp>
#include <umavez/transaction.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace umavez {

class Random;
class Store;
class Timers;

struct EngineOptions {
    bool audit = true;
    Duration audit_retention = std::chrono::hours{24 * 90};

    // Due work (reconcile, take over) and expired records are looked for this often, by a thread of the
    // engine. Nullopt: only when work_once and sweep_once are called.
    std::optional<Duration> worker_period = std::chrono::seconds{1};
    std::size_t sweep_batch = 500;

    // How long a write whose fate is unknown is asked for again before the caller is told `Unavailable`.
    Duration store_patience = std::chrono::seconds{5};

    // Test and simulation seams; they outlive the engine.
    const Clock* clock = nullptr;
    Random* random = nullptr;
    Timers* timers = nullptr;  // given: the engine starts no thread of its own
};

// The key is ours, or this is the answer.
using Begun = std::variant<Lease, Outcome>;

struct WorkReport {
    std::size_t claimed = 0;
    std::size_t reconciled = 0;  // happened, or did not
    std::size_t still_unknown = 0;
    std::size_t held = 0;                   // moved to in_doubt
    std::optional<std::string> unreadable;  // which record is corrupt, if one is: it was left alone
};

struct SweepReport {
    std::size_t records = 0;
    std::size_t audit_entries = 0;
    std::optional<std::string> unreadable;  // which record is corrupt, if one is: it was left alone
    bool has_more = false;                  // the limit ended it, not the lack of work
};

struct TimelineEntry {
    Instant at;
    std::string event;
    std::optional<std::int64_t> epoch;  // of the record; nullopt: none was there, or none was read
    std::string detail;
};

struct Story {
    std::optional<Record> record;
    Instant now;
    std::vector<TimelineEntry> timeline;
};

enum class Resolution : std::uint8_t { succeeded, failed };

struct OperationStats {
    std::string operation;
    Guarantee guarantee = Guarantee::atomic;
    std::uint64_t executed = 0, replayed = 0, in_progress = 0, mismatch = 0, mismatch_ignored = 0;
    std::uint64_t replayed_after_wait = 0;  // of those replayed: the first was still running
    std::uint64_t in_doubt = 0, unavailable = 0, unkeyed = 0, unprotected = 0;
    std::uint64_t claims = 0, takeovers = 0, reconciled = 0, released = 0, fenced = 0;
    std::uint64_t leases_lost = 0, leases_dropped = 0;
};

// What the store could not keep, since it was opened.
struct StoreStats {
    // Audit entries of decisions that changed nothing (a replay, say) and found no room or no store.
    std::uint64_t notes_dropped = 0;
    std::uint64_t emptied = 0;  // how often a Redis server was found without its records
};

struct RecordsByStatus {
    Status status = Status::processing;
    std::uint64_t records = 0;
    std::optional<Duration> oldest;  // since its last change
    // Processing: since the end of the oldest lease that is over, abandoned work. Succeeded and failed: since
    // the oldest should have been swept. 0: nothing is late.
    Duration overdue{0};
};

class Engine {
public:
    virtual ~Engine() = default;

    // Before start(). Refuses a second operation of the same name.
    virtual Result<void> declare(OperationSpec operation) = 0;

    // Checks the options, and every policy against the store, and refuses to start with the first wrong
    // setting.
    virtual Result<void> start() = 0;
    virtual const std::vector<std::string>& warnings() const noexcept = 0;

    // Atomic: the handler's SQL and the record commit together. The handler may run more than once, only
    // one run commits, so it may do nothing but SQL.
    virtual Task<Result<Outcome>> async_atomically(Request request, AtomicHandler handler) = 0;
    Result<Outcome> atomically(Request request, AtomicHandler handler)
    {
        return wait(async_atomically(std::move(request), std::move(handler)));
    }

    // The same inside a transaction that is already open: a savepoint of `outer`, durable with it.
    virtual Result<Outcome> atomically(
        Transaction& outer, Request request, const AtomicHandler& handler
    ) = 0;

    // Leased and cached: claim, handler, completion by the response's status. An exception or an unclear
    // status leaves a leased record in doubt unless the handler called lease.untouched().
    virtual Task<Result<Outcome>> async_leased(Request request, AsyncLeasedHandler handler) = 0;
    Result<Outcome> leased(Request request, LeasedHandler handler);

    // The claim alone, for callers that keep the lease themselves.
    virtual Task<Result<Begun>> async_begin(Request request) = 0;
    Result<Begun> begin(Request request) { return wait(async_begin(std::move(request))); }

    // What a retry can be told without running anything: a replay or a mismatch. Nullopt: claim and see.
    virtual Task<Result<std::optional<Outcome>>> async_look_up(Request request) = 0;
    Result<std::optional<Outcome>> look_up(Request request)
    {
        return wait(async_look_up(std::move(request)));
    }

    // One pass over due work, and one bounded sweep.
    virtual Task<Result<WorkReport>> async_work_once() = 0;
    Result<WorkReport> work_once() { return wait(async_work_once()); }
    virtual Task<Result<SweepReport>> async_sweep_once() = 0;
    Result<SweepReport> sweep_once() { return wait(async_sweep_once()); }

    // For operators. release: an in-doubt, abandoned or failed key may be claimed again. resolve: an
    // in-doubt or abandoned one gets its final word. Both raise the epoch, so that a late owner is fenced,
    // and settle records of operations that are not declared any more, which are then kept for good.
    virtual Task<Result<RecordsPage>> async_records(RecordsQuery query) = 0;
    Result<RecordsPage> records(RecordsQuery query)
    {
        return wait(async_records(std::move(query)));
    }
    virtual Task<Result<StoriesPage>> async_stories(StoriesQuery query) = 0;
    Result<StoriesPage> stories(StoriesQuery query)
    {
        return wait(async_stories(std::move(query)));
    }
    virtual Task<Result<Story>> async_explain(RecordId id) = 0;
    Result<Story> explain(RecordId id) { return wait(async_explain(std::move(id))); }
    virtual Task<Result<Record>> async_release(RecordId id, std::string reason) = 0;
    Result<Record> release(RecordId id, std::string reason)
    {
        return wait(async_release(std::move(id), std::move(reason)));
    }
    virtual Task<Result<Record>> async_resolve(
        RecordId id, Resolution as, std::optional<Response> response, std::string reason
    ) = 0;
    Result<Record> resolve(
        RecordId id, Resolution as, std::optional<Response> response, std::string reason
    )
    {
        return wait(async_resolve(std::move(id), as, std::move(response), std::move(reason)));
    }

    // For modules that know better than a record: a key that is closed, whatever its word, is free again. An
    // operator resolved it, and the other side, which has the last word, was found to have nothing.
    virtual Task<Result<Record>> async_reopen(RecordId id, std::string reason) = 0;
    Result<Record> reopen(RecordId id, std::string reason)
    {
        return wait(async_reopen(std::move(id), std::move(reason)));
    }

    // Adds a remark to the story of a key, for operators; changes nothing. As every note it may be dropped
    // where the store has no room for it (store_stats).
    virtual void remark(const RecordId& id, std::string text) = 0;

    virtual std::vector<OperationStats> stats() const = 0;
    virtual StoreStats store_stats() const = 0;

    // Why the last pass of the engine's worker failed, if it did, or which record it left alone.
    virtual std::optional<std::string> worker_trouble() const = 0;
    virtual Task<Result<std::vector<RecordsByStatus>>> async_count() = 0;

    // Raises lost() on open leases, stops the engine's threads. Afterwards nothing is claimed any more
    // (store_unavailable); open leases can still be completed. Called by the destructor.
    virtual void stop() = 0;
};

// An engine over a database: atomic and leased operations. Prepares the engine's own tables.
Result<std::unique_ptr<Engine>> open_engine(Database& database, EngineOptions options = {});

// An engine in memory: cached operations, which vanish with the process.
Result<std::unique_ptr<Engine>> open_memory_engine(EngineOptions options = {});

// An engine over a Redis server: cached operations, shared by all processes that use the server. The URL is
// redis://user:password@host:port/database or redis+unix:PATH, with options (docs/operating/redis.md).
// misconfigured: the sentence names the setting and the cure.
Result<std::unique_ptr<Engine>> open_redis_engine(std::string_view url, EngineOptions options = {});

}  // namespace umavez
