#include "modules/fiscal/rules/retry_rule.hpp"

#include <algorithm>

namespace umavez::fiscal {

std::optional<Duration> retry_delay(
    const RetryRule& rule, std::uint32_t made, std::optional<Duration> wish, double random
) noexcept
{
    if (made >= rule.attempts) return std::nullopt;
    if (wish) {
        if (*wish > rule.longest) return std::nullopt;
        return std::max(*wish, Duration{0});
    }
    Duration most = std::min(rule.first, rule.longest);
    for (std::uint32_t i = 1; i < made && most < rule.longest; ++i) {
        most = most > rule.longest / 2 ? rule.longest : most * 2;
    }
    return std::chrono::duration_cast<Duration>(most * random);
}

}  // namespace umavez::fiscal
