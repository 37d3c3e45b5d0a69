#include "work/retry_delay.hpp"

#include <algorithm>

namespace umavez::work {

Duration retry_delay(const RetryRule& rule, std::uint32_t failures, double random) noexcept
{
    Duration bound = rule.first;
    for (std::uint32_t i = 1; i < failures && bound < rule.longest; ++i) bound *= 2;
    bound = std::min(bound, rule.longest);
    const auto drawn = static_cast<Duration::rep>(static_cast<double>(bound.count()) * random);
    return Duration{drawn};
}

}  // namespace umavez::work
