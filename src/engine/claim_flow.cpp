#include "engine/claim_flow.hpp"

#include "core/transition.hpp"
#include "engine/repeat_delay.hpp"

#include <utility>

namespace umavez {
namespace {

// Others keep winning the race for the same record; each loss means that somebody made progress.
constexpr std::uint32_t rounds_max = 32;

}  // namespace

ClaimFlow::ClaimFlow(
    const RecordId& id,
    const Request& request,
    const Policy& policy,
    const Execution& execution,
    bool audits
)
    : id_(id), request_(request), policy_(policy), execution_(execution), audits_(audits)
{
}

ClaimStep ClaimFlow::start_from(Record record, Instant now)
{
    record_ = std::move(record);
    return consider(now);
}

ClaimStep ClaimFlow::on_found(Found&& found)
{
    record_ = std::move(found.record);
    is_unknown_ = false;  // an earlier write has its answer now
    if (found.inserted || is_ours(found.now)) return OwnedStep{};
    return consider(found.now);
}

ClaimStep ClaimFlow::on_replaced(Replaced&& replaced)
{
    record_ = std::move(replaced.record);
    is_unknown_ = false;
    if (!record_) return InsertStep{};  // swept meanwhile
    if (replaced.done && !claim_) return AnswerStep{held_};
    if (replaced.done || is_ours(replaced.now)) return OwnedStep{claim_ && claim_->takeover};
    return consider(replaced.now);
}

ClaimStep ClaimFlow::on_error(Error error)
{
    const bool is_unknown = effect_of(error.code) == Effect::unknown;
    // Once a write may have happened, only its read-back can say that it did not.
    if (is_unknown || !is_unknown_) error_ = std::move(error);
    is_unknown_ = is_unknown_ || is_unknown;
    if (!is_unknown_) return GiveUpStep{};
    return PauseStep{repeat_delay(repeats_++)};
}

ClaimStep ClaimFlow::on_pause_over(bool patience_is_over)
{
    if (patience_is_over) return GiveUpStep{};
    return write_again();
}

ClaimStep ClaimFlow::write_again() const
{
    if (!record_) return InsertStep{};
    return ReplaceStep{.holds = !claim_};
}

Insertion ClaimFlow::insertion() const
{
    Insertion insertion{
        .id = id_,
        .draft = claim_draft(nullptr, request_, policy_, Claim{.new_lifetime = true}, execution_),
    };
    if (audits_) insertion.audit = AuditNote{AuditEvent::claimed, {}};
    return insertion;
}

Change ClaimFlow::change() const
{
    Change change{
        .expected = record_->status == Status::processing ? takeover_expects(*record_, policy_)
                                                          : bystander_expects(*record_),
        .next = claim_ ? claim_draft(&*record_, request_, policy_, *claim_, execution_)
                       : hold_draft(*record_, policy_),
    };
    if (audits_) {
        change.audit = !claim_           ? AuditNote{AuditEvent::in_doubt, "abandoned by its owner"}
                       : claim_->takeover ? AuditNote{AuditEvent::taken_over, {}}
                                          : AuditNote{AuditEvent::claimed, {}};
    }
    return change;
}

ClaimStep ClaimFlow::consider(Instant now)
{
    const Decision decision = decide(&*record_, request_, policy_, now);
    const Claim* const claim = std::get_if<Claim>(&decision);
    const Hold* const hold = std::get_if<Hold>(&decision);
    if (claim == nullptr && hold == nullptr) return AnswerStep{decision};

    if (++rounds_ > rounds_max) return AnswerStep{InProgress{policy_.lease}};
    claim_ = claim != nullptr ? std::optional{*claim} : std::nullopt;
    if (hold != nullptr) held_ = InDoubt{.retry_after = hold->retry_after};
    return write_again();
}

bool ClaimFlow::is_key_free() const noexcept
{
    if (is_unknown_) return false;
    return !record_ || (claim_ && is_first_hand(*claim_));
}

bool ClaimFlow::is_ours(Instant now) const
{
    return record_->token.execution == execution_ && record_->status == Status::processing &&
           !is_lease_over(*record_, now);
}

}  // namespace umavez
