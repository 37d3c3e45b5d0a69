#pragma once

// Notes: decisions that changed nothing ride the next batch of any lane; nobody waits for them.
//
// Bounded by limits::audit_notes_max, those that ride included; what does not fit is dropped and counted. So
// are those whose ride got no answer: they may have landed, and none is written twice. At a crash those that
// had not yet landed are missing. Thread-safe.

#include "database/postgres/connection.hpp"
#include "store/audit.hpp"
#include "store/postgres/batch_statements.hpp"

#include <umavez/time.hpp>

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

namespace umavez::pg {

struct Note {
    RecordId id;
    Duration at;  // boottime, or a test's
    AuditNote note;
};

class Notes {
public:
    // What ages are counted by, and what the server is told to take for its time.
    struct Time {
        std::function<Duration()> now;
        std::function<std::optional<std::int64_t>()> clock;
    };
    explicit Notes(Time time) : time_(std::move(time)) {}

    // True: it is the first one that waits, so a lane should know.
    bool add(RecordId id, AuditNote note) noexcept;
    bool is_waiting() const noexcept { return waiting_count_.load() > 0; }
    std::uint64_t dropped() const noexcept { return dropped_.load(); }

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
        void landed() noexcept override;
        void drop() noexcept;  // they are why a batch failed, or nobody knows where they are

    private:
        Notes& notes_;
        std::vector<Note> riding_;
    };

private:
    const Time time_;
    std::atomic<std::size_t> waiting_count_{0};
    std::atomic<std::size_t> count_{0};  // waiting and riding
    std::atomic<bool> is_given_back_{false};
    std::atomic<std::uint64_t> dropped_{0};
    std::mutex mutex_;
    std::vector<Note> waiting_;  // guarded by mutex_
};

}  // namespace umavez::pg
