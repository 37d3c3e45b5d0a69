#include "modules/mailing/verdict_rules.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace umavez::mailing {
namespace {

constexpr Duration behind_the_others = std::chrono::seconds{1};

std::optional<std::string> to_error(const mail::Delivered& delivered)
{
    if (delivered.detail.empty()) return std::string{to_text(delivered.verdict)};
    return delivered.detail;
}

}  // namespace

EntryResult to_result(
    const MarkedEntry& entry,
    const mail::Delivered& delivered,
    Incerteza incerteza,
    const work::RetryRule& retry,
    double random
)
{
    EntryResult result{.entry_id = entry.id};
    const auto attempts = static_cast<std::uint32_t>(entry.attempts) + 1;
    const bool is_last = attempts >= retry.attempts_max;
    switch (delivered.verdict) {
        case mail::Verdict::accepted:
            result.status = EntryStatus::sent;
            if (!delivered.external_id.empty()) result.external_id = delivered.external_id;
            return result;
        case mail::Verdict::refused: result.status = EntryStatus::failed; break;
        case mail::Verdict::put_off:
            result.status = is_last ? EntryStatus::failed : EntryStatus::pending;
            if (!is_last) result.due_in = retry_delay(retry, attempts, random);
            break;
        case mail::Verdict::unreachable:
            result.status = EntryStatus::pending;
            result.counts = false;
            result.due_in = behind_the_others;
            break;
        case mail::Verdict::unknown: {
            const bool again = incerteza == Incerteza::ao_menos_uma && !is_last;
            result.status = again ? EntryStatus::pending : EntryStatus::unknown;
            result.is_uncertain = true;
            if (again) result.due_in = retry_delay(retry, attempts, random);
            break;
        }
    }
    result.error = to_error(delivered);
    return result;
}

bool is_server_trouble(mail::Verdict verdict) noexcept
{
    return verdict == mail::Verdict::unreachable || verdict == mail::Verdict::unknown;
}

}  // namespace umavez::mailing
