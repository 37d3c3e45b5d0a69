#pragma once

// Times in JSON: instants of the system's clock as RFC 3339 in UTC, with as many decimals as their
// type has; days and dates as "2026-01-31", years 0000 to 9999; durations with their unit. Thread-safe.

#include <umavez/mediator/json_text.hpp>

#include <charconv>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <ratio>
#include <string>
#include <string_view>

namespace umavez::detail {

struct TimeParts {
    std::int64_t seconds = 0;       // since 1970
    std::uint32_t nanoseconds = 0;  // 0 to 999,999,999
};

JsonFailure write_time(const TimeParts& parts, int decimals, JsonText& out);
JsonFailure read_time(const JsonView& json, TimeParts& parts);
JsonFailure write_date(const std::chrono::year_month_day& date, JsonText& out);
JsonFailure read_date(const JsonView& json, std::chrono::year_month_day& date);

// 3 for milliseconds, 9 for nanoseconds; -1: a fraction that decimals do not tell exactly.
template <typename Period>
consteval int decimals_of()
{
    std::intmax_t denominator = 1;
    for (int decimals = 0; decimals <= 9; ++decimals, denominator *= 10) {
        if (denominator == Period::den) return decimals;
    }
    return -1;
}

// From 0000-01-01 to 9999-12-31, and, because int64 has fewer nanoseconds, a second from what D has. Asked in
// floating point, where nothing overflows.
template <typename D>
bool fits(long double seconds) noexcept
{
    using Seconds = std::chrono::duration<long double>;
    const long double least = Seconds{D::min()}.count() + 1;
    const long double most = Seconds{D::max()}.count() - 1;
    return seconds >= -62'167'219'200.0L && seconds < 253'402'300'800.0L && seconds > least &&
           seconds < most;
}

inline constexpr const char* no_such_time =
    "the time is not in the years 0 to 9999, or does not fit";

template <typename D>
JsonFailure write_time(const std::chrono::sys_time<D>& time, JsonText& out)
{
    constexpr int decimals = decimals_of<typename D::period>();
    static_assert(decimals >= 0, "umavez: this clock does not count in decimals of a second");
    const D since = time.time_since_epoch();
    if (!fits<D>(std::chrono::duration<long double>{since}.count()))
        return JsonProblem{no_such_time};
    if constexpr (std::same_as<D, std::chrono::days>) {
        return write_date(std::chrono::year_month_day{time}, out);
    } else {
        const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
        const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(since - seconds);
        return write_time(
            {seconds.count(), static_cast<std::uint32_t>(rest.count())}, decimals, out
        );
    }
}

template <typename D>
JsonFailure read_time(const JsonView& json, std::chrono::sys_time<D>& time)
{
    if constexpr (std::same_as<D, std::chrono::days>) {
        std::chrono::year_month_day date{};
        if (JsonFailure failure = read_date(json, date)) return failure;
        time = date;
    } else {
        TimeParts parts;
        if (JsonFailure failure = read_time(json, parts)) return failure;
        const std::chrono::seconds whole{parts.seconds};
        const std::chrono::nanoseconds rest{parts.nanoseconds};
        const std::chrono::duration<long double> all =
            whole + std::chrono::duration<long double>{rest};
        if (!fits<D>(all.count())) return JsonProblem{no_such_time};
        const D value = std::chrono::duration_cast<D>(whole) + std::chrono::duration_cast<D>(rest);
        const auto seconds = std::chrono::floor<std::chrono::seconds>(value);
        if (seconds != whole || value - seconds != rest)
            return JsonProblem{"the time is more precise"};
        time = std::chrono::sys_time<D>{value};
    }
    return std::nullopt;
}

// The unit is part of the text: a count of seconds must not be read as one of milliseconds.
template <typename Period>
consteval std::string_view unit_of()
{
    if constexpr (std::ratio_equal_v<Period, std::nano>) return "ns";
    if constexpr (std::ratio_equal_v<Period, std::micro>) return "us";
    if constexpr (std::ratio_equal_v<Period, std::milli>) return "ms";
    if constexpr (std::ratio_equal_v<Period, std::ratio<1>>) return "s";
    if constexpr (std::ratio_equal_v<Period, std::ratio<60>>) return "min";
    if constexpr (std::ratio_equal_v<Period, std::ratio<3600>>) return "h";
    if constexpr (std::ratio_equal_v<Period, std::ratio<86400>>) return "d";
    return "";
}

template <typename Rep, typename Period>
JsonFailure write_duration(const std::chrono::duration<Rep, Period>& duration, JsonText& out)
{
    constexpr std::string_view unit = unit_of<Period>();
    static_assert(!unit.empty(), "umavez: durations are written in ns, us, ms, s, min, h or d");
    return out.string(std::to_string(duration.count()) + std::string{unit});
}

template <typename Rep, typename Period>
JsonFailure read_duration(const JsonView& json, std::chrono::duration<Rep, Period>& duration)
{
    constexpr std::string_view unit = unit_of<Period>();
    const std::string_view text = json.string().value_or("");
    const char* const end = text.data() + text.size();
    Rep count{};
    const auto [rest, error] = std::from_chars(text.data(), end, count);
    if (error != std::errc{} || std::string_view{rest, end} != unit) {
        return JsonProblem{"expected a duration like 90" + std::string{unit}};
    }
    duration = std::chrono::duration<Rep, Period>{count};
    return std::nullopt;
}

}  // namespace umavez::detail
