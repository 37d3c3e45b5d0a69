#include "engine/claim_flow.hpp"

#include "core/transition.hpp"

#include <algorithm>
#include <utility>

namespace umavez {
namespace {

// Others keep winning the race for the same record; each loss means that somebody made progress.
constexpr std::uint32_t rounds_max = 32;

Duration repeat_delay(std::uint32_t repeats)
{
    return std::min(
        Duration{std::chrono::milliseconds{500}},
        Duration{std::chrono::milliseconds{5}} * (1 << std::min(repeats, 10u))
    );
}

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

ClaimStep ClaimFlow::start()
{
    return insert();
}

ClaimStep ClaimFlow::start_from(Record record, Instant now)
{
    return consider(std::move(record), now);
}

ClaimStep ClaimFlow::on_found(Result<Found> found)
{
    if (!found) return on_error(std::move(found).error());
    if (found->inserted || is_ours(found->record, found->now)) {
        return OwnedStep{std::move(found->record), false};
    }
    return consider(std::move(found->record), found->now);
}

ClaimStep ClaimFlow::on_replaced(Result<Replaced> replaced)
{
    if (!replaced) return on_error(std::move(replaced).error());
    if (!replaced->record) {
        found_.reset();  // swept meanwhile
        return insert();
    }
    Record& record = *replaced->record;
    if (replaced->done && !claim_) return AnswerStep{held_, std::move(record), replaced->now};
    if (replaced->done || is_ours(record, replaced->now)) {
        return OwnedStep{std::move(record), claim_ && claim_->takeover};
    }
    return consider(std::move(record), replaced->now);
}

ClaimStep ClaimFlow::on_pause_over(bool patience_is_over)
{
    if (patience_is_over) return GiveUpStep{*unknown_};
    return write_again();
}

ClaimStep ClaimFlow::write_again()
{
    return found_ ? replace() : insert();
}

ClaimStep ClaimFlow::insert() const
{
    Insertion insertion{
        .id = id_,
        .draft = claim_draft(nullptr, request_, policy_, Claim{.new_lifetime = true}, execution_),
    };
    if (audits_) insertion.audit = AuditNote{AuditEvent::claimed, {}};
    return InsertStep{std::move(insertion)};
}

ClaimStep ClaimFlow::replace() const
{
    Replacement replacement{
        .id = id_,
        .expected = found_->status == Status::processing ? takeover_expects(*found_, policy_)
                                                         : bystander_expects(*found_),
        .next = claim_ ? claim_draft(&*found_, request_, policy_, *claim_, execution_)
                       : hold_draft(*found_, policy_),
    };
    if (audits_) {
        replacement.audit = !claim_           ? AuditNote{AuditEvent::in_doubt, "abandoned by its owner"}
                            : claim_->takeover ? AuditNote{AuditEvent::taken_over, {}}
                                               : AuditNote{AuditEvent::claimed, {}};
    }
    return ReplaceStep{std::move(replacement), !claim_.has_value()};
}

ClaimStep ClaimFlow::consider(Record record, Instant now)
{
    const Decision decision = decide(&record, request_, policy_, now);
    const Claim* const claim = std::get_if<Claim>(&decision);
    const InDoubt* const in_doubt = std::get_if<InDoubt>(&decision);
    const bool holds = in_doubt != nullptr && in_doubt->hold;
    if (claim == nullptr && !holds) return AnswerStep{decision, std::move(record), now};

    if (++rounds_ > rounds_max) return AnswerStep{InProgress{policy_.lease}, std::move(record), now};
    found_ = std::move(record);
    claim_ = claim != nullptr ? std::optional{*claim} : std::nullopt;
    if (holds) held_ = InDoubt{.retry_after = in_doubt->retry_after};
    return replace();
}

ClaimStep ClaimFlow::on_error(Error error)
{
    const bool is_unknown = effect_of(error.code) == Effect::unknown;
    if (!unknown_ && !is_unknown) return GiveUpStep{std::move(error)};
    // Once a write may have happened, only its read-back can say that it did not.
    if (is_unknown) unknown_ = std::move(error);
    return PauseStep{repeat_delay(repeats_++)};
}

bool ClaimFlow::is_ours(const Record& record, Instant now) const
{
    return record.token.execution == execution_ && record.status == Status::processing &&
           !is_lease_over(record, now);
}

}  // namespace umavez
