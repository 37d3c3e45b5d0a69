#include "modules/fiscal/guard_rule.hpp"

#include <algorithm>

namespace umavez::fiscal {

namespace {

Duration interval_of(const GuardRule& rule) noexcept
{
    return Duration{std::chrono::minutes{1}} / rule.per_minute;
}

}  // namespace

Permission ask(GuardState& state, const GuardRule& rule, GuardedCall call, Instant now) noexcept
{
    if (now < state.blocked_until) {
        return {.is_given = false, .is_blocked = true, .wait = state.blocked_until - now};
    }
    if (call == GuardedCall::change || rule.per_minute <= 0) return {};
    const Duration interval = interval_of(rule);
    const Duration tolerance = interval * (std::max<std::int64_t>(rule.burst, 1) - 1);
    const Instant arrival = std::max(state.next_at, now);
    if (arrival - tolerance > now) return {.is_given = false, .wait = arrival - tolerance - now};
    state.next_at = arrival + interval;
    return {};
}

void charge(GuardState& state, const GuardRule& rule, std::int64_t exchanges, Instant now) noexcept
{
    if (rule.per_minute <= 0 || exchanges <= 0) return;
    state.next_at = std::max(state.next_at, now) + interval_of(rule) * exchanges;
}

void block(GuardState& state, std::optional<Duration> wish, Duration usual, Instant now) noexcept
{
    const Duration length = wish && *wish > Duration{0} ? *wish : usual;
    state.blocked_until = std::max(state.blocked_until, now + length);
}

}  // namespace umavez::fiscal
