#pragma once

// Times in JSON: instants of the system's clock as RFC 3339 in UTC, with as many decimals as their
// type has; days and dates as "2026-01-31". Years 0000 to 9999. Thread-safe.

#include <umavez/mediator/json_text.hpp>

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

template <typename D>
JsonFailure write_time(const std::chrono::sys_time<D>& time, JsonText& out)
{
    if constexpr (std::same_as<D, std::chrono::days>) {
        return write_date(std::chrono::year_month_day{time}, out);
    } else {
        constexpr int decimals = decimals_of<typename D::period>();
        static_assert(decimals >= 0, "umavez: this clock does not count in decimals of a second");
        const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
        const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(time - seconds);
        const TimeParts parts{
            seconds.time_since_epoch().count(), static_cast<std::uint32_t>(rest.count())
        };
        return write_time(parts, decimals, out);
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
        // In nanoseconds an int64 spans the years 1677 to 2262 only.
        const std::chrono::seconds whole{parts.seconds};
        const std::chrono::nanoseconds rest{parts.nanoseconds};
        using Wide = std::chrono::duration<long double, typename D::period>;
        const auto wide = std::chrono::duration_cast<Wide>(whole);
        if (wide > D::max() - std::chrono::duration_cast<D>(std::chrono::seconds{1}) ||
            wide < D::min()) {
            return JsonProblem{"the time does not fit"};
        }
        const D value = std::chrono::duration_cast<D>(whole) + std::chrono::duration_cast<D>(rest);
        const auto seconds = std::chrono::floor<std::chrono::seconds>(value);
        const bool is_exact = seconds == whole && value - seconds == rest;
        if (!is_exact) return JsonProblem{"the time is more precise"};
        time = std::chrono::sys_time<D>{value};
    }
    return std::nullopt;
}

}  // namespace umavez::detail
