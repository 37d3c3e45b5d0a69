#pragma once

// Retry-After (RFC 9110, 10.2.3): how long the other side wants to be left alone. Pure, thread-safe.

#include <umavez/time.hpp>

#include <optional>
#include <string_view>

namespace umavez::outbound {

// From seconds or from a date; a date that is over is no wait at all, and nobody is waited for longer than
// a day. Nullopt: neither.
std::optional<Duration> parse_retry_after(std::string_view text, Instant now);

}  // namespace umavez::outbound
