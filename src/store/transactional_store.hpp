#pragma once

// TransactionalStore: a store whose records can be written inside a business transaction.
//
// The atomic mode claims and completes through these; they run on the thread of the closure, inside its
// transaction, and follow the same rules as the batches of the Store port. Confined to the transaction.

#include "store/store.hpp"

#include <umavez/transaction.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace umavez {

// Names a state of the whole database: what is read under a mark is as it was when the mark was the newest,
// or newer, whoever writes. Never older. As many words as the log's head of SQLite has (log_index.hpp).
using StateMark = std::array<std::uint32_t, 12>;

class TransactionalStore : public Store {
public:
    virtual Database& database() noexcept = 0;

    virtual Result<Found> insert_or_get(Transaction& transaction, Insertion insertion) = 0;
    virtual Result<Replaced> replace(Transaction& transaction, Replacement replacement) = 0;

    // The same for many, whose keys differ; answers come in their order.
    virtual Result<std::vector<Replaced>> replace_all(
        Transaction& transaction, std::vector<Replacement> replacements
    )
    {
        std::vector<Replaced> all;
        for (Replacement& one : replacements) {
            auto replaced = replace(transaction, std::move(one));
            if (!replaced) return std::unexpected(replaced.error());
            all.push_back(*std::move(replaced));
        }
        return all;
    }

    // For a record that find() did not see, where there is one writer. Gives what was written, perhaps
    // without the response. unique_violation: it is there meanwhile, and the transaction is spoiled.
    virtual Result<Record> insert(Transaction& transaction, Insertion insertion) = 0;

    // Reads the record in the snapshot of `transaction`; works in a read-only one.
    virtual Result<Sighting> find(Transaction& transaction, const RecordId& id) = 0;

    // The mark of the state that a read-only `transaction` sees. Nullopt: it has none.
    virtual std::optional<StateMark> state_of(Transaction&) { return std::nullopt; }

    virtual Result<void> append_audit(
        Transaction& transaction, const RecordId& id, const FencingToken& token, AuditNote note
    ) = 0;

    // As Store::sweep, with the caller's own rows in the same transaction.
    virtual Result<Swept> sweep(
        Transaction& transaction, std::size_t count_max, Duration audit_retention
    ) = 0;

    using Store::find;
    using Store::insert_or_get;
    using Store::replace;
    using Store::sweep;

    // The closure of the atomic mode: as Database::async_transact, but without a savepoint around it; the
    // closure keeps its own. It is interrupted after `run`. Where there are several writers it waits at
    // most `lock` for one that holds its key; busy: that one did not end.
    // `finds_itself`: run again, it recognises an earlier run of itself that committed without telling.
    struct RunLimits {
        Duration run;
        Duration lock;
        bool finds_itself = true;
    };
    virtual Task<Result<void>> async_run(Closure closure, RunLimits limits) = 0;

    // As Database::async_read, for a closure that reads a few rows by their keys: it may run on the caller's
    // thread, even on one that waits for sockets.
    virtual Task<Result<void>> async_look(Closure closure)
    {
        return database().async_read(std::move(closure));
    }
};

}  // namespace umavez
