// Every row of the decision table, then every precedence between two rows that could both apply.

#include "core/decide.hpp"

#include "core/test_records.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace umavez {
namespace {

using namespace test;

// The decision in one line: "claim run new", "in_progress 30 s", "hold 15 s" …
std::string told(const Decision& decision)
{
    std::string text{to_text(decision)};
    const auto seconds = [&text](Duration duration) {
        text += " " + std::to_string(duration.count() / 1'000'000) + " s";
    };
    if (const auto* claim = std::get_if<Claim>(&decision)) {
        text += claim->mode == Mode::run ? " run" : " reconcile";
        if (claim->new_lifetime) text += " new";
        if (claim->takeover) text += " takeover";
    } else if (const auto* progress = std::get_if<InProgress>(&decision)) {
        seconds(progress->retry_after);
    } else if (const auto* doubt = std::get_if<InDoubt>(&decision)) {
        if (doubt->retry_after) seconds(*doubt->retry_after);
    } else if (const auto* hold = std::get_if<Hold>(&decision)) {
        if (hold->retry_after) seconds(*hold->retry_after);
    } else if (const auto* mismatch = std::get_if<Mismatch>(&decision)) {
        text += mismatch->target ? " target" : " fingerprint";
    }
    return text;
}

std::string decided(
    const Record& found, const Policy& policy, Instant now, const Request& request = request_of()
)
{
    return told(decide(&found, request, policy, now));
}

Record with_mode(Record record, Mode mode)
{
    record.mode = mode;
    return record;
}

Record with_lease_end(std::optional<Instant> end)
{
    Record record = processing_record();
    record.processing_expires_at = end;
    return record;
}

TEST(Decide, NothingThereIsClaimedAsANewLifetime)
{
    EXPECT_EQ(told(decide(nullptr, request_of(), leased_policy(), t0)), "claim run new");
}

TEST(Decide, CompletedRecordPastItsRetentionIsClaimedAsANewLifetime)
{
    for (const Record& record :
         {completed_record(), completed_record(Status::failed), released_record()}) {
        EXPECT_EQ(decided(record, leased_policy(), t0 + 24h), "claim run new");
    }
}

TEST(Decide, RetentionIsHalfOpen)
{
    EXPECT_EQ(decided(completed_record(), leased_policy(), t0 + 24h - 1us), "replay");
    EXPECT_EQ(decided(completed_record(), leased_policy(), t0 + 24h), "claim run new");
}

TEST(Decide, RetentionForeverNeverEnds)
{
    Record record = completed_record();
    record.expires_at.reset();

    EXPECT_EQ(decided(record, leased_policy(), t0 + 24h * 365'000), "replay");
}

TEST(Decide, ReleasedRecordIsClaimedInItsLifetime)
{
    EXPECT_EQ(decided(released_record(), leased_policy(), t0 + 1s), "claim run");
}

TEST(Decide, ReleasedRecordIsClaimedByAnyTargetAndFingerprint)
{
    for (const Request& request : {request_of(2, 1), request_of(1, 2), request_of(2, 2)}) {
        EXPECT_EQ(decided(released_record(), leased_policy(), t0 + 1s, request), "claim run");
    }
}

TEST(Decide, SpentRecordIsClaimedByAnyTargetAndFingerprint)
{
    for (const Request& request : {request_of(2, 1), request_of(1, 2), request_of(2, 2)}) {
        EXPECT_EQ(decided(completed_record(), leased_policy(), t0 + 24h, request), "claim run new");
    }
}

// Every status that keeps its target, at a time when another row would apply were it the same request.
struct Kept {
    std::string what;
    Record record;
    Instant now;
    std::string for_the_same_request;
};

std::vector<Kept> kept_records()
{
    const Record enquiry = with_mode(processing_record(), Mode::reconcile);
    return {
        {"succeeded", completed_record(), t0, "replay"},
        {"failed and final", completed_record(Status::failed), t0, "replay"},
        {"lease alive", processing_record(), t0, "in_progress 30 s"},
        {"lease over", processing_record(), t0 + 45s, "claim reconcile takeover"},
        {"lease over, settling", processing_record(), t0 + 30s, "in_progress 15 s"},
        {"enquiry's lease over", enquiry, t0 + 30s, "claim reconcile takeover"},
        {"in doubt", in_doubt_record(), t0, "in_doubt 15 s"},
        {"in doubt and due", in_doubt_record(), t0 + 15s, "claim reconcile"},
    };
}

TEST(Decide, OtherTargetIsAMismatchInEveryStatusAndUnderEveryPolicy)
{
    for (const OnMismatch on_mismatch : {OnMismatch::reject, OnMismatch::original}) {
        Policy policy = reconciled_policy();
        policy.on_mismatch = on_mismatch;
        for (const Kept& kept : kept_records()) {
            SCOPED_TRACE(kept.what);
            EXPECT_EQ(decided(kept.record, policy, kept.now, request_of(2, 1)), "mismatch target");
            EXPECT_EQ(decided(kept.record, policy, kept.now, request_of(2, 2)), "mismatch target");
        }
    }
}

TEST(Decide, OtherFingerprintIsAMismatchInEveryStatus)
{
    for (const Kept& kept : kept_records()) {
        SCOPED_TRACE(kept.what);
        EXPECT_EQ(
            decided(kept.record, reconciled_policy(), kept.now, request_of(1, 2)),
            "mismatch fingerprint"
        );
    }
}

TEST(Decide, OtherFingerprintUnderOriginalGoesOnByStatus)
{
    Policy policy = reconciled_policy();
    policy.on_mismatch = OnMismatch::original;

    for (const Kept& kept : kept_records()) {
        SCOPED_TRACE(kept.what);
        EXPECT_EQ(
            decided(kept.record, policy, kept.now, request_of(1, 2)), kept.for_the_same_request
        );
    }
}

TEST(Decide, SameRequestGoesOnByStatus)
{
    for (const Kept& kept : kept_records()) {
        SCOPED_TRACE(kept.what);
        EXPECT_EQ(decided(kept.record, reconciled_policy(), kept.now), kept.for_the_same_request);
    }
}

TEST(Decide, FingerprintOfAnotherVersionIsAnotherFingerprint)
{
    Request request = request_of();
    request.fingerprint.version = 2;

    EXPECT_EQ(decided(completed_record(), leased_policy(), t0, request), "mismatch fingerprint");
}

TEST(Decide, LeaseIsHalfOpen)
{
    const Policy hold = leased_policy();

    EXPECT_EQ(decided(processing_record(), hold, t0), "in_progress 30 s");
    EXPECT_EQ(decided(processing_record(), hold, t0 + 30s - 1us), "in_progress 0 s");
    EXPECT_EQ(decided(processing_record(), hold, t0 + 30s), "hold");
}

TEST(Decide, MissingLeaseEndIsNeverOver)
{
    for (const Policy& policy :
         {leased_policy(), reconciled_policy(), leased_policy(OnAbandoned::rerun), cached_policy()
         }) {
        EXPECT_EQ(decided(with_lease_end({}), policy, t0 + 24h * 365'000), "in_progress 30 s");
    }
}

TEST(Decide, LeaseEndOfZeroOrLessIsADeadlineLikeAnyOther)
{
    for (const std::int64_t micros :
         {std::int64_t{0}, std::int64_t{-1}, std::int64_t{-1'000'000'000}}) {
        const Record record = with_lease_end(from_micros(micros));
        EXPECT_EQ(decided(record, leased_policy(OnAbandoned::rerun), t0), "claim run takeover");
        EXPECT_EQ(decided(record, leased_policy(), t0), "hold");
    }
}

TEST(Decide, FarLeaseEndIsAlive)
{
    const Record record = with_lease_end(t0 + 24h * 36'500);

    EXPECT_EQ(decided(record, leased_policy(OnAbandoned::rerun), t0), "in_progress 3153600000 s");
}

TEST(Decide, AbandonedRunFollowsThePolicy)
{
    const Instant over = t0 + 30s + 15s;
    const Record record = processing_record();

    EXPECT_EQ(decided(record, leased_policy(), over), "hold");
    EXPECT_EQ(decided(record, leased_policy(OnAbandoned::hold), over), "hold");
    EXPECT_EQ(decided(record, leased_policy(OnAbandoned::rerun), over), "claim run takeover");
    EXPECT_EQ(decided(record, cached_policy(), over), "claim run takeover");
    EXPECT_EQ(decided(record, reconciled_policy(), over), "claim reconcile takeover");
    EXPECT_EQ(decided(record, reconciled_policy(OnAbandoned::hold), over), "hold 15 s");
    EXPECT_EQ(decided(record, reconciled_policy(OnAbandoned::rerun), over), "claim run takeover");
}

TEST(Decide, FirstReconcileWaitsUntilTheOutsideWorldHasSettled)
{
    const Record record = processing_record();

    EXPECT_EQ(decided(record, reconciled_policy(), t0 + 30s), "in_progress 15 s");
    EXPECT_EQ(decided(record, reconciled_policy(), t0 + 45s - 1us), "in_progress 0 s");
    EXPECT_EQ(decided(record, reconciled_policy(), t0 + 45s), "claim reconcile takeover");
}

TEST(Decide, RerunDoesNotWaitForSettling)
{
    EXPECT_EQ(
        decided(processing_record(), leased_policy(OnAbandoned::rerun), t0 + 30s),
        "claim run takeover"
    );
}

TEST(Decide, AbandonedEnquiryIsAskedAgainWhateverThePolicySays)
{
    const Record enquiry = with_mode(processing_record(), Mode::reconcile);

    for (const OnAbandoned on_abandoned :
         {OnAbandoned::automatic, OnAbandoned::reconcile, OnAbandoned::hold, OnAbandoned::rerun}) {
        Policy policy = reconciled_policy(on_abandoned);
        EXPECT_EQ(decided(enquiry, policy, t0 + 30s), "claim reconcile takeover");
        policy.takeovers_max = 0;
        EXPECT_EQ(decided(enquiry, policy, t0 + 30s), "claim reconcile takeover");
    }
    EXPECT_EQ(decided(enquiry, cached_policy(), t0 + 30s), "claim reconcile takeover");
}

TEST(Decide, TooManyTakeoversLeadIntoDoubt)
{
    Record record = processing_record();
    record.takeovers = 4;
    EXPECT_EQ(decided(record, leased_policy(OnAbandoned::rerun), t0 + 30s), "claim run takeover");

    record.takeovers = 5;
    EXPECT_EQ(decided(record, leased_policy(OnAbandoned::rerun), t0 + 30s), "hold");
    EXPECT_EQ(decided(record, reconciled_policy(OnAbandoned::rerun), t0 + 30s), "hold 15 s");
    EXPECT_EQ(decided(record, cached_policy(), t0 + 30s), "hold");
}

TEST(Decide, TakeoversDoNotBoundReconciling)
{
    Record record = processing_record();
    record.takeovers = 1'000;

    EXPECT_EQ(decided(record, reconciled_policy(), t0 + 45s), "claim reconcile takeover");
}

TEST(Decide, InDoubtWithoutAReconcilerIsForAnOperator)
{
    EXPECT_EQ(decided(in_doubt_record(), leased_policy(), t0), "in_doubt");
    EXPECT_EQ(decided(in_doubt_record(), leased_policy(), t0 + 24h), "in_doubt");
    EXPECT_EQ(decided(in_doubt_record(), leased_policy(OnAbandoned::rerun), t0 + 24h), "in_doubt");
}

TEST(Decide, InDoubtIsReconciledAtOnceForWhoAsksNow)
{
    Request request = request_of();
    request.asks_now = true;
    EXPECT_EQ(decided(in_doubt_record(), reconciled_policy(), t0, request), "claim reconcile");
    EXPECT_EQ(decided(in_doubt_record(), leased_policy(), t0, request), "in_doubt");
    // Whoever is at it may still have a call under way: that is waited for all the same.
    EXPECT_EQ(
        decided(processing_record(), reconciled_policy(), t0, request),
        decided(processing_record(), reconciled_policy(), t0)
    );
}

TEST(Decide, InDoubtIsReconciledFromRetryAtOn)
{
    EXPECT_EQ(decided(in_doubt_record(), reconciled_policy(), t0 + 15s - 1us), "in_doubt 0 s");
    EXPECT_EQ(decided(in_doubt_record(), reconciled_policy(), t0 + 15s), "claim reconcile");
}

TEST(Decide, InDoubtWithoutRetryAtIsNeverDue)
{
    Record record = in_doubt_record();
    record.retry_at.reset();

    EXPECT_EQ(decided(record, reconciled_policy(), t0 + 24h * 365), "in_doubt");
}

TEST(Decide, InDoubtNeverExpires)
{
    Record record = in_doubt_record();
    record.expires_at = t0;  // nobody writes this; if it were there it would not count
    record.processing_expires_at = t0;

    EXPECT_FALSE(is_spent(record, t0 + 24h * 365));
    EXPECT_EQ(decided(record, leased_policy(), t0 + 24h * 365), "in_doubt");
    EXPECT_EQ(decided(record, cached_policy(), t0 + 24h * 365), "in_doubt");
}

TEST(Decide, AbandonedCachedRunMeansNothingOneRetentionAfterItsLease)
{
    Record record = processing_record();
    record.expires_at = t0 + 30s + 24h;

    EXPECT_EQ(decided(record, cached_policy(), t0 + 29s), "in_progress 1 s");
    EXPECT_EQ(decided(record, cached_policy(), t0 + 30s), "claim run takeover");
    EXPECT_EQ(decided(record, cached_policy(), t0 + 30s + 24h - 1us), "claim run takeover");
    EXPECT_EQ(decided(record, cached_policy(), t0 + 30s + 24h, request_of(2, 2)), "claim run new");
}

TEST(Decide, LiveLeaseIsNotSpentWhateverItsRetentionSays)
{
    Record record = processing_record();
    record.expires_at = t0 + 1s;

    EXPECT_FALSE(is_spent(record, t0 + 2s));
    EXPECT_EQ(decided(record, cached_policy(), t0 + 2s), "in_progress 28 s");
}

TEST(Decide, EnquiryNeverExpires)
{
    Record record = with_mode(processing_record(), Mode::reconcile);
    record.expires_at = t0 + 1s;

    EXPECT_FALSE(is_spent(record, t0 + 24h * 365));
    EXPECT_EQ(decided(record, cached_policy(), t0 + 24h * 365), "claim reconcile takeover");
}

TEST(Decide, AutomaticIsResolvedByGuaranteeAndReconciler)
{
    EXPECT_EQ(on_abandoned_of(leased_policy()), OnAbandoned::hold);
    EXPECT_EQ(on_abandoned_of(reconciled_policy()), OnAbandoned::reconcile);
    EXPECT_EQ(on_abandoned_of(cached_policy()), OnAbandoned::rerun);
    EXPECT_EQ(on_abandoned_of(Policy{}), OnAbandoned::hold);
    EXPECT_EQ(on_abandoned_of(reconciled_policy(OnAbandoned::hold)), OnAbandoned::hold);
}

}  // namespace
}  // namespace umavez
