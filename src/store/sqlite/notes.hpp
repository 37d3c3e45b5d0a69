#pragma once

// Notes: decisions that changed nothing ride the next batch; nobody waits for them.
//
// Bounded by limits::audit_notes_max; what does not fit is dropped and counted. At a crash those
// that had not yet landed are missing. Thread-safe; ride(), landed() and refused() are the lane's
// alone.

#include "base/store_clock.hpp"
#include "database/sqlite/batch_runner.hpp"
#include "store/audit.hpp"

#include <atomic>
#include <mutex>
#include <vector>

namespace umavez {

class Notes final : public LaneRider {
public:
    explicit Notes(const StoreClock& clock) : clock_(clock) {}

    // True: it is the first one that waits, so the lane should know.
    bool add(RecordId id, AuditNote note) noexcept;

    std::uint64_t dropped() const noexcept { return dropped_.load(); }

    bool is_waiting() const noexcept override { return waiting_count_.load() > 0; }
    Result<void> ride(SqliteTransaction& transaction) override;
    void landed(bool kept) noexcept override;
    void refused() noexcept override;

private:
    struct Note {
        RecordId id;
        Instant at;
        AuditNote note;
    };

    void drop(std::size_t count) noexcept { dropped_.fetch_add(count, std::memory_order_relaxed); }

    const StoreClock& clock_;
    std::atomic<std::size_t> waiting_count_{0};  // in both lists
    std::atomic<std::uint64_t> dropped_{0};
    std::mutex mutex_;
    std::vector<Note> waiting_;  // guarded by mutex_
    std::vector<Note> riding_;   // the lane's
};

}  // namespace umavez
