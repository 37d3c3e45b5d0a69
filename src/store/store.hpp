#pragma once

// The Store port: everything the engine needs from a database, and nothing else.
//
// A store makes two steps atomic, insert_or_get and replace, each in batches and under the store's own
// clock. All rules are in core/ and run in the engine, between the two; a store contains none. Adapters must
// pass tests/conformance before they ship.
//
// A batch is the native size: at most limits::batch_members_max members, at most one member per record, made
// durable before the answer, each member answered on its own, in the order given.
//
// On store_unavailable nothing of the batch was written. On store_unknown it may or may not have been; call
// again with the same members: a record that carries our execution is ours, and a store waits for its own
// writes in flight, so that answer is true.
//
// Thread-safe: one Store serves the whole process.

#include "core/draft.hpp"
#include "store/audit.hpp"

#include <umavez/record.hpp>
#include <umavez/result.hpp>
#include <umavez/task.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace umavez {

template <typename T>
using Async = Task<Result<T>>;

struct Insertion {
    RecordId id;
    Draft draft;
    std::optional<AuditNote> audit;  // written with the record, if it is inserted
};

struct Found {
    bool inserted = false;
    Record record;  // as inserted, or as it is there
    Instant now;
};

struct Replacement {
    RecordId id;
    Expected expected;
    Draft next;
    std::optional<AuditNote> audit;  // written with the record, if it is replaced
};

// A Replacement whose record is named apart.
struct Change {
    Expected expected;
    Draft next;
    std::optional<AuditNote> audit;
};

struct Replaced {
    bool done = false;
    // As written (perhaps without the response, which the caller has), or as it is there; nullopt: there is
    // none.
    std::optional<Record> record;
    Instant now;
};

struct Heartbeat {
    RecordId id;
    FencingToken token;
    Duration lease;
    std::optional<Duration> expires_in;  // cached records expire one retention after their lease
};

struct Sighting {
    std::optional<Record> record;
    Instant now;
};

// A RecordId whose parts lie apart, as in a request. Borrowed.
struct RecordIdView {
    const TenantId& tenant_id;
    const Operation& operation;
    const Key& key;
};

using Look = std::function<void(const Record& record, Instant now)>;

struct Swept {
    std::vector<RecordId> ids;       // spent records, now gone
    std::size_t audit_entries = 0;   // beyond the audit's own retention, now gone
    std::optional<std::string> unreadable;  // the first record that failed its own checks: left alone
    bool has_more = false;  // a limit ended it: the next one may find work at once
};

// Which records wait for a worker: of some operations those whose lease is over, of some those in doubt
// whose retry_at has come.
struct DueQuery {
    std::vector<Operation> abandoned;
    std::vector<Operation> in_doubt;
    std::size_t count_max = 100;
};

struct Due {
    std::vector<NamedRecord> records;
    Instant now;
    std::optional<std::string> unreadable;  // the first record that failed its own checks: left out
};

struct StoreCount {
    Status status;
    std::uint64_t records = 0;
    std::optional<Instant> oldest;  // updated_at
    // The first end of a lease (processing), or of a retention (succeeded, failed).
    std::optional<Instant> first_end;

    void add(const Record& record);
};

struct StoreCounts {
    std::vector<StoreCount> by_status;
    Instant now;
    std::optional<std::string> unreadable;  // the first record that failed its own checks: not counted
};

// What a store could not keep, since it was opened.
struct StoreLosses {
    std::uint64_t notes = 0;    // audit entries of decisions that changed nothing: dropped
    std::uint64_t emptied = 0;  // how often the server was found without its records
};

// What a store can promise; an operation whose guarantee needs more is refused at start.
struct StoreTraits {
    std::string name;
    bool durable = false;        // an acknowledged record survives the process
    bool transactional = false;  // shares transactions with business rows (TransactionalStore)
    bool cache = false;          // may hold cached operations
    bool reads_aside = false;    // find() does not queue behind writers: worth asking before a claim
    bool one_writer = false;     // what is absent in a transaction stays absent until it ends
};

class Store {
public:
    virtual ~Store() = default;

    virtual const StoreTraits& traits() const noexcept = 0;

    // For each member: writes the draft if its record is absent, else finds the one that is there.
    virtual Async<std::vector<Found>> insert_or_get(std::vector<Insertion> batch) = 0;

    // Writes each `next` if the record still is what `expected` says; otherwise reports what is there.
    virtual Async<std::vector<Replaced>> replace(std::vector<Replacement> batch) = 0;

    // The same for one member, which is what a caller of the engine has, and into an answer that lies with
    // the caller: records are large. A store that waits for nobody spares itself the batch. The arguments
    // outlive the task; what is written is consumed.
    virtual Async<void> insert_or_get_one(Insertion& insertion, Found& found);
    virtual Async<void> replace_one(const RecordId& id, Change& change, Replaced& replaced);

    // Prolongs leases that still are the caller's: token and status `processing`. Like `replace`, but
    // nothing else of the record changes. One that fails its own checks is answered as if it were not there:
    // nobody can say whose it is, and the others' leases must not end for it.
    virtual Async<std::vector<Replaced>> heartbeat(std::vector<Heartbeat> batch) = 0;

    // A committed record, read without waiting for writers: good for answering a replay, worth nothing as
    // proof of absence.
    virtual Async<Sighting> find(RecordId id) = 0;

    // The same where records are at hand in this process: `look` is called at once with the record as it
    // lies there, if there is one, under the store's lock, so it must be short and call no store. Other
    // stores show nothing.
    virtual void look_at(const RecordIdView& /*id*/, const Look& /*look*/) const {}

    // Deletes up to `count_max` spent records, never one that was claimed again meanwhile, and as many
    // audit entries older than `audit_retention`.
    virtual Async<Swept> sweep(std::size_t count_max, Duration audit_retention) = 0;

    // Records that wait for a worker, the longest overdue first.
    virtual Async<Due> due(DueQuery query) = 0;

    // For people. invalid_argument: the cursor is none of ours.
    virtual Async<RecordsPage> scan(RecordsQuery query) = 0;
    virtual Async<StoreCounts> count() = 0;

    // Keys whose story is kept without their record. A store whose stories end with their records has none.
    // invalid_argument: the cursor is none of ours.
    // NOLINTNEXTLINE(performance-unnecessary-value-param): those who have some keep it
    virtual Async<StoriesPage> stories(StoriesQuery /*query*/)
    {
        return Async<StoriesPage>::ready(StoriesPage{});
    }

    // A decision that changed nothing: rides the next batch, the caller does not wait. When the queue is
    // full the entry is dropped and counted.
    virtual void note(RecordId id, AuditNote audit) noexcept = 0;

    // The story of a key, oldest first.
    virtual Async<std::vector<AuditEntry>> timeline(RecordId id, std::size_t count_max) = 0;

    virtual StoreLosses losses() const noexcept { return {}; }
};

}  // namespace umavez
