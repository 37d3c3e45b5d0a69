#pragma once

// Tally: what happened, counted per operation. Spread over cache lines, so that counting costs a few
// nanoseconds even when all threads run the same operation. Thread-safe.

#include <umavez/engine.hpp>

#include <array>
#include <atomic>
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
    count_,
};

class Tally {
public:
    void add(Count count) noexcept
    {
        stripe().counts[static_cast<std::size_t>(count)].fetch_add(1, std::memory_order_relaxed);
    }

    void add(const Outcome& outcome) noexcept;

    static Count count_of(const Outcome& outcome) noexcept;

    std::uint64_t read(Count count) const noexcept
    {
        std::uint64_t sum = 0;
        for (const Stripe& stripe : stripes_) {
            sum += stripe.counts[static_cast<std::size_t>(count)].load(std::memory_order_relaxed);
        }
        return sum;
    }

    OperationStats to_stats() const;

private:
    struct alignas(64) Stripe {
        std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(Count::count_)> counts{};
    };

    Stripe& stripe() noexcept
    {
        static std::atomic<std::size_t> threads{0};
        thread_local const std::size_t mine = threads.fetch_add(1, std::memory_order_relaxed);
        return stripes_[mine % stripes_.size()];
    }

    std::array<Stripe, 8> stripes_;
};

}  // namespace umavez
