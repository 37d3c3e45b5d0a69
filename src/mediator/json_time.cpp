#include <umavez/mediator/json_time.hpp>

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace umavez::detail {
namespace {

using std::chrono::year_month_day;

// A number of exactly these digits, which are taken off `text`.
std::optional<unsigned> take_digits(std::string_view& text, std::size_t count)
{
    unsigned value = 0;
    if (text.size() < count) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + count, value);
    if (error != std::errc{} || end != text.data() + count) return std::nullopt;
    text.remove_prefix(count);
    return value;
}

bool take(std::string_view& text, char c)
{
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
}

std::optional<year_month_day> take_date(std::string_view& text)
{
    const auto year = take_digits(text, 4);
    if (!year || !take(text, '-')) return std::nullopt;
    const auto month = take_digits(text, 2);
    if (!month || !take(text, '-')) return std::nullopt;
    const auto day = take_digits(text, 2);
    if (!day) return std::nullopt;
    const year_month_day date{
        std::chrono::year{static_cast<int>(*year)},
        std::chrono::month{*month},
        std::chrono::day{*day}
    };
    return date.ok() ? std::optional{date} : std::nullopt;
}

// ":30" and the like.
std::optional<unsigned> take_sixtieth(std::string_view& text)
{
    if (!take(text, ':')) return std::nullopt;
    const auto value = take_digits(text, 2);
    return value && *value < 60 ? value : std::nullopt;
}

std::optional<std::uint32_t> take_nanoseconds(std::string_view& text)
{
    if (!take(text, '.')) return 0;
    std::uint32_t value = 0;
    std::size_t count = 0;
    for (; count < 9 && !text.empty() && text.front() >= '0' && text.front() <= '9'; ++count) {
        value = value * 10 + static_cast<std::uint32_t>(text.front() - '0');
        text.remove_prefix(1);
    }
    if (count == 0) return std::nullopt;
    for (; count < 9; ++count) value *= 10;
    return value;
}

std::optional<TimeParts> parse_time(std::string_view text)
{
    const auto date = take_date(text);
    if (!date || !take(text, 'T')) return std::nullopt;
    const auto hours = take_digits(text, 2);
    if (!hours || *hours > 23) return std::nullopt;
    const auto minutes = take_sixtieth(text);
    if (!minutes) return std::nullopt;
    const auto seconds = take_sixtieth(text);
    if (!seconds) return std::nullopt;
    const auto nanoseconds = take_nanoseconds(text);
    if (!nanoseconds || !take(text, 'Z') || !text.empty()) return std::nullopt;
    const std::int64_t days = std::chrono::sys_days{*date}.time_since_epoch().count();
    return TimeParts{
        days * 86'400 + std::int64_t{*hours} * 3'600 + std::int64_t{*minutes} * 60 + *seconds,
        *nanoseconds
    };
}

std::optional<std::string> date_text(const year_month_day& date)
{
    const int year = static_cast<int>(date.year());
    if (!date.ok() || year < 0 || year > 9999) return std::nullopt;
    return fmt::format(
        "{:04}-{:02}-{:02}",
        year,
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day())
    );
}

}  // namespace

JsonFailure write_time(const TimeParts& parts, int decimals, JsonText& out)
{
    const std::chrono::sys_seconds time{std::chrono::seconds{parts.seconds}};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const auto date = date_text(year_month_day{day});
    if (!date) return JsonProblem{"the time is not in the years 0 to 9999"};
    const std::chrono::hh_mm_ss clock{time - day};
    std::string text = fmt::format(
        "{}T{:02}:{:02}:{:02}",
        *date,
        clock.hours().count(),
        clock.minutes().count(),
        clock.seconds().count()
    );
    if (decimals > 0) {
        const std::string digits = fmt::format("{:09}", parts.nanoseconds);
        text += '.';
        text += digits.substr(0, static_cast<std::size_t>(decimals));
    }
    text += 'Z';
    return out.string(text);
}

JsonFailure read_time(const JsonView& json, TimeParts& parts)
{
    const auto text = json.string();
    const auto read = text ? parse_time(*text) : std::nullopt;
    if (!read) return JsonProblem{"expected a time like 2026-01-31T12:00:00Z"};
    parts = *read;
    return std::nullopt;
}

JsonFailure write_date(const year_month_day& date, JsonText& out)
{
    const auto text = date_text(date);
    if (!text) return JsonProblem{"the date does not exist, or is not in the years 0 to 9999"};
    return out.string(*text);
}

JsonFailure read_date(const JsonView& json, year_month_day& date)
{
    const auto text = json.string();
    std::string_view rest = text.value_or("");
    const auto read = take_date(rest);
    if (!read || !rest.empty()) return JsonProblem{"expected a date like 2026-01-31"};
    date = *read;
    return std::nullopt;
}

}  // namespace umavez::detail
