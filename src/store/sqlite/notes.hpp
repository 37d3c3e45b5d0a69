#pragma once

// Notes: decisions that changed nothing ride the next batch; nobody waits for them (store/note_queue.hpp).
// At a crash those that had not yet landed are missing. Thread-safe; ride(), landed() and refused() are the
// lane's alone.

#include "base/store_clock.hpp"
#include "database/sqlite/batch_runner.hpp"
#include "store/note_queue.hpp"

#include <atomic>
#include <vector>

namespace umavez {

class Notes final : public LaneRider {
public:
    explicit Notes(const StoreClock& clock) : clock_(clock) {}

    // True: it is the first one that waits, so the lane should know.
    bool add(RecordId id, AuditNote note) noexcept
    {
        return queue_.add(std::move(id), clock_.now().time_since_epoch(), std::move(note));
    }

    std::uint64_t dropped() const noexcept { return queue_.dropped(); }

    bool is_waiting() const noexcept override { return is_riding_.load() || queue_.is_waiting(); }
    Result<void> ride(SqliteTransaction& transaction) override;
    void landed(bool kept) noexcept override;
    void refused() noexcept override;

private:
    const StoreClock& clock_;
    NoteQueue queue_;
    std::atomic<bool> is_riding_ = false;  // some have been taken and have not landed
    std::vector<QueuedNote> riding_;       // the lane's
};

}  // namespace umavez
