#include "core/transition.hpp"

#include "core/test_records.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace umavez {
namespace {

using namespace test;

constexpr std::array passing = {401, 403, 408, 409, 412, 423, 425, 428, 429};

bool is_passing(int status)
{
    return std::ranges::find(passing, status) != passing.end();
}

TEST(Judge, AtomicAndCachedKeepFinalResultsAndReleaseTheRest)
{
    for (const Guarantee guarantee : {Guarantee::atomic, Guarantee::cached}) {
        const Policy policy{.guarantee = guarantee, .retry_horizon = {}};
        for (int status = 100; status < 600; ++status) {
            const Verdict expected = status >= 200 && status < 400                  ? Verdict::succeed
                                     : status >= 400 && status < 500 && !is_passing(status)
                                         ? Verdict::fail_final
                                         : Verdict::release;
            EXPECT_EQ(judge(status, policy), expected) << status;
        }
    }
}

TEST(Judge, SuccessKeepsSuccessesOnly)
{
    Policy policy;
    policy.finality = Finality::success;
    for (int status = 100; status < 600; ++status) {
        const bool is_success = status >= 200 && status < 400;
        EXPECT_EQ(judge(status, policy), is_success ? Verdict::succeed : Verdict::release) << status;
    }
}

TEST(Judge, LeasedNeverReleasesByStatus)
{
    for (const Finality finality : {Finality::standard, Finality::success}) {
        Policy policy = leased_policy();
        policy.finality = finality;
        for (int status = 100; status < 600; ++status) {
            const Verdict expected = status >= 200 && status < 400                  ? Verdict::succeed
                                     : status >= 400 && status < 500 && !is_passing(status)
                                         ? Verdict::fail_final
                                         : Verdict::doubt;
            EXPECT_EQ(judge(status, policy), expected) << status;
        }
    }
}

TEST(Judge, StatusOutsideOfHttpIsNeverKept)
{
    for (const int status : {-1, 0, 99, 600, 1000}) {
        EXPECT_EQ(judge(status, Policy{}), Verdict::release) << status;
        EXPECT_EQ(judge(status, leased_policy()), Verdict::doubt) << status;
    }
}

TEST(Claim, OfNothingStartsALifetime)
{
    const Draft draft =
        claim_draft(nullptr, request_of(2, 3), leased_policy(), {.new_lifetime = true}, execution_of(5));

    EXPECT_EQ(draft.status, Status::processing);
    EXPECT_EQ(draft.mode, Mode::run);
    EXPECT_TRUE(draft.raise_epoch);
    EXPECT_EQ(draft.execution, execution_of(5));
    EXPECT_EQ(draft.target, target_of(2));
    EXPECT_EQ(draft.fingerprint, fingerprint_of(3));
    EXPECT_EQ(draft.attempts, 1u);
    EXPECT_EQ(draft.takeovers, 0u);
    EXPECT_EQ(draft.lease, 30s);
    EXPECT_FALSE(draft.created_at);
    EXPECT_FALSE(draft.expires_in);
}

TEST(Claim, OfASpentRecordForgetsEverythingButTheEpoch)
{
    Record spent = completed_record();
    spent.attempts = 9;
    spent.takeovers = 3;
    spent.checkpoint = "half";

    const Draft draft =
        claim_draft(&spent, request_of(2, 2), leased_policy(), {.new_lifetime = true}, execution_of(5));
    const Record record = to_record(draft, &spent, t0 + 24h);

    EXPECT_EQ(record.attempts, 1u);
    EXPECT_EQ(record.takeovers, 0u);
    EXPECT_EQ(record.checkpoint, "");
    EXPECT_EQ(record.target, target_of(2));
    EXPECT_EQ(record.created_at, t0 + 24h);
    EXPECT_FALSE(record.response);
    EXPECT_GT(record.token.epoch, spent.token.epoch);
}

TEST(Claim, OfAReleasedRecordStartsOverInTheSameLifetime)
{
    Record released = released_record();
    released.attempts = 4;
    released.takeovers = 3;
    released.checkpoint = "half";
    released.mode = Mode::reconcile;

    const Draft draft = claim_draft(&released, request_of(2, 2), leased_policy(), {}, execution_of(5));

    EXPECT_EQ(draft.attempts, 5u);
    EXPECT_EQ(draft.takeovers, 0u);
    EXPECT_EQ(draft.checkpoint, "");
    EXPECT_EQ(draft.mode, Mode::run);
    EXPECT_EQ(draft.target, target_of(2));
    EXPECT_EQ(draft.fingerprint, fingerprint_of(2));
    EXPECT_EQ(draft.created_at, t0);
}

TEST(Claim, ByTakeoverCarriesTheCheckpointAndCountsIt)
{
    Record abandoned = processing_record();
    abandoned.attempts = 2;
    abandoned.takeovers = 1;
    abandoned.checkpoint = "page 7";

    const Draft draft = claim_draft(
        &abandoned, request_of(1, 2), cached_policy(), {.takeover = true}, execution_of(5)
    );

    EXPECT_EQ(draft.attempts, 3u);
    EXPECT_EQ(draft.takeovers, 2u);
    EXPECT_EQ(draft.checkpoint, "page 7");
    EXPECT_EQ(draft.fingerprint, fingerprint_of(1)) << "the first request's stands under `original`";
    EXPECT_EQ(draft.created_at, t0);
}

TEST(Claim, OfADoubtIsNoTakeover)
{
    Record doubted = in_doubt_record();
    doubted.checkpoint = "page 7";

    const Draft draft = claim_draft(
        &doubted, request_of(), reconciled_policy(), {.mode = Mode::reconcile}, execution_of(5)
    );
    const Record record = to_record(draft, &doubted, t0 + 15s);

    EXPECT_EQ(record.mode, Mode::reconcile);
    EXPECT_EQ(record.attempts, 2u);
    EXPECT_EQ(record.takeovers, 0u);
    EXPECT_EQ(record.checkpoint, "page 7");
    EXPECT_FALSE(record.retry_at);
}

TEST(Claim, OfCachedRunsExpireOneRetentionAfterTheirLease)
{
    const Policy cached = cached_policy();
    EXPECT_EQ(processing_expires_in(cached, Mode::run), 24h + 30s);
    EXPECT_EQ(claim_draft(nullptr, request_of(), cached, {}, {}).expires_in, 24h + 30s);

    EXPECT_FALSE(processing_expires_in(cached, Mode::reconcile)) << "a doubt never expires";
    EXPECT_FALSE(claim_draft(nullptr, request_of(), cached, {.mode = Mode::reconcile}, {}).expires_in);
    EXPECT_FALSE(processing_expires_in(leased_policy(OnAbandoned::rerun), Mode::run));

    Policy forever = cached;
    forever.retention.reset();
    EXPECT_FALSE(processing_expires_in(forever, Mode::run));

    Policy held = cached;
    held.on_abandoned = OnAbandoned::hold;
    EXPECT_FALSE(processing_expires_in(held, Mode::run));
}

TEST(Complete, KeepsTheTokenAndDropsTheCheckpoint)
{
    Record owned = processing_record();
    owned.checkpoint = "page 7";

    const Draft draft = complete_draft(owned, Status::succeeded, stored(), leased_policy());
    const Record record = to_record(draft, &owned, t0 + 5s);

    EXPECT_EQ(record.token, owned.token);
    EXPECT_EQ(record.status, Status::succeeded);
    EXPECT_FALSE(record.final);
    EXPECT_EQ(record.response, stored());
    EXPECT_EQ(record.checkpoint, "");
    EXPECT_EQ(record.completed_at, t0 + 5s);
    EXPECT_EQ(record.expires_at, t0 + 5s + 24h);
    EXPECT_FALSE(record.processing_expires_at);
    EXPECT_EQ(record.created_at, t0);
    EXPECT_EQ(record.attempts, 1u);
}

TEST(Complete, FailureIsFinalAndRetentionMayBeForever)
{
    Policy policy = leased_policy();
    policy.retention.reset();

    const Draft draft = complete_draft(processing_record(), Status::failed, stored(422), policy);

    EXPECT_TRUE(draft.final);
    EXPECT_FALSE(draft.expires_in);
}

TEST(Release, IsAFailureThatIsNotFinal)
{
    const Record owned = processing_record();

    const Record record =
        to_record(release_draft(owned, stored(503), leased_policy()), &owned, t0 + 5s);

    EXPECT_EQ(record.status, Status::failed);
    EXPECT_FALSE(record.final);
    EXPECT_EQ(record.token, owned.token);
    EXPECT_EQ(record.response, stored(503));
    EXPECT_EQ(record.expires_at, t0 + 5s + 24h);
}

TEST(Doubt, HasNoLeaseAndNoRetention)
{
    const Record owned = processing_record();

    const Record record = to_record(doubt_draft(owned, 7s), &owned, t0 + 5s);

    EXPECT_EQ(record.status, Status::in_doubt);
    EXPECT_EQ(record.retry_at, t0 + 12s);
    EXPECT_FALSE(record.processing_expires_at);
    EXPECT_FALSE(record.expires_at);
    EXPECT_FALSE(record.completed_at);
}

TEST(Hold, KeepsTheTokenSoThatALateOwnerSettlesIt)
{
    Record found = processing_record();
    found.checkpoint = "page 7";

    const Record held = to_record(hold_draft(found, leased_policy()), &found, t0 + 30s);

    EXPECT_EQ(held.status, Status::in_doubt);
    EXPECT_EQ(held.token, found.token);
    EXPECT_EQ(held.checkpoint, "page 7");
    EXPECT_EQ(held.retry_at, t0 + 45s);
    EXPECT_TRUE(matches(held, settler_expects(found.token), t0 + 31s));
    EXPECT_FALSE(matches(held, owner_expects(found.token), t0 + 31s));
}

TEST(Run, AfterAnEnquiryKeepsTheTokenAndBeginsAFullLease)
{
    Record owned = processing_record();
    owned.mode = Mode::reconcile;

    const Record record = to_record(run_draft(owned, leased_policy()), &owned, t0 + 20s);

    EXPECT_EQ(record.mode, Mode::run);
    EXPECT_EQ(record.token, owned.token);
    EXPECT_EQ(record.processing_expires_at, t0 + 50s);
}

TEST(Save, KeepsProgressAndProlongsTheLease)
{
    const Record owned = processing_record();

    const Record record = to_record(save_draft(owned, "page 8", leased_policy()), &owned, t0 + 20s);

    EXPECT_EQ(record.checkpoint, "page 8");
    EXPECT_EQ(record.status, Status::processing);
    EXPECT_EQ(record.token, owned.token);
    EXPECT_EQ(record.processing_expires_at, t0 + 50s);
}

TEST(Operator, ReleaseFencesALateOwner)
{
    Record found = in_doubt_record();
    found.takeovers = 5;

    const Record record =
        to_record(operator_release_draft(found, execution_of(9), 24h), &found, t0 + 1h);

    EXPECT_EQ(record.status, Status::failed);
    EXPECT_FALSE(record.final);
    EXPECT_GT(record.token.epoch, found.token.epoch);
    EXPECT_EQ(record.token.execution, execution_of(9));
    EXPECT_EQ(record.takeovers, 0u);
    EXPECT_FALSE(record.response);
    EXPECT_FALSE(matches(record, settler_expects(found.token), t0 + 1h));
}

TEST(Operator, ResolveFencesALateOwnerAndIsFinal)
{
    Record found = in_doubt_record();
    found.checkpoint = "page 7";
    for (const Status status : {Status::succeeded, Status::failed}) {
        const Record record = to_record(
            operator_resolve_draft(found, status, std::nullopt, execution_of(9), std::nullopt),
            &found,
            t0 + 1h
        );

        EXPECT_EQ(record.status, status);
        EXPECT_EQ(record.final, status == Status::failed);
        EXPECT_GT(record.token.epoch, found.token.epoch);
        EXPECT_FALSE(record.response);
        EXPECT_FALSE(record.expires_at);
        EXPECT_EQ(record.checkpoint, "");
        EXPECT_FALSE(matches(record, settler_expects(found.token), t0 + 1h));
    }
}

TEST(SameCompletion, IsOursWithTheSameAnswer)
{
    const Record owned = processing_record();
    const Policy policy = leased_policy();
    const Draft draft = complete_draft(owned, Status::succeeded, stored(), policy);
    const Record there = to_record(draft, &owned, t0 + 5s);

    EXPECT_TRUE(is_same_completion(there, owned.token, draft));
    EXPECT_FALSE(is_same_completion(
        there, owned.token, complete_draft(owned, Status::succeeded, stored(201, "other"), policy)
    ));
    EXPECT_FALSE(is_same_completion(
        there, owned.token, complete_draft(owned, Status::failed, stored(), policy)
    ));
    EXPECT_FALSE(is_same_completion(there, {owned.token.epoch, execution_of(9)}, draft));
    EXPECT_FALSE(is_same_completion(there, {owned.token.epoch + 1, owned.token.execution}, draft));
}

TEST(SameCompletion, AReleaseIsNotAFinalFailureWithTheSameAnswer)
{
    const Record owned = processing_record();
    const Policy policy = leased_policy();
    const Record released = to_record(release_draft(owned, stored(422), policy), &owned, t0);

    EXPECT_FALSE(is_same_completion(
        released, owned.token, complete_draft(owned, Status::failed, stored(422), policy)
    ));
    EXPECT_TRUE(is_same_completion(
        released, owned.token, release_draft(owned, stored(422), policy)
    ));
    EXPECT_FALSE(is_same_completion(
        released, owned.token, release_draft(owned, std::nullopt, policy)
    ));
}

TEST(Backoff, DoublesFromOneSecondToTenMinutes)
{
    EXPECT_EQ(backoff(0, 0.0), 500ms);
    EXPECT_EQ(backoff(1, 0.0), 500ms);
    EXPECT_EQ(backoff(2, 0.0), 1s);
    EXPECT_EQ(backoff(3, 0.0), 2s);
    EXPECT_EQ(backoff(10, 0.0), 256s);
    EXPECT_EQ(backoff(11, 0.0), 300s);
    EXPECT_EQ(backoff(4'000'000'000, 0.0), 300s);
}

TEST(Backoff, IsDrawnBetweenHalfAndWhole)
{
    for (std::uint32_t attempts = 0; attempts < 40; ++attempts) {
        const Duration least = backoff(attempts, 0.0);
        const Duration most = backoff(attempts, 0.999'999'999);
        EXPECT_LE(least, most);
        EXPECT_LE(most, least * 2);
        EXPECT_GE(least, 500ms);
        EXPECT_LE(most, 10min);
    }
}

}  // namespace
}  // namespace umavez
