#include "webhook/stamp.hpp"

#include "base/shown.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

namespace umavez::webhook {

using std::chrono::seconds;
using std::chrono::sys_seconds;

std::expected<sys_seconds, Refusal> parse_stamp(
    std::string_view text, StampUnit unit, std::string_view where
)
{
    // 15 digits of seconds still fit when an age is computed from them.
    constexpr std::size_t digits_max = 15;
    constexpr std::int64_t milliseconds_from = 100'000'000'000;
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || text.size() > digits_max) {
        return refuse(
            Fault::bad_timestamp,
            fmt::format("{} \"{}\" is no number of seconds since 1970", where, shown(text))
        );
    }
    auto count = static_cast<std::int64_t>(value);
    if (unit == StampUnit::by_magnitude && count >= milliseconds_from) count /= 1000;
    return sys_seconds{seconds{count}};
}

Checked check_age(sys_seconds stamp, Duration tolerance, Instant now)
{
    const seconds age = std::chrono::floor<seconds>(now) - stamp;
    const auto most = std::chrono::floor<seconds>(tolerance);
    if (age > most) {
        return refuse(
            Fault::bad_timestamp,
            fmt::format(
                "signed {} s ago, more than the tolerance of {} s", age.count(), most.count()
            )
        );
    }
    if (-age > most) {
        return refuse(
            Fault::bad_timestamp,
            fmt::format(
                "signed {} s in the future, more than the tolerance of {} s; compare the clocks",
                -age.count(),
                most.count()
            )
        );
    }
    return {};
}

std::string to_stamp(Instant now)
{
    return std::to_string(std::chrono::floor<seconds>(now).time_since_epoch().count());
}

}  // namespace umavez::webhook
