#include "modules/mailing/rate.hpp"

#include <algorithm>
#include <cmath>

namespace umavez::mailing {
namespace {

constexpr double made_up_for = 100'000;  // a tenth of a second: threads are not woken on time

}  // namespace

Rate::Rate(double per_second) noexcept
    : interval_(per_second > 0 ? 1'000'000 / per_second : 0),
      slack_(std::max(made_up_for - interval_, 0.0))
{
}

Duration Rate::reserve(Duration now)
{
    if (interval_ == 0) return now;
    const auto at = static_cast<double>(now.count());
    const std::lock_guard guard{mutex_};
    const double place = std::max(next_, at - slack_);
    next_ = place + interval_;
    return std::max(now, Duration{std::llround(place)});
}

}  // namespace umavez::mailing
