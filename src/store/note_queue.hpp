#pragma once

// NoteQueue: decisions that changed nothing, on their way to the audit.
//
// The same decision about the same record, while the first one still waits, does not wait beside it: it is
// counted, and the entry says how often ("37 times in 180 ms"). So a storm of retries costs a store as many
// entries as it has keys, and fits into the queue.
//
// Bounded by limits::audit_notes_max entries, those included that were taken and have not landed; what does
// not fit is dropped and counted. Thread-safe.

#include "store/audit.hpp"

#include <umavez/time.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace umavez {

struct QueuedNote {
    RecordId id;
    Duration at;  // by the clock of who adds
    AuditNote note;
    std::uint64_t times = 1;
    Duration last_at = at;

    std::string detail() const;  // what the entry says
};

class NoteQueue {
public:
    // True: it is the first one that waits, so a lane should know.
    bool add(RecordId id, Duration at, AuditNote note) noexcept;

    bool is_waiting() const noexcept { return waiting_count_.load() > 0; }
    std::uint64_t dropped() const noexcept { return dropped_.load(); }

    // Appends all that wait. They count until they have landed, wait again or are dropped.
    void take(std::vector<QueuedNote>& taken);
    void wait_again(std::vector<QueuedNote>& taken) noexcept;  // before the others; left empty
    void landed(std::vector<QueuedNote>& taken) noexcept;      // left empty
    void drop(std::vector<QueuedNote>& taken) noexcept;        // left empty

private:
    void drop_one() noexcept { dropped_.fetch_add(1, std::memory_order_relaxed); }
    // Under mutex_. False: no such note waits.
    bool join(std::uint64_t hash, const RecordId& id, Duration at, const AuditNote& note);

    std::atomic<std::size_t> waiting_count_{0};
    std::atomic<std::uint64_t> dropped_{0};
    std::mutex mutex_;
    std::vector<QueuedNote> waiting_;  // guarded by mutex_
    std::size_t taken_count_ = 0;      // guarded by mutex_
    // Places in waiting_; of two that share a hash, that of the first.
    boost::unordered_flat_map<std::uint64_t, std::size_t> places_;  // guarded by mutex_
};

}  // namespace umavez
