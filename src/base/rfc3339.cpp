#include "base/rfc3339.hpp"

#include <fmt/format.h>

#include <chrono>

namespace umavez {
namespace {

constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd.ddddddZ";

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

}  // namespace

std::string to_rfc3339(Instant instant)
{
    const auto day = std::chrono::floor<std::chrono::days>(instant);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{instant - day};
    return fmt::format(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z",
        static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()),
        time.hours().count(),
        time.minutes().count(),
        time.seconds().count(),
        time.subseconds().count()
    );
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
