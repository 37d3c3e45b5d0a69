#pragma once

// finish_all(): Lease::finish(Transaction&, …) for several leases, in one statement where the store can.
// Confined to the thread of the transaction.

#include <umavez/lease.hpp>

#include <vector>

namespace umavez {

struct LeaseFinish {
    Lease* lease = nullptr;
    Response response;
};

// All are of one engine. One that is lost, as any other error, spoils the transaction of all.
Result<void> finish_all(Transaction& transaction, std::vector<LeaseFinish> all);

}  // namespace umavez
