#pragma once

// The two primitives and heartbeats for many members in one statement, which is its own
// transaction.
//
// Members are sorted by key, so that lanes do not wait for each other in a circle. A member that was not
// written is looked up in a second trip. The conditions of core/draft.hpp are judged by the database, in
// the same step as the write; tests/conformance holds the two together.
//
// Confined to the thread of the connection.

#include "database/postgres/connection.hpp"
#include "store/postgres/record_codec.hpp"
#include "store/store.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace umavez::pg {

// What rides along in the same transaction.
class Rider {
public:
    virtual ~Rider() = default;
    virtual void board(Connection& connection) = 0;
    virtual void landed() noexcept = 0;  // its words are committed, whatever becomes of the batch's answers
};

struct BatchTrip {
    Connection& connection;
    Rider* rider = nullptr;             // null: nobody
    std::optional<std::int64_t> clock;  // of a test
};

// How a batch ended, besides its answers.
struct BatchFailure {
    Error error;
    Remedy remedy = Remedy::none;
};
template <typename Answers>
using BatchResult = std::expected<Answers, BatchFailure>;

// The statement that replaces many, for a batch and for somebody's transaction. Its plan needs what lanes
// have: no sequential scans, no hash or merge joins.
class ReplaceStatement {
public:
    // `members` outlive it. `clock`: what time it is; nullopt: the server's, once it has the locks.
    ReplaceStatement(std::span<Replacement* const> members, std::optional<std::int64_t> clock);

    const StaticSql& sql() const;
    Parameters& parameters() noexcept { return parameters_; }
    // In the order of the members; of those that were not replaced nothing else is known.
    std::vector<Replaced> read(const Answer& answer) const;

private:
    std::span<Replacement* const> members_;
    std::vector<DraftRow> rows_;
    Parameters parameters_;
};

// Answers lie in the order of the members given.
BatchResult<std::vector<Found>> insert_or_get_batch(
    const BatchTrip& trip, std::span<Insertion* const> members
);
BatchResult<std::vector<Replaced>> replace_batch(
    const BatchTrip& trip, std::span<Replacement* const> members
);
BatchResult<std::vector<Replaced>> heartbeat_batch(
    const BatchTrip& trip, std::span<Heartbeat* const> members
);
// Nothing but the rider.
BatchResult<std::vector<Replaced>> ride_alone(const BatchTrip& trip);

}  // namespace umavez::pg
