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
    Record record;
    record.response = std::move(draft.response);
    if (previous != nullptr) record.token = previous->token;
    rewrite(record, std::move(draft), now);
    return record;
}

void rewrite(Record& record, Draft&& draft, Instant now)
{
    const auto at = [now](const std::optional<Duration>& in) {
        return in ? std::optional{now + *in} : std::nullopt;
    };
    record.target = draft.target;
    record.fingerprint = draft.fingerprint;
    record.status = draft.status;
    record.final = draft.final;
    record.mode = draft.mode;
    if (draft.raise_epoch) record.token.epoch = next_epoch(record.token.epoch, now);
    record.token.execution = draft.execution;
    record.attempts = draft.attempts;
    record.takeovers = draft.takeovers;
    record.retry_at = at(draft.retry_in);
    record.checkpoint = std::move(draft.checkpoint);
    record.created_at = draft.created_at.value_or(now);
    record.updated_at = now;
    record.completed_at = is_completed(record) ? std::optional{now} : std::nullopt;
    record.processing_expires_at = at(draft.lease);
    record.expires_at = at(draft.expires_in);
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
