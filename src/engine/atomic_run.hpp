#pragma once

// AtomicRun: one atomic execution inside an open transaction: claim, handler, final answer, all or nothing.
//
// Two savepoints, `claim` around everything and `work` around the handler. Final success releases both; a
// final failure rolls back `work` and keeps the failed record; anything else rolls back `claim` and leaves
// an audit entry. Where the store has one writer nobody can see or take an absent key before the
// transaction ends: its record is then written once, complete, and needs no `claim`.
//
// run() may be called again in another transaction when the first was lost: a record that carries our
// execution is then the answer of the earlier run. Confined to the thread of the transaction.

#include "core/decide.hpp"
#include "engine/declared.hpp"
#include "store/transactional_store.hpp"

#include <exception>
#include <optional>

namespace umavez {

struct AtomicCall {
    TransactionalStore& store;
    const Declared& operation;
    const RecordId& id;
    const Request& request;
    const AtomicHandler& handler;
    Execution execution;
    bool audits = true;
};

class AtomicRun {
public:
    explicit AtomicRun(const AtomicCall& call) : call_(call) {}

    // An error means that the transaction cannot be used any more, or should not commit.
    Result<void> run(Transaction& transaction);

    // After the commit.
    std::optional<Outcome> outcome;
    std::optional<Error> error;              // the handler's own
    std::exception_ptr exception;            // the handler's own
    std::optional<AuditNote> note;           // a decision that changed nothing
    bool mismatch_ignored = false;
    bool released = false;

private:
    Result<void> attempt(Transaction& transaction);
    Result<void> begin(Transaction& transaction);
    Result<void> release(Transaction& transaction);
    Result<void> roll_back(Transaction& transaction);
    Draft first_claim() const;
    Result<std::optional<Found>> look(Transaction& transaction);
    Result<std::optional<Record>> claim(Transaction& transaction, std::optional<Found> found);
    Result<std::optional<Record>> claim_existing(Transaction& transaction, Found found);
    Result<void> answer(Transaction& transaction, const Decision& decision, Record record);
    Result<void> work(Transaction& transaction, const Record& owned);
    Result<void> complete(
        Transaction& transaction, const Record& owned, Status status, Response response
    );
    Result<Record> write(
        Transaction& transaction, const Record& owned, Draft next, std::optional<AuditNote> audit
    );
    Result<void> give_back(Transaction& transaction, const Record& owned, std::string why);
    std::optional<Response> call_handler(Transaction& transaction);

    const AtomicCall& call_;
    std::optional<Outcome> earlier_;  // of a run whose commit is not known
    int savepoints_ = 0;              // that we opened and did not end
    bool is_unwritten_ = false;       // our record is to be inserted complete
};

// The answer of a kept record by the operation's replay rule.
Result<Outcome> replay(Transaction& transaction, const Declared& operation, Record record);

}  // namespace umavez
