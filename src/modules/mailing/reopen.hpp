#pragma once

// Failed recipients that somebody wants to be tried again: opened in steps, because a million rows in one
// transaction hold the database for minutes. Few are opened by the order itself; where there are more the
// order leaves a wish in the mailing's row, and whoever has the lock next opens them before it sends.
//
// Confined to the thread of the transaction.

#include "modules/mailing/lock.hpp"

#include <umavez/transaction.hpp>

#include <cstddef>
#include <cstdint>

namespace umavez::mailing {

inline constexpr std::size_t reopen_step = 1000;

// `incertas`: those whose fate is unknown too. Tells how many are open again, or will be. The caller holds
// the mailing's row.
Result<std::int64_t> reopen_or_wish(
    Transaction& transaction, const Mailing& mailing, bool incertas
);

// Whether there is a wish.
Result<bool> wishes_reopening(Transaction& transaction, const Owner& owner);

// At most `most` of those that are wished, and the wish is over when there are no more. True: call it again.
// lease_lost as keep_lock tells it.
Result<bool> reopen_some(Transaction& transaction, const Owner& owner, std::size_t most);

}  // namespace umavez::mailing
