#include "modules/fiscal/rules/void_deadline.hpp"

#include <fmt/format.h>

namespace umavez::fiscal {
namespace {

using namespace std::chrono;

constexpr hours brasilia{-3};
constexpr day last_day{10};

}  // namespace

year_month_day local_date(Instant instant) noexcept
{
    return year_month_day{floor<days>(instant + brasilia)};
}

year_month_day void_deadline(Instant reserved_at) noexcept
{
    const year_month_day date = local_date(reserved_at);
    const year_month next = date.year() / date.month() + months{1};
    return next / last_day;
}

Instant void_deadline_open_since(Instant now) noexcept
{
    const year_month_day today = local_date(now);
    const year_month this_month = today.year() / today.month();
    // Until the 10th, last month's numbers may still be voided.
    const year_month first = today.day() <= last_day ? this_month - months{1} : this_month;
    return sys_days{first / day{1}} - brasilia;
}

std::string to_text(year_month_day date)
{
    return fmt::format(
        "{:04}-{:02}-{:02}",
        static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day())
    );
}

}  // namespace umavez::fiscal
