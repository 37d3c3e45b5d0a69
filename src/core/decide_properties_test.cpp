// What must hold of decide(), to_record() and matches() for every record, request, policy and time; also
// for records nobody writes, because a rule must not rest on the good behaviour of another.
//
// (Doubled parentheses: RC_ASSERT takes an expression apart, and || would evaluate both of its sides.)

#include "core/decide.hpp"

#include "core/test_records.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <optional>

namespace umavez {
namespace {

using namespace test;

// Around t0, dense enough that two of them often coincide; now and then zero, negative or far away.
Instant any_instant()
{
    const auto near = rc::gen::map(rc::gen::inRange(-40, 41), [](int seconds) {
        return t0 + std::chrono::seconds{seconds};
    });
    const auto odd = rc::gen::element(
        from_micros(0), from_micros(-1), t0 - 24h * 36'500, t0 + 24h * 36'500
    );
    return *rc::gen::weightedOneOf<Instant>({{9, near}, {1, odd}});
}

std::optional<Instant> any_deadline()
{
    if (*rc::gen::inRange(0, 4) == 0) return std::nullopt;
    return any_instant();
}

Record any_record()
{
    Record record = processing_record();
    record.target = target_of(*rc::gen::element<std::uint8_t>(1, 1, 1, 2));
    record.fingerprint = fingerprint_of(*rc::gen::element<std::uint8_t>(1, 1, 1, 2));
    record.status = *rc::gen::element(
        Status::processing, Status::processing, Status::succeeded, Status::failed, Status::in_doubt
    );
    record.final = *rc::gen::arbitrary<bool>();
    record.mode = *rc::gen::element(Mode::run, Mode::reconcile);
    record.attempts = *rc::gen::inRange(0u, 10u);
    record.takeovers = *rc::gen::inRange(0u, 10u);
    record.retry_at = any_deadline();
    record.processing_expires_at = any_deadline();
    record.expires_at = any_deadline();
    return record;
}

Policy any_policy()
{
    Policy policy;
    policy.guarantee = *rc::gen::element(Guarantee::atomic, Guarantee::leased, Guarantee::cached);
    policy.on_abandoned = *rc::gen::element(
        OnAbandoned::automatic, OnAbandoned::reconcile, OnAbandoned::hold, OnAbandoned::rerun
    );
    policy.on_mismatch = *rc::gen::element(OnMismatch::reject, OnMismatch::original);
    policy.has_reconciler = *rc::gen::arbitrary<bool>();
    policy.settle = std::chrono::seconds{*rc::gen::inRange(0, 20)};
    policy.takeovers_max = *rc::gen::inRange(0u, 6u);
    return policy;
}

Request any_request()
{
    return request_of(
        *rc::gen::element<std::uint8_t>(1, 1, 2), *rc::gen::element<std::uint8_t>(1, 1, 2)
    );
}

// One drawn situation. Members are drawn in this order, so a failure prints in this order too.
struct Situation {
    Record record = any_record();
    Policy policy = any_policy();
    Request request = any_request();
    Instant now = any_instant();

