#pragma once

// Notes: decisions that changed nothing ride the next batch of any lane; nobody waits for them
// (store/note_queue.hpp). Those whose ride got no answer are dropped: they may have landed, and none is
// written twice. At a crash those that had not yet landed are missing. Thread-safe.

#include "database/postgres/connection.hpp"
#include "store/note_queue.hpp"
#include "store/postgres/batch_statements.hpp"

#include <umavez/time.hpp>

#include <atomic>
#include <functional>
#include <vector>

namespace umavez::pg {

class Notes {
public:
    // What ages are counted by (boottime, or a test's), and what the server is told to take for its time.
    struct Time {
        std::function<Duration()> now;
        std::function<std::optional<std::int64_t>()> clock;
    };
    explicit Notes(Time time) : time_(std::move(time)) {}

    // True: it is the first one that waits, so a lane should know.
    bool add(RecordId id, AuditNote note) noexcept
    {
        return queue_.add(std::move(id), time_.now(), std::move(note));
    }
    bool is_waiting() const noexcept { return queue_.is_waiting(); }
    std::uint64_t dropped() const noexcept { return queue_.dropped(); }

    // Whether a ride failed since somebody asked, so that a lane should know again.
    bool take_given_back() noexcept { return is_given_back_.exchange(false); }

    // Those that ride one batch. Unless they landed they wait again.
    class Ride final : public Rider {
    public:
        explicit Ride(Notes& notes);
        ~Ride() override;
        Ride(const Ride&) = delete;
        Ride& operator=(const Ride&) = delete;

        bool is_empty() const noexcept { return riding_.empty(); }
        void board(Connection& connection) override;
        void landed() noexcept override { notes_.queue_.landed(riding_); }
        // They are why a batch failed, or nobody knows where they are.
        void drop() noexcept { notes_.queue_.drop(riding_); }

    private:
        Notes& notes_;
        std::vector<QueuedNote> riding_;
    };

private:
    const Time time_;
    NoteQueue queue_;
    std::atomic<bool> is_given_back_{false};
};

}  // namespace umavez::pg
