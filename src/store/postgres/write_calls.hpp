#pragma once

// WritingCalls: one batch of calls, and what is done when it fails.
//
//     a lost race (40001, 40P01)   again, a few times, after a pause of chance length
//     a server that says goodbye   the same: it did nothing, and the next connection may be better
//     a lock not had (55P03)       each call alone; only the one that is blocked is told so. Where the table
//                                  is locked, nobody is: store_unavailable
//     no answer                    store_unknown for all: the same call again finds out
//     no connection, no space      store_unavailable for all
//     anything else                each call alone, so that one member's fault is not its neighbours'
//
// Confined to one thread.

#include "store/postgres/lanes.hpp"

namespace umavez::pg {

// For is_table_locked().
const StaticSql& records_lock_probe();

class WritingCalls {
public:
    WritingCalls(PostgresDatabase& database, Notes& notes, Purpose purpose) noexcept
        : database_(database), notes_(notes), purpose_(purpose)
    {
    }

    // All of one kind. Each gets its result.
    void write(std::span<Call* const> calls) const noexcept;
    void write_notes() const noexcept;

private:
    void write_all(std::span<Call* const> calls) const;
    void write_waiting_notes() const;
    bool is_locked_out() const;
    // Nullopt: all have their answers.
    std::optional<BatchFailure> attempt(std::span<Call* const> calls, Notes::Ride* ride) const;

    PostgresDatabase& database_;
    Notes& notes_;
    const Purpose purpose_;
};

}  // namespace umavez::pg
