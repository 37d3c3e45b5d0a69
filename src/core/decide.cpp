#include "core/decide.hpp"

#include <algorithm>

namespace umavez {
namespace {

InDoubt in_doubt(const Record& record, const Policy& policy, Instant now)
{
    if (!policy.has_reconciler || !record.retry_at) return {};
    return {.retry_after = std::max(*record.retry_at - now, Duration{0})};
}

Hold hold(const Policy& policy)
{
    return {.retry_after = policy.has_reconciler ? std::optional{policy.settle} : std::nullopt};
}

Decision decide_abandoned(const Record& record, const Policy& policy, Instant now)
{
    const Instant ended = *record.processing_expires_at;
    if (record.mode == Mode::reconcile) return Claim{.mode = Mode::reconcile, .takeover = true};
    switch (on_abandoned_of(policy)) {
        case OnAbandoned::rerun:
            if (record.takeovers >= policy.takeovers_max) return hold(policy);
            return Claim{.mode = Mode::run, .takeover = true};
        case OnAbandoned::reconcile:
            // A request still in flight may land after the authority said "absent".
            if (now < ended + policy.settle) return InProgress{ended + policy.settle - now};
            return Claim{.mode = Mode::reconcile, .takeover = true};
        case OnAbandoned::hold:
        case OnAbandoned::automatic: return hold(policy);
    }
    return hold(policy);
}

Decision decide_processing(const Record& record, const Policy& policy, Instant now)
{
    if (is_lease_over(record, now)) return decide_abandoned(record, policy, now);
    if (!record.processing_expires_at) return InProgress{policy.lease};
    return InProgress{*record.processing_expires_at - now};
}

Decision decide_in_doubt(
    const Record& record, const Request& request, const Policy& policy, Instant now
)
{
    const bool is_due = request.asks_now || (record.retry_at && *record.retry_at <= now);
    if (!policy.has_reconciler || !is_due) return in_doubt(record, policy, now);
    return Claim{.mode = Mode::reconcile};
}

}  // namespace

Decision decide(const Record* found, const Request& request, const Policy& policy, Instant now)
{
    if (found == nullptr || is_spent(*found, now)) return Claim{.new_lifetime = true};
    if (found->status == Status::failed && !found->final) return Claim{};
    if (found->target != request.target) return Mismatch{.target = true};
    if (found->fingerprint != request.fingerprint && policy.on_mismatch == OnMismatch::reject) {
        return Mismatch{};
    }
    switch (found->status) {
        case Status::succeeded:
        case Status::failed: return Replay{};
        case Status::processing: return decide_processing(*found, policy, now);
        case Status::in_doubt: return decide_in_doubt(*found, request, policy, now);
    }
    return InDoubt{};
}

bool is_completed(const Record& record) noexcept
{
    return record.status == Status::succeeded || record.status == Status::failed;
}

bool is_spent(const Record& record, Instant now) noexcept
{
    if (!record.expires_at || now < *record.expires_at) return false;
    // Only cached operations under rerun write `expires_at` on a record that is still processing. An
    // enquiry is no such record: it stands for a doubt, and a doubt never expires.
    return is_completed(record) || (record.mode == Mode::run && is_lease_over(record, now));
}

bool is_lease_over(const Record& record, Instant now) noexcept
{
    return record.status == Status::processing && record.processing_expires_at &&
           *record.processing_expires_at <= now;
}

OnAbandoned on_abandoned_of(const Policy& policy) noexcept
{
    if (policy.on_abandoned != OnAbandoned::automatic) return policy.on_abandoned;
    if (policy.guarantee == Guarantee::cached) return OnAbandoned::rerun;
    return policy.has_reconciler ? OnAbandoned::reconcile : OnAbandoned::hold;
}

std::string_view to_text(const Decision& decision) noexcept
{
    static constexpr std::string_view names[] = {
        "claim", "replay", "in_progress", "in_doubt", "mismatch", "hold"
    };
    return names[decision.index()];
}

}  // namespace umavez
