#include "core/decide.hpp"
#include "simulation/auditor.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace umavez::simulation {
namespace {

std::string place(const RecordId& id, const RecordChange& change)
{
    const double at = change.at ? static_cast<double>(change.at->count()) / 1e3 : 0.0;
    return fmt::format("{} at {:.3f} by call {}", name_of(id), at, change.call);
}

// Whether a new owner was due, by the store's clock at the moment of its claim. The store itself judges
// leases; what else came due was judged when the record was read.
bool may_be_claimed(const Record& before, const OperationPlan& plan, Instant now)
{
    const Instant read_at = now + plan.clock_back_max;
    switch (before.status) {
        case Status::succeeded: return is_spent(before, read_at);
        case Status::failed: return !before.final || is_spent(before, read_at);
        case Status::in_doubt:
            return plan.has_reconciler && before.retry_at && *before.retry_at <= read_at;
        case Status::processing: break;
    }
    Policy policy = plan.policy;
    policy.has_reconciler = plan.has_reconciler;
    const bool settles =
        before.mode == Mode::run && on_abandoned_of(policy) == OnAbandoned::reconcile;
    return is_lease_over(before, now - (settles ? policy.settle : Duration{0}));
}

bool is_kept(const Record& record)
{
    return record.status == Status::succeeded || (record.status == Status::failed && record.final);
}

class ChangeAuditor {
public:
    ChangeAuditor(const RecordId& id, const OperationPlan& plan, Violations& violations)
        : id_(id), plan_(plan), violations_(violations)
    {
    }

    void on_change(const RecordChange& change)
    {
        if (!change.after) {
            on_swept(change);
            return;
        }
        const bool is_claim = !change.before || change.before->token != change.after->token;
        if (!change.before) {
            on_inserted(change);
        } else if (change.before->token == change.after->token) {
            on_owner(change, *change.before, *change.after);
        } else {
            on_claim(change, *change.before, *change.after);
        }
        if (is_claim) owner_ = change.call;
        const Record& after = *change.after;
        epoch_max_ = std::max(epoch_max_, after.token.epoch);
        lifetimes_.of_token[{after.token.epoch, after.token.execution}] = lifetime_;
        note_completion(change, after);
    }

    Lifetimes take() { return std::move(lifetimes_); }

private:
    void complain(std::string_view invariant, std::string_view what, const RecordChange& change)
    {
        violations_.push_back(fmt::format("{} {}: {}", invariant, what, place(id_, change)));
    }

    void begin_lifetime(const RecordChange& change)
    {
        ++lifetime_;
        completions_ = 0;
        lifetimes_.began_at.push_back(change.at.value_or(Duration::max()));
    }

    void on_swept(const RecordChange& change)
    {
        if (!change.before || !is_spent(*change.before, change.store_now)) {
            complain("I6", "a record that still counts was swept", change);
            is_unfinished_ = true;
        }
    }

    void on_inserted(const RecordChange& change)
    {
        if (change.after->token.epoch <= epoch_max_) {
            complain("I5", "a new record did not raise the epoch", change);
        }
        // What was swept too early goes on: its effects count together with those that follow.
        if (!is_unfinished_) begin_lifetime(change);
        is_unfinished_ = false;
    }

    void on_owner(const RecordChange& change, const Record& before, const Record& after)
    {
        if (is_completed(before)) complain("I6", "a completed record was changed", change);
        const bool is_settled = is_completed(after);
        if (before.status == Status::in_doubt && !is_settled) {
            complain("I6", "a doubt was changed without an enquiry", change);
        }
        if (before.created_at != after.created_at) {
            complain("I6", "an owner's write began a new lifetime", change);
        }
        // Who only met the record may write it once its lease is over.
        const bool is_hold = before.status == Status::processing && after.status == Status::in_doubt;
        if (is_hold && change.call != owner_ && !is_lease_over(before, after.updated_at)) {
            complain("I6", "a bystander put a live lease in doubt", change);
        }
    }

    void on_claim(const RecordChange& change, const Record& before, const Record& after)
    {
        if (after.token.epoch <= before.token.epoch) {
            complain("I5", "the token changed and its epoch did not grow", change);
        }
        if (after.status != Status::processing) {
            complain("I6", "somebody without the current token completed the record", change);
        } else if (!may_be_claimed(before, plan_, after.updated_at)) {
            complain("I6", "a record was claimed that nobody could claim yet", change);
        }
        if (before.created_at == after.created_at) return;
        if (is_spent(before, after.updated_at + plan_.clock_back_max)) {
            begin_lifetime(change);
        } else {
            complain("I6", "a lifetime began before the last one was over", change);
        }
    }

    void note_completion(const RecordChange& change, const Record& after)
    {
        const Duration at = change.at.value_or(Duration{0});
        const bool was_in_doubt = change.before && change.before->status == Status::in_doubt;
        if (after.status == Status::in_doubt && !was_in_doubt) lifetimes_.doubted_at.push_back(at);
        if (!is_kept(after)) return;
        if (++completions_ > 1) complain("I2", "a second completion was accepted", change);
        lifetimes_.completions.push_back(
            {lifetime_, after.response.value_or(StoredResponse{}), at}
        );
    }

    const RecordId& id_;
    const OperationPlan& plan_;
    Violations& violations_;
    Lifetimes lifetimes_;
    std::size_t lifetime_ = 0;
    std::size_t completions_ = 0;
    std::int64_t epoch_max_ = 0;
    bool is_unfinished_ = false;
    CallId owner_ = 0;
};

}  // namespace

Lifetimes audit_changes(
    const RecordId& id, const KeyEvidence& key, const OperationPlan& plan, Violations& violations
)
{
    ChangeAuditor auditor{id, plan, violations};
    for (const RecordChange& change : key.changes) auditor.on_change(change);
    return auditor.take();
}

}  // namespace umavez::simulation