    Decision decision() const { return decide(&record, request, policy, now); }
    const Claim* claim(const Decision& decided) const { return std::get_if<Claim>(&decided); }
};

bool same(const Decision& a, const Decision& b)
{
    if (a.index() != b.index()) return false;
    if (const auto* claim = std::get_if<Claim>(&a)) {
        const Claim& other = std::get<Claim>(b);
        return claim->mode == other.mode && claim->new_lifetime == other.new_lifetime &&
               claim->takeover == other.takeover;
    }
    if (const auto* progress = std::get_if<InProgress>(&a)) {
        return progress->retry_after == std::get<InProgress>(b).retry_after;
    }
    if (const auto* doubt = std::get_if<InDoubt>(&a)) {
        return doubt->retry_after == std::get<InDoubt>(b).retry_after;
    }
    if (const auto* hold = std::get_if<Hold>(&a)) {
        return hold->retry_after == std::get<Hold>(b).retry_after;
    }
    return true;
}

RC_GTEST_PROP(DecideProperties, IsTotalAndPure, ())
{
    const Situation it;
    const Record before = it.record;

    const Decision first = it.decision();

    RC_ASSERT(!first.valueless_by_exception());
    RC_ASSERT(same(first, it.decision()));
    RC_ASSERT(it.record == before);
}

RC_GTEST_PROP(DecideProperties, ALiveLeaseIsNeverClaimedNorHeld, ())
{
    Situation it;
    it.record.status = Status::processing;
    it.record.processing_expires_at = *rc::gen::element<std::optional<Instant>>(
        std::nullopt, it.now + 1us, it.now + 10s, it.now + 24h * 36'500
    );

    const Decision decision = it.decision();

    RC_ASSERT((std::holds_alternative<InProgress>(decision) || std::holds_alternative<Mismatch>(decision)));
}

RC_GTEST_PROP(DecideProperties, ASpentRecordIsDecidedLikeNone, ())
{
    Situation it;
    it.record.status = *rc::gen::element(Status::processing, Status::succeeded, Status::failed);
    it.record.mode = Mode::run;
    it.record.processing_expires_at = it.now - std::chrono::seconds{*rc::gen::inRange(0, 9)};
    it.record.expires_at = it.now - std::chrono::seconds{*rc::gen::inRange(0, 9)};

    RC_ASSERT(is_spent(it.record, it.now));
    RC_ASSERT(same(it.decision(), decide(nullptr, it.request, it.policy, it.now)));
}

RC_GTEST_PROP(DecideProperties, InDoubtIsNeverRunAndNeverExpires, ())
{
    Situation it;
    it.record.status = Status::in_doubt;

    const Decision decision = it.decision();

    RC_ASSERT(!is_spent(it.record, it.now));
    const Claim* const claim = it.claim(decision);
    RC_ASSERT((claim == nullptr || (claim->mode == Mode::reconcile && !claim->new_lifetime)));
    RC_ASSERT((claim == nullptr || it.policy.has_reconciler));
}

RC_GTEST_PROP(DecideProperties, AnEnquiryIsNeverTurnedIntoARun, ())
{
    Situation it;
    it.record.status = Status::processing;
    it.record.mode = Mode::reconcile;

    const Decision decision = it.decision();

    const Claim* const claim = it.claim(decision);
    RC_ASSERT((claim == nullptr || claim->mode == Mode::reconcile));
}

RC_GTEST_PROP(DecideProperties, AnotherTargetIsToldNothingButMismatchOrClaimed, ())
{
    Situation it;
    it.request = request_of(3, 1);
    const bool is_free = is_spent(it.record, it.now) ||
                         (it.record.status == Status::failed && !it.record.final);

    const Decision decision = it.decision();

    RC_ASSERT(std::holds_alternative<Claim>(decision) == is_free);
    RC_ASSERT(std::holds_alternative<Mismatch>(decision) == !is_free);
}

RC_GTEST_PROP(DecideProperties, TheFingerprintOnlyDecidesBetweenMismatchAndGoingOn, ())
{
    Situation it;
    it.request = request_of(1, 3);
    Situation equal = it;
    equal.request = request_of(1, 1);
    equal.record.fingerprint = fingerprint_of(1);

    const Decision decision = it.decision();

    RC_ASSERT((std::holds_alternative<Mismatch>(decision) || same(decision, equal.decision())));
}

RC_GTEST_PROP(DecideProperties, OnlyCompletedAndFinalRecordsAreReplayed, ())
{
    const Situation it;
    if (!std::holds_alternative<Replay>(it.decision())) return;

    RC_ASSERT((is_completed(it.record) && !is_spent(it.record, it.now)));
    RC_ASSERT((it.record.status == Status::succeeded || it.record.final));
    RC_ASSERT(it.record.target == it.request.target);
}

RC_GTEST_PROP(DecideProperties, WaitsAreNeverNegative, ())
{
    const Situation it;

    const Decision decision = it.decision();

    if (const auto* progress = std::get_if<InProgress>(&decision)) {
        RC_ASSERT(progress->retry_after > 0us);
    }
    if (const auto* doubt = std::get_if<InDoubt>(&decision)) {
        RC_ASSERT((!doubt->retry_after || *doubt->retry_after >= 0us));
    }
    if (const auto* hold = std::get_if<Hold>(&decision)) {
        RC_ASSERT((!hold->retry_after || *hold->retry_after >= 0us));
        RC_ASSERT(is_lease_over(it.record, it.now));
    }
}

RC_GTEST_PROP(DecideProperties, WhatDecideClaimsTheConditionsOfTheClaimAllow, ())
{
    const Situation it;
    const Decision decision = it.decision();
    const Claim* const claim = it.claim(decision);
    if (claim == nullptr) return;
    const Expected expected = claim->takeover ? takeover_expects(it.record, it.policy)
                                              : bystander_expects(it.record);

    RC_ASSERT(matches(it.record, expected, it.now));
}

RC_GTEST_PROP(DecideProperties, AClaimFencesWhoeverCameBefore, ())
{
    const Situation it;
    const Decision decision = it.decision();
    const Claim* const claim = it.claim(decision);
    if (claim == nullptr) return;

    const Draft draft = claim_draft(&it.record, it.request, it.policy, *claim, execution_of(9));
    const Record next = to_record(draft, &it.record, it.now);

    RC_ASSERT(next.token.epoch > it.record.token.epoch);
    RC_ASSERT(next.status == Status::processing);
    RC_ASSERT(next.processing_expires_at == it.now + it.policy.lease);
    RC_ASSERT(!matches(next, settler_expects(it.record.token), it.now));
    RC_ASSERT(next.attempts == (claim->new_lifetime ? 1 : it.record.attempts + 1));
    RC_ASSERT(next.target == it.request.target);
    RC_ASSERT(!is_spent(next, it.now));
}

RC_GTEST_PROP(DecideProperties, EpochsRiseWithEveryRaisingWrite, ())
{
    const Record record = any_record();
    Draft draft;
    draft.raise_epoch = true;

    RC_ASSERT(to_record(draft, &record, any_instant()).token.epoch > record.token.epoch);
}

RC_GTEST_PROP(DecideProperties, ABystanderLosesToAnyHeartbeat, ())
{
    Record read = any_record();
    read.status = Status::processing;
    const Policy policy = any_policy();
    Record prolonged = read;
    prolonged.processing_expires_at = any_instant();
    RC_PRE(prolonged.processing_expires_at != read.processing_expires_at);

    const Instant now = any_instant();
    RC_ASSERT(!matches(prolonged, bystander_expects(read), now));
    RC_ASSERT(!matches(prolonged, takeover_expects(read, policy), now));
    RC_ASSERT(matches(prolonged, owner_expects(read.token), now));
}

RC_GTEST_PROP(DecideProperties, RecordsHaveExactlyTheDeadlinesOfTheirDraft, ())
{
    Draft draft;
    const auto any_duration = [] {
        return *rc::gen::inRange(0, 3) == 0
                   ? std::nullopt
                   : std::optional<Duration>{std::chrono::seconds{*rc::gen::inRange(-5, 100)}};
    };
    draft.lease = any_duration();
    draft.retry_in = any_duration();
    draft.expires_in = any_duration();
    const Instant now = any_instant();

    const Record record = to_record(draft, nullptr, now);

    const auto agrees = [now](const std::optional<Instant>& at, const std::optional<Duration>& in) {
        return at.has_value() == in.has_value() && (!at || *at - now == *in);
    };
    RC_ASSERT(agrees(record.processing_expires_at, draft.lease));
    RC_ASSERT(agrees(record.retry_at, draft.retry_in));
    RC_ASSERT(agrees(record.expires_at, draft.expires_in));
}

}  // namespace
}  // namespace umavez
