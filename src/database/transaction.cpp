#include <umavez/transaction.hpp>

namespace umavez {

Result<void> Transaction::nested(const std::function<Result<void>()>& part)
{
    if (Result<void> begun = begin_savepoint(); !begun) return begun;
    Result<void> done;
    try {
        done = part();
    } catch (...) {
        // If even the rollback fails the transaction is lost, and its owner finds that out by
        // itself.
        static_cast<void>(rollback_savepoint());
        throw;
    }
    // A spoiled part cannot be released: the overlooked error comes back here.
    if (done) done = release_savepoint();
    if (!done) {
        if (Result<void> undone = rollback_savepoint(); !undone) return undone;
    }
    return done;
}

}  // namespace umavez
