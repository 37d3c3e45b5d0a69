#pragma once

// Until when the number of a document that was never sent may be voided: the 10th day of the month after
// the one it was reserved in (Ajuste SINIEF 07/05, clause 14; 19/16, clause 16), by the date in Brasília,
// which has had no summer time since 2019. Pure, thread-safe.

#include <umavez/time.hpp>

#include <chrono>
#include <string>

namespace umavez::fiscal {

// The date in Brasília.
std::chrono::year_month_day local_date(Instant instant) noexcept;

// The last day on which it may be done.
std::chrono::year_month_day void_deadline(Instant reserved_at) noexcept;

// The first moment of which the deadline is not over at `now`: whatever was reserved before is too late.
Instant void_deadline_open_since(Instant now) noexcept;

std::string to_text(std::chrono::year_month_day date);  // "2026-12-10"

}  // namespace umavez::fiscal
