#include "base/rfc3339.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace umavez {
namespace {

constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd.ddddddZ";

// What the form can say.
constexpr Instant first = std::chrono::sys_days{std::chrono::year{0} / 1 / 1};
constexpr Instant last = std::chrono::sys_days{std::chrono::year{10'000} / 1 / 1} - Duration{1};

bool has_form(std::string_view text) noexcept
{
    if (text.size() != form.size()) return false;
    for (std::size_t i = 0; i < form.size(); ++i) {
        const bool is_digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == 'd' ? !is_digit : text[i] != form[i]) return false;
    }
    return true;
}

int number_at(std::string_view text, std::size_t at, std::size_t count) noexcept
{
    int number = 0;
    for (const char c : text.substr(at, count)) number = number * 10 + (c - '0');
    return number;
}

// By hand: a line of the log has a time, an answer has two; with a format string they were 3.5% of a replay.
void put_number(std::string& text, std::size_t at, std::size_t count, std::int64_t number) noexcept
{
    for (std::size_t i = at + count; i-- > at; number /= 10) {
        text[i] = static_cast<char>('0' + number % 10);
    }
}

}  // namespace

std::string to_rfc3339(Instant instant)
{
    instant = std::clamp(instant, first, last);
    const auto day = std::chrono::floor<std::chrono::days>(instant);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{instant - day};
    std::string text{form};
    put_number(text, 0, 4, static_cast<int>(date.year()));
    put_number(text, 5, 2, static_cast<unsigned>(date.month()));
    put_number(text, 8, 2, static_cast<unsigned>(date.day()));
    put_number(text, 11, 2, time.hours().count());
    put_number(text, 14, 2, time.minutes().count());
    put_number(text, 17, 2, time.seconds().count());
    put_number(text, 20, 6, time.subseconds().count());
    return text;
}

std::optional<Instant> parse_rfc3339(std::string_view text)
{
    if (!has_form(text)) return std::nullopt;
    const std::chrono::year_month_day date{
        std::chrono::year{number_at(text, 0, 4)},
        std::chrono::month{static_cast<unsigned>(number_at(text, 5, 2))},
        std::chrono::day{static_cast<unsigned>(number_at(text, 8, 2))}
    };
    const std::chrono::hours hours{number_at(text, 11, 2)};
    const std::chrono::minutes minutes{number_at(text, 14, 2)};
    const std::chrono::seconds seconds{number_at(text, 17, 2)};
    if (!date.ok() || hours.count() > 23 || minutes.count() > 59 || seconds.count() > 59) {
        return std::nullopt;
    }
    return std::chrono::sys_days{date} + hours + minutes + seconds +
           Duration{number_at(text, 20, 6)};
}

}  // namespace umavez
