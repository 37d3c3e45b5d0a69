#pragma once

// StripedCounters: counters spread over cache lines, so that counting costs a few nanoseconds even
// when all threads count the same. Thread-safe.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace umavez {

template <std::size_t size>
class StripedCounters {
public:
    void add(std::size_t counter) noexcept
    {
        stripe().counts[counter].fetch_add(1, std::memory_order_relaxed);
    }

    std::uint64_t read(std::size_t counter) const noexcept
    {
        std::uint64_t sum = 0;
        for (const Stripe& stripe : stripes_) {
            sum += stripe.counts[counter].load(std::memory_order_relaxed);
        }
        return sum;
    }

private:
    struct alignas(64) Stripe {
        std::array<std::atomic<std::uint64_t>, size> counts{};
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
