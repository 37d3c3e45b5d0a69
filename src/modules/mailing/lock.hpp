#pragma once

// The lock of a mailing: at most one worker ingests or sends it.
//
// It is the conditional UPDATE of the seed with two things more: a token of its owner, which every write of
// the owner names, and a sign of life (`last_attempt`), without which it is stale after `lock_timeout`.
// Whoever takes a lock that was not given back finds entries in SENDING: nobody knows what became of them,
// and they are settled in the transaction that takes it.
//
// Every function changes the mailing's row before anything else, so transactions about one mailing follow
// each other on PostgreSQL too. Times are the store's. The functions are confined to the thread of their
// transaction.

#include "modules/mailing/entities.hpp"

#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace umavez::mailing {

// The right to work on one mailing.
struct Owner {
    std::int64_t mailing_id = 0;
    std::string token;
};

// A token nobody else has: a process that was started again is not the one that died.
std::string make_lock_token();

// Why a mailing could not be locked.
struct HeldByOther {  // its owner is alive: come again
    Status status = Status::processing;

    // It was paused and resumed, and its owner writes down what it had handed over: come again soon.
    bool is_leaving() const noexcept
    {
        return status != Status::ingesting && status != Status::processing;
    }
};
struct NothingToDo {  // it is over, paused, a draft, or not there
    std::optional<Status> status;
};

struct Locked {
    Mailing mailing;  // as the lock left it: INGESTING, or PROCESSING once it is ingested
    Owner owner;
    std::int64_t uncertain = 0;  // entries that were in SENDING
};

using Locking = std::variant<Locked, HeldByOther, NothingToDo>;

// Takes the lock of a mailing that waits (QUEUED, PENDING, FAILED) and has no owner, or of one whose owner
// shows no sign of life. After store_unknown it is called again with the same token: a lock with that token
// is ours.
Result<Locking> try_lock(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::string_view uuid,
    std::string token,
    Duration lock_timeout
);

// A sign of life, and the proof that the lock is still ours and the mailing still in `status`. Every
// transaction of an owner begins with it. lease_lost, and the transaction is spoiled: somebody else has the
// mailing, or it was paused or cancelled.
Result<void> keep_lock(Transaction& transaction, const Owner& owner, Status status);

// Whether the token is still the owner's, whatever the mailing's status: what was handed over before a
// pause is written down after it. It is a sign of life too.
Result<bool> still_owns(Transaction& transaction, const Owner& owner);

// Gives the lock back and leaves the mailing in `next`, with `error` telling why, unless somebody paused or
// cancelled it meanwhile: then only the lock is given back. False: the lock was not ours any more.
// Called again after store_unknown it is true where the first call was committed (has_left).
Result<bool> release_lock(
    Transaction& transaction, const Owner& owner, Status next, std::optional<std::string> error
);

// Whether this owner gave the lock back, and nobody after it has: an answer was lost, not the lock.
Result<bool> has_left(Transaction& transaction, const Owner& owner);

// Signs of life of every mailing that this process holds. Tells the tokens that hold nothing any more: one
// process may have two of one mailing, the one that lost it and the one that took it.
Result<std::vector<std::string>> beat(Transaction& transaction, const std::vector<Owner>& owners);

// Entries in SENDING whose owner is gone: UNKNOWN for no-maximo-uma, PENDING again for ao-menos-uma, in both
// cases with `uncertain_at`, and one attempt more. Tells how many. For whoever takes a lock away.
Result<std::int64_t> settle_uncertain(Transaction& transaction, std::int64_t mailing_id);

}  // namespace umavez::mailing
