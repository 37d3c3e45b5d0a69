#include "modules/fiscal/rules/retry_rule.hpp"

#include <algorithm>

namespace umavez::fiscal {

bool may_repeat(Act act, Word word) noexcept
{
    const bool is_question = act == Act::consult || act == Act::consult_cancel;
    switch (word) {
        case Word::later:
        case Word::unreached: return true;
        case Word::unknown: return is_question;
        case Word::authorised:
        case Word::cancelled:
        case Word::substituted:
        case Word::under_analysis:
        case Word::denied:
        case Word::refused:
        case Word::exists:
        case Word::absent:
        case Word::throttled: break;
    }
    return false;
}

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

Duration block_for(const RetryRule& rule, std::optional<Duration> wish) noexcept
{
    return wish && *wish > Duration{0} ? *wish : rule.throttle;
}

}  // namespace umavez::fiscal
