#include "engine/tally.hpp"

namespace umavez {

Count Tally::count_of(const Outcome& outcome) noexcept
{
    // In the order of Outcome's alternatives.
    static constexpr std::array counts = {Count::executed, Count::replayed, Count::in_progress,
                                          Count::mismatch, Count::in_doubt, Count::unavailable,
                                          Count::unkeyed};
    static_assert(counts.size() == std::variant_size_v<Outcome>);
    return counts[outcome.index()];
}

void Tally::add(const Outcome& outcome) noexcept
{
    add(count_of(outcome));
    const auto* const executed = std::get_if<Executed>(&outcome);
    if (executed != nullptr && executed->unprotected) add(Count::unprotected);
    const auto* const replayed = std::get_if<Replayed>(&outcome);
    if (replayed != nullptr && replayed->waited) add(Count::replayed_after_wait);
}

std::uint64_t Tally::total() const noexcept
{
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Count::count_); ++i) total += counters_.read(i);
    return total;
}

OperationStats Tally::to_stats() const
{
    OperationStats stats;
    stats.executed = read(Count::executed);
    stats.replayed = read(Count::replayed);
    stats.replayed_after_wait = read(Count::replayed_after_wait);
    stats.in_progress = read(Count::in_progress);
    stats.mismatch = read(Count::mismatch);
    stats.mismatch_ignored = read(Count::mismatch_ignored);
    stats.in_doubt = read(Count::in_doubt);
    stats.unavailable = read(Count::unavailable);
    stats.unkeyed = read(Count::unkeyed);
    stats.unprotected = read(Count::unprotected);
    stats.claims = read(Count::claims);
    stats.takeovers = read(Count::takeovers);
    stats.reconciled = read(Count::reconciled);
    stats.released = read(Count::released);
    stats.fenced = read(Count::fenced);
    stats.leases_lost = read(Count::leases_lost);
    stats.leases_dropped = read(Count::leases_dropped);
    return stats;
}

}  // namespace umavez
