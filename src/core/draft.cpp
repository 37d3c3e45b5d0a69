#include "core/draft.hpp"

#include "core/decide.hpp"

#include <algorithm>
#include <utility>

namespace umavez {

std::int64_t next_epoch(std::int64_t previous, Instant now) noexcept
{
    return std::max(previous + 1, to_micros(now));
}

Record to_record(const Draft& draft, const Record* previous, Instant now)
{
    return to_record(Draft{draft}, previous, now);
}

Record to_record(Draft&& draft, const Record* previous, Instant now)
{
    const std::int64_t epoch = previous == nullptr ? 0 : previous->token.epoch;
    const auto at = [now](const std::optional<Duration>& in) {
        return in ? std::optional{now + *in} : std::nullopt;
    };
    Record record{
        .target = draft.target,
        .fingerprint = draft.fingerprint,
        .status = draft.status,
        .final = draft.final,
        .mode = draft.mode,
        .token =
            {.epoch = draft.raise_epoch ? next_epoch(epoch, now) : epoch,
             .execution = draft.execution},
        .attempts = draft.attempts,
        .takeovers = draft.takeovers,
        .retry_at = at(draft.retry_in),
        .response = std::move(draft.response),
        .checkpoint = std::move(draft.checkpoint),
        .created_at = draft.created_at.value_or(now),
        .updated_at = now,
        .completed_at = std::nullopt,
        .processing_expires_at = at(draft.lease),
        .expires_at = at(draft.expires_in),
    };
    if (is_completed(record)) record.completed_at = now;
    return record;
}

bool matches(const Record& record, const Expected& expected, Instant now) noexcept
{
    if (record.token != expected.token) return false;
    if ((bit(record.status) & expected.statuses) == 0) return false;
    if (expected.processing_expires_at &&
        record.processing_expires_at != *expected.processing_expires_at) {
        return false;
    }
    if (expected.lease_over_for) {
        return is_lease_over(record, now - *expected.lease_over_for);
    }
    return true;
}

}  // namespace umavez
