#include "sweep/paced_claims.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace umavez::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Enough for a store that stands still for 100 ms at 300 claims a second.
constexpr std::size_t callers = 32;

// Nobody wakes it: the time is the point.
void wait_until(Clock::time_point at)
{
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock{mutex};
    while (never.wait_until(lock, at) != std::cv_status::timeout) continue;
}

}  // namespace

void ClaimTimes::add(const ClaimTimes& more)
{
    add(more.micros_);
}

void ClaimTimes::add(const std::vector<double>& micros)
{
    micros_.insert(micros_.end(), micros.begin(), micros.end());
}

double ClaimTimes::percentile(double share) const
{
    std::vector<double> values = micros_;
    const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
    const auto at = values.begin() + std::min(place, std::ssize(values) - 1);
    std::ranges::nth_element(values, at);
    return *at;
}

ClaimTimes PacedClaims::measure(std::chrono::milliseconds window)
{
    const auto began_at = Clock::now();
    const auto gap = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(1.0 / per_second_)
    );
    const std::int64_t count = window / gap;
    std::atomic<std::int64_t> turn{0};
    std::vector<std::vector<double>> micros(callers);
    {
        std::vector<std::jthread> threads;
        for (std::size_t caller = 0; caller < callers; ++caller) {
            threads.emplace_back([&, caller] {
                for (std::int64_t i = turn++; i < count; i = turn++) {
                    const auto due_at = began_at + gap * i;
                    wait_until(due_at);
                    Request request = requests_.make(next_ + static_cast<std::uint64_t>(i));
                    Begun begun = must(engine_.begin(std::move(request)));
                    const std::chrono::duration<double, std::micro> took = Clock::now() - due_at;
                    micros[caller].push_back(took.count());
                    must(std::get<Lease>(begun).finish(make_response()));
                }
            });
        }
    }
    next_ += static_cast<std::uint64_t>(count);
    ClaimTimes times;
    for (const auto& each : micros) times.add(each);
    return times;
}

}  // namespace umavez::bench
