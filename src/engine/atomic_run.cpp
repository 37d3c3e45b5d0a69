#include "engine/atomic_run.hpp"

#include "base/fault_point.hpp"
#include "core/transition.hpp"
#include "engine/replayed.hpp"

#include <utility>

namespace umavez {

Result<void> AtomicRun::run(Transaction& transaction)
{
    if (outcome) earlier_ = std::move(outcome);
    outcome.reset();
    error.reset();
    exception = nullptr;
    note.reset();
    mismatch_ignored = released = false;

    savepoints_ = 0;
    // Inside somebody else's transaction nobody would clean up after us.
    const auto clean_up = [&] {
        while (savepoints_ > 0 && roll_back(transaction)) continue;
    };
    try {
        auto done = attempt(transaction);
        if (!done) clean_up();
        return done;
    } catch (...) {
        clean_up();
        throw;
    }
}

Result<void> AtomicRun::attempt(Transaction& transaction)
{
    std::optional<Found> there;
    is_unwritten_ = false;
    if (call_.store.traits().one_writer) {
        auto found = look(transaction);
        if (!found) return std::unexpected(found.error());
        is_unwritten_ = !*found;
        there = *std::move(found);
    }
    if (is_unwritten_) {
        strike(FaultPoint::atomic_after_claim);
        return work(transaction, to_record(first_claim(), nullptr, transaction.now()));
    }
    if (auto begun = begin(transaction); !begun) return begun;
    auto claimed = claim(transaction, std::move(there));
    if (!claimed) return std::unexpected(claimed.error());
    if (!*claimed) return release(transaction);  // the key is not ours; the answer is set

    strike(FaultPoint::atomic_after_claim);
    return work(transaction, **claimed);
}

Result<void> AtomicRun::begin(Transaction& transaction)
{
    auto begun = transaction.begin_unlikely_savepoint();
    if (begun) ++savepoints_;
    return begun;
}

Result<void> AtomicRun::release(Transaction& transaction)
{
    auto ended = transaction.release_savepoint();
    if (ended) --savepoints_;
    return ended;
}

Result<void> AtomicRun::roll_back(Transaction& transaction)
{
    auto undone = transaction.rollback_savepoint();
    if (undone) --savepoints_;
    return undone;
}

Draft AtomicRun::first_claim() const
{
    return claim_draft(
        nullptr, call_.request, call_.operation.policy, Claim{.new_lifetime = true}, call_.execution
    );
}

Result<std::optional<Found>> AtomicRun::look(Transaction& transaction)
{
    auto sighting = call_.store.find(transaction, call_.id);
    if (!sighting) return std::unexpected(sighting.error());
    if (!sighting->record) return std::nullopt;
    return Found{.inserted = false, .record = *std::move(sighting->record), .now = sighting->now};
}

// The record we own now, or nothing: then the outcome is set.
Result<std::optional<Record>> AtomicRun::claim(
    Transaction& transaction, std::optional<Found> found
)
{
    if (!found) {
        Insertion insertion{
            .id = call_.id,
            .draft = first_claim(),
            .audit = std::nullopt,  // the completion in the same commit tells it all
        };
        auto claimed = call_.store.insert_or_get(transaction, std::move(insertion));
        if (!claimed) return std::unexpected(claimed.error());
        if (claimed->inserted) return std::move(claimed->record);
        found = *std::move(claimed);
    }
    return claim_existing(transaction, *std::move(found));
}

Result<std::optional<Record>> AtomicRun::claim_existing(Transaction& transaction, Found found)
{
    if (found.record.token.execution == call_.execution && is_completed(found.record)) {
        // Our earlier run did commit, although nobody could tell us. Its answer may have been too large to
        // keep.
        const auto& kept = found.record.response;
        Executed executed{
            .response = kept ? kept->response : Response{}, .expires_at = found.record.expires_at
        };
        outcome = earlier_ ? *earlier_ : Outcome{std::move(executed)};
        return std::nullopt;
    }
    const Policy& policy = call_.operation.policy;
    const Decision decision = decide(&found.record, call_.request, policy, found.now);
    const Claim* const claim = std::get_if<Claim>(&decision);
    if (claim == nullptr) {
        if (auto set = answer(transaction, decision, std::move(found.record)); !set) {
            return std::unexpected(set.error());
        }
        return std::nullopt;
    }
    Replacement replacement{
        .id = call_.id,
        .expected = found.record.status == Status::processing
                        ? takeover_expects(found.record, policy)
                        : bystander_expects(found.record),
        .next = claim_draft(&found.record, call_.request, policy, *claim, call_.execution),
    };
    auto replaced = call_.store.replace(transaction, std::move(replacement));
    if (!replaced) return std::unexpected(replaced.error());
    if (!replaced->done) {
        return fail(Errc::store_unavailable, "the record changed inside the transaction; try again");
    }
    return *std::move(replaced->record);
}

Result<void> AtomicRun::answer(Transaction& transaction, const Decision& decision, Record record)
{
    if (const auto* const in_progress = std::get_if<InProgress>(&decision)) {
        note = AuditNote{AuditEvent::in_progress, {}, record.token.epoch};
        outcome = *in_progress;
    } else if (const auto* const in_doubt = std::get_if<InDoubt>(&decision)) {
        outcome = *in_doubt;
    } else if (const auto* const hold = std::get_if<Hold>(&decision)) {
        outcome = InDoubt{.retry_after = hold->retry_after};
    } else if (const auto* const mismatch = std::get_if<Mismatch>(&decision)) {
        note = AuditNote{
            AuditEvent::mismatch,
            mismatch->target ? "another target" : "another fingerprint",
            record.token.epoch
        };
        outcome = *mismatch;
    } else {
        mismatch_ignored = record.fingerprint != call_.request.fingerprint;
        note = AuditNote{
            mismatch_ignored ? AuditEvent::mismatch_ignored : AuditEvent::replayed,
            {},
            record.token.epoch
        };
        auto replayed = replay(transaction, call_.operation, std::move(record));
        if (!replayed) return std::unexpected(replayed.error());
        outcome = *std::move(replayed);
    }
    return {};
}

Result<void> AtomicRun::work(Transaction& transaction, const Record& owned)
{
    if (auto begun = begin(transaction); !begun) return begun;
    std::optional<Response> response = call_handler(transaction);
    strike(FaultPoint::atomic_after_handler);

    const Verdict verdict =
        response ? judge(response->status, call_.operation.policy) : Verdict::release;
    if (verdict == Verdict::succeed) {
        // An unwritten record has no savepoint of its own: should it be refused, the work goes too.
        if (!is_unwritten_) {
            if (auto kept = release(transaction); !kept) return kept;
        }
        return complete(transaction, owned, Status::succeeded, *std::move(response));
    }
    if (auto undone = roll_back(transaction); !undone) return undone;
    if (verdict == Verdict::fail_final) {
        return complete(transaction, owned, Status::failed, *std::move(response));
    }
    std::string why = response ? "status " + std::to_string(response->status)
                      : error  ? error->detail
                               : std::string{"exception"};
    if (response) outcome = Executed{*std::move(response), false, false, std::nullopt};
    return give_back(transaction, owned, std::move(why));
}

std::optional<Response> AtomicRun::call_handler(Transaction& transaction)
{
    try {
        auto answered = call_.handler(transaction);
        if (!answered) {
            error = std::move(answered).error();
            return std::nullopt;
        }
        if (transaction.is_spoiled()) {
            error = Error{
                Errc::sql,
                "a statement of the handler failed and its error was overlooked; nothing was kept",
                std::source_location::current()
            };
            return std::nullopt;
        }
        return *std::move(answered);
    } catch (...) {
        exception = std::current_exception();
        return std::nullopt;
    }
}

Result<void> AtomicRun::complete(
    Transaction& transaction, const Record& owned, Status status, Response response
)
{
    const Policy& policy = call_.operation.policy;
    const bool was_done = std::exchange(response.was_done, false);
    Draft next = complete_draft(owned, status, to_stored(response, policy.response_bytes_max), policy);
    std::optional<AuditNote> audit;
    if (call_.audits) {
        audit = AuditNote{AuditEvent::executed, was_done ? "the effect was there already" : ""};
    }
    const auto written = write(transaction, owned, std::move(next), std::move(audit));
    if (!written) return std::unexpected(written.error());
    const std::optional<Instant> expires_at = written->expires_at;
    if (was_done) {
        outcome = Replayed{
            .response = std::move(response), .status = status, .expires_at = expires_at
        };
    } else {
        outcome = Executed{.response = std::move(response), .expires_at = expires_at};
    }
    return savepoints_ > 0 ? release(transaction) : Result<void>{};
}

Result<Record> AtomicRun::write(
    Transaction& transaction, const Record& owned, Draft next, std::optional<AuditNote> audit
)
{
    if (is_unwritten_) {
        next.raise_epoch = true;  // claim and completion in one
        auto inserted =
            call_.store.insert(transaction, {call_.id, std::move(next), std::move(audit)});
        if (!inserted && inserted.error().code == Errc::unique_violation) {
            return fail(
                Errc::invalid_argument,
                "the handler ran its own key again inside its transaction; nothing was kept"
            );
        }
        return inserted;
    }
    Replacement replacement{
        call_.id, owner_expects(owned.token), std::move(next), std::move(audit)
    };
    auto replaced = call_.store.replace(transaction, std::move(replacement));
    if (!replaced) return std::unexpected(replaced.error());
    if (!replaced->done) {
        return fail(Errc::store_unavailable, "the record changed inside the transaction; try again");
    }
    return *std::move(replaced->record);
}

Result<void> AtomicRun::give_back(Transaction& transaction, const Record& owned, std::string why)
{
    released = true;
    if (savepoints_ > 0) {
        if (auto undone = roll_back(transaction); !undone) return undone;
    }
    if (!call_.audits) return {};
    AuditNote audit = make_note(AuditEvent::released, std::move(why));
    return call_.store.append_audit(transaction, call_.id, owned.token, std::move(audit));
}

Result<Outcome> replay(Transaction& transaction, const Declared& operation, Record record)
{
    if (operation.policy.replay == Replaying::current && record.status == Status::succeeded) {
        auto current = operation.spec.current(transaction, record);
        if (!current) return std::unexpected(current.error());
        return Replayed{*std::move(current), record.status, false, record.expires_at};
    }
    return to_replayed(std::move(record));
}

}  // namespace umavez
