#pragma once

// Tally: what happened, counted per operation. Thread-safe.

#include "base/striped_counters.hpp"

#include <umavez/engine.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace umavez {

enum class Count : std::uint8_t {
    executed,
    replayed,
    in_progress,
    mismatch,
    mismatch_ignored,
    in_doubt,
    unavailable,
    unkeyed,
    unprotected,
    claims,
    takeovers,
    reconciled,
    released,
    fenced,
    leases_lost,
    leases_dropped,
    replayed_after_wait,
    count_,
};

class Tally {
public:
    void add(Count count) noexcept { counters_.add(static_cast<std::size_t>(count)); }

    void add(const Outcome& outcome) noexcept;

    static Count count_of(const Outcome& outcome) noexcept;

    std::uint64_t read(Count count) const noexcept
    {
        return counters_.read(static_cast<std::size_t>(count));
    }

    std::uint64_t total() const noexcept;  // of all counts

    OperationStats to_stats() const;

private:
    StripedCounters<static_cast<std::size_t>(Count::count_)> counters_;
};

}  // namespace umavez
