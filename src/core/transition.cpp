#include "core/transition.hpp"

#include <algorithm>
#include <utility>

namespace umavez {
namespace {

// What stays when the owner, or a bystander without a new claim, writes.
Draft continue_as(const Record& record, Status status)
{
    return {
        .target = record.target,
        .fingerprint = record.fingerprint,
        .status = status,
        .mode = record.mode,
        .execution = record.token.execution,
        .attempts = record.attempts,
        .takeovers = record.takeovers,
        .checkpoint = record.checkpoint,
        .created_at = record.created_at,
    };
}

bool is_final_client_error(int status) noexcept
{
    if (status < 400 || status > 499) return false;
    static constexpr int passing[] = {401, 403, 408, 409, 412, 423, 425, 428, 429};
    return std::ranges::find(passing, status) == std::end(passing);
}

}  // namespace

Verdict judge(int response_status, const Policy& policy) noexcept
{
    const bool is_leased = policy.guarantee == Guarantee::leased;
    if (response_status >= 200 && response_status <= 399) return Verdict::succeed;
    if (is_final_client_error(response_status) &&
        (is_leased || policy.finality == Finality::standard)) {
        return Verdict::fail_final;
    }
    return is_leased ? Verdict::doubt : Verdict::release;
}

std::optional<Duration> processing_expires_in(const Policy& policy, Mode mode) noexcept
{
    const bool may_vanish = mode == Mode::run && policy.guarantee == Guarantee::cached &&
                            on_abandoned_of(policy) == OnAbandoned::rerun && policy.retention;
    return may_vanish ? std::optional{policy.lease + *policy.retention} : std::nullopt;
}

Draft claim_draft(
    const Record* found,
    const Request& request,
    const Policy& policy,
    const Claim& claim,
    const Execution& execution
)
{
    Draft draft{
        .target = request.target,
        .fingerprint = request.fingerprint,
        .status = Status::processing,
        .mode = claim.mode,
        .raise_epoch = true,
        .execution = execution,
        .attempts = 1,
        .lease = policy.lease,
        .expires_in = processing_expires_in(policy, claim.mode),
    };
    if (found == nullptr || claim.new_lifetime) return draft;

    draft.created_at = found->created_at;
    draft.attempts = found->attempts + 1;
    if (is_completed(*found)) return draft;  // released: this request starts over

    draft.target = found->target;
    draft.fingerprint = found->fingerprint;
    draft.checkpoint = found->checkpoint;
    draft.takeovers = found->takeovers + (claim.takeover ? 1 : 0);
    return draft;
}

Draft complete_draft(
    const Record& owned, Status status, std::optional<StoredResponse> response, const Policy& policy
)
{
    Draft draft = continue_as(owned, status);
    draft.final = status == Status::failed;
    draft.response = std::move(response);
    draft.checkpoint.clear();
    draft.expires_in = policy.retention;
    return draft;
}

Draft release_draft(
    const Record& owned, std::optional<StoredResponse> response, const Policy& policy
)
{
    Draft draft = continue_as(owned, Status::failed);
    draft.response = std::move(response);
    draft.expires_in = policy.retention;
    return draft;
}

Draft doubt_draft(const Record& owned, Duration retry_in)
{
    Draft draft = continue_as(owned, Status::in_doubt);
    draft.retry_in = retry_in;
    return draft;
}

Draft hold_draft(const Record& found, const Policy& policy)
{
    // The token stays: a late owner that knows the answer still settles the record.
    return doubt_draft(found, policy.settle);
}

Draft run_draft(const Record& owned, const Policy& policy)
{
    Draft draft = continue_as(owned, Status::processing);
    draft.mode = Mode::run;
    draft.lease = policy.lease;
    draft.expires_in = processing_expires_in(policy, draft.mode);
    return draft;
}

Draft save_draft(const Record& owned, std::string checkpoint, const Policy& policy)
{
    Draft draft = continue_as(owned, Status::processing);
    draft.checkpoint = std::move(checkpoint);
    draft.lease = policy.lease;
    draft.expires_in = processing_expires_in(policy, draft.mode);
    return draft;
}

Draft operator_release_draft(
    const Record& found, const Execution& execution, std::optional<Duration> retention
)
{
    Draft draft = continue_as(found, Status::failed);
    draft.raise_epoch = true;
    draft.execution = execution;
    draft.takeovers = 0;
    draft.expires_in = retention;
    return draft;
}

Draft operator_resolve_draft(
    const Record& found,
    Status status,
    std::optional<StoredResponse> response,
    const Execution& execution,
    std::optional<Duration> retention
)
{
    Draft draft = continue_as(found, status);
    draft.final = status == Status::failed;
    draft.raise_epoch = true;
    draft.execution = execution;
    draft.response = std::move(response);
    draft.checkpoint.clear();
    draft.expires_in = retention;
    return draft;
}

Expected owner_expects(const FencingToken& token)
{
    return {.token = token, .statuses = bit(Status::processing)};
}

Expected settler_expects(const FencingToken& token)
{
    return {
        .token = token,
        .statuses = static_cast<std::uint8_t>(bit(Status::processing) | bit(Status::in_doubt)),
    };
}

Expected bystander_expects(const Record& found)
{
    return {
        .token = found.token,
        .statuses = bit(found.status),
        .processing_expires_at = found.processing_expires_at,
    };
}

Expected takeover_expects(const Record& found, const Policy& policy)
{
    Expected expected = bystander_expects(found);
    if (found.status != Status::processing) return expected;  // no lease to be over
    const bool settles = found.mode == Mode::run &&
                         on_abandoned_of(policy) == OnAbandoned::reconcile;
    expected.lease_over_for = settles ? policy.settle : Duration{0};
    return expected;
}

bool is_same_completion(const Record& there, const FencingToken& token, const Draft& draft) noexcept
{
    if (there.token != token || there.status != draft.status) return false;
    if (there.final != draft.final) return false;  // a release is no completion
    if (there.response.has_value() != draft.response.has_value()) return false;
    return !draft.response || there.response->digest == draft.response->digest;
}

Duration backoff(std::uint32_t attempts, double random) noexcept
{
    constexpr Duration longest = std::chrono::minutes{10};
    const std::uint32_t doublings = std::min<std::uint32_t>(attempts == 0 ? 0 : attempts - 1, 20);
    const Duration full = std::min(longest, Duration{std::chrono::seconds{1}} * (1 << doublings));
    const Duration half = full / 2;
    const auto drawn = static_cast<Duration::rep>(static_cast<double>(half.count()) * random);
    return half + Duration{drawn};
}

}  // namespace umavez
