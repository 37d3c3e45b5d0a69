#pragma once

// The writes of the engine, each a pure function from what was read to the draft to be written.
//
// `owned` is the record as its owner claimed it; only the owner's conditions (owner_expects,
// settler_expects) may guard such a draft. `found` is a record somebody else read, guarded by
// bystander_expects. Thread-safe.

#include "core/decide.hpp"
#include "core/draft.hpp"

namespace umavez {

// What a handler's result does to its record.
enum class Verdict : std::uint8_t {
    succeed,     // kept: succeeded
    fail_final,  // kept: failed, replayed
    release,     // not kept: the key is free for a new claim
    doubt,       // leased: nobody knows whether the effect happened
};

Verdict judge(int response_status, const Policy& policy) noexcept;

// How long a record that is being run may stay if nobody ever comes back to it. Only under `cached` with
// `rerun`, where an abandoned run means the same as none; an enquiry stands for a doubt and stays. Claims,
// saves and heartbeats all prolong it.
std::optional<Duration> processing_expires_in(const Policy& policy, Mode mode) noexcept;

Draft claim_draft(
    const Record* found,
    const Request& request,
    const Policy& policy,
    const Claim& claim,
    const Execution& execution
);
Draft complete_draft(
    const Record& owned, Status status, std::optional<StoredResponse> response, const Policy& policy
);
Draft release_draft(
    const Record& owned, std::optional<StoredResponse> response, const Policy& policy
);
Draft doubt_draft(const Record& owned, Duration retry_in);
Draft hold_draft(const Record& found, const Policy& policy);
Draft run_draft(const Record& owned, const Policy& policy);  // after the world said "did not happen"
Draft save_draft(const Record& owned, std::string checkpoint, const Policy& policy);

// An operator's writes: a new epoch fences a late owner.
Draft operator_release_draft(
    const Record& found, const Execution& execution, std::optional<Duration> retention
);
Draft operator_resolve_draft(
    const Record& found,
    Status status,
    std::optional<StoredResponse> response,
    const Execution& execution,
    std::optional<Duration> retention
);

Expected owner_expects(const FencingToken& token);    // save, doubt, run: processing only
Expected settler_expects(const FencingToken& token);  // finish, fail: in_doubt with the same token too
Expected bystander_expects(const Record& found);
Expected takeover_expects(const Record& found, const Policy& policy);

// The completion that is there is the one we were about to write.
bool is_same_completion(const Record& there, const FencingToken& token, const Draft& draft) noexcept;

// With `response_bytes_max` exceeded only status, entity and digest are kept.
StoredResponse to_stored(Response response, std::size_t response_bytes_max);
bool is_intact(const StoredResponse& stored) noexcept;

// 1 s, 2 s, 4 s … 10 min, each half fixed and half drawn by `random` in [0, 1).
Duration backoff(std::uint32_t attempts, double random) noexcept;

}  // namespace umavez
