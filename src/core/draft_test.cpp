#include "core/draft.hpp"

#include "core/test_records.hpp"

#include <gtest/gtest.h>

namespace umavez {
namespace {

using namespace test;

TEST(NextEpoch, FollowsTheStoreClock)
{
    EXPECT_EQ(next_epoch(0, t0), to_micros(t0));
    EXPECT_EQ(next_epoch(to_micros(t0) - 1, t0), to_micros(t0));
}

TEST(NextEpoch, GrowsEvenIfTheClockDoesNot)
{
    EXPECT_EQ(next_epoch(to_micros(t0), t0), to_micros(t0) + 1);
    EXPECT_EQ(next_epoch(to_micros(t0) + 7, t0 - 1h), to_micros(t0) + 8);
}

TEST(ToRecord, TurnsDurationsIntoInstantsOfTheStore)
{
    Draft draft;
    draft.lease = 30s;
    draft.retry_in = 15s;
    draft.expires_in = 24h;

    const Record record = to_record(draft, nullptr, t0);

    EXPECT_EQ(record.processing_expires_at, t0 + 30s);
    EXPECT_EQ(record.retry_at, t0 + 15s);
    EXPECT_EQ(record.expires_at, t0 + 24h);
    EXPECT_EQ(record.updated_at, t0);
}

TEST(ToRecord, MissingDurationsStayMissing)
{
    const Record record = to_record(Draft{}, nullptr, t0);

    EXPECT_FALSE(record.processing_expires_at);
    EXPECT_FALSE(record.retry_at);
    EXPECT_FALSE(record.expires_at);
}

TEST(ToRecord, DurationOfZeroIsADeadlineAndNotNone)
{
    Draft draft;
    draft.lease = 0s;
    draft.expires_in = 0s;

    const Record record = to_record(draft, nullptr, t0);

    EXPECT_EQ(record.processing_expires_at, t0);
    EXPECT_EQ(record.expires_at, t0);
}

TEST(ToRecord, ALifetimeBeginsWithTheWriteUnlessTheDraftSaysOtherwise)
{
    Draft draft;
    EXPECT_EQ(to_record(draft, nullptr, t0).created_at, t0);

    draft.created_at = t0 - 1h;
    EXPECT_EQ(to_record(draft, nullptr, t0).created_at, t0 - 1h);
}

TEST(ToRecord, OnlyCompletionsHaveACompletionTime)
{
    for (const Status status :
         {Status::processing, Status::in_doubt, Status::succeeded, Status::failed}) {
        Draft draft;
        draft.status = status;
        const bool is_completion = status == Status::succeeded || status == Status::failed;

        const Record record = to_record(draft, nullptr, t0);

        EXPECT_EQ(record.completed_at, is_completion ? std::optional{t0} : std::nullopt)
            << to_text(status);
    }
}

TEST(ToRecord, EpochStaysUnlessItIsRaised)
{
    const Record previous = processing_record();
    Draft draft;
    EXPECT_EQ(to_record(draft, &previous, t0 + 1h).token.epoch, previous.token.epoch);

    draft.raise_epoch = true;
    EXPECT_EQ(to_record(draft, &previous, t0 + 1h).token.epoch, to_micros(t0 + 1h));
    EXPECT_EQ(to_record(draft, &previous, t0 - 1h).token.epoch, previous.token.epoch + 1);
}

TEST(ToRecord, MovingADraftGivesTheSameRecordAsCopyingIt)
{
    Draft draft;
    draft.status = Status::succeeded;
    draft.response = stored();
    draft.checkpoint = std::string(100, 'c');
    draft.execution = execution_of(7);

    const Record copied = to_record(draft, nullptr, t0);
    const Record moved = to_record(std::move(draft), nullptr, t0);

    EXPECT_EQ(copied, moved);
}

TEST(Matches, NeedsBothHalvesOfTheToken)
{
    const Record record = processing_record();
    EXPECT_TRUE(matches(record, owner_expects(record.token), t0));

    FencingToken other = record.token;
    other.epoch += 1;
    EXPECT_FALSE(matches(record, owner_expects(other), t0));

    other = record.token;
    other.execution = execution_of(9);
    EXPECT_FALSE(matches(record, owner_expects(other), t0));
}

TEST(Matches, OwnerWritesToProcessingAlone)
{
    for (const Record& record :
         {completed_record(), completed_record(Status::failed), in_doubt_record()}) {
        EXPECT_FALSE(matches(record, owner_expects(record.token), t0));
    }
}

TEST(Matches, SettlerWritesToInDoubtToo)
{
    const Record record = in_doubt_record();
    EXPECT_TRUE(matches(record, settler_expects(record.token), t0));
    EXPECT_TRUE(matches(processing_record(), settler_expects(record.token), t0));
    EXPECT_FALSE(matches(completed_record(), settler_expects(record.token), t0));
}

TEST(Matches, OwnerOfAnExpiredLeaseStillMatches)
{
    const Record record = processing_record();

    EXPECT_TRUE(matches(record, settler_expects(record.token), t0 + 24h));
}

TEST(Matches, BystanderLosesToAHeartbeat)
{
    const Record read = processing_record();
    Record prolonged = read;
    prolonged.processing_expires_at = *read.processing_expires_at + 1us;

    EXPECT_TRUE(matches(read, bystander_expects(read), t0));
    EXPECT_FALSE(matches(prolonged, bystander_expects(read), t0));
}

TEST(Matches, BystanderThatReadNoLeaseEndLosesToOne)
{
    Record read = processing_record();
    read.processing_expires_at.reset();

    ASSERT_TRUE(bystander_expects(read).processing_expires_at.has_value());
    EXPECT_TRUE(matches(read, bystander_expects(read), t0));
    EXPECT_FALSE(matches(processing_record(), bystander_expects(read), t0));
}

TEST(Matches, TakeoverIsJudgedAtTheTimeOfTheWrite)
{
    const Record record = processing_record();
    const Expected expected = takeover_expects(record, leased_policy(OnAbandoned::rerun));

    EXPECT_FALSE(matches(record, expected, t0 + 30s - 1us));
    EXPECT_TRUE(matches(record, expected, t0 + 30s));
}

TEST(Matches, TakeoverForReconcilingWaitsForSettling)
{
    const Record record = processing_record();
    const Expected expected = takeover_expects(record, reconciled_policy());

    EXPECT_FALSE(matches(record, expected, t0 + 45s - 1us));
    EXPECT_TRUE(matches(record, expected, t0 + 45s));
}

TEST(Matches, TakeoverOfAnEnquiryDoesNotSettleAgain)
{
    Record record = processing_record();
    record.mode = Mode::reconcile;

    EXPECT_TRUE(matches(record, takeover_expects(record, reconciled_policy()), t0 + 30s));
}

TEST(Matches, NoLeaseEndIsNeverTakenOver)
{
    Record record = processing_record();
    record.processing_expires_at.reset();

    EXPECT_FALSE(matches(record, takeover_expects(record, cached_policy()), t0 + 24h * 36'500));
}

TEST(Matches, ClaimOfARecordWithoutALeaseAsksForNone)
{
    for (const Record& record : {in_doubt_record(), completed_record(), released_record()}) {
        EXPECT_TRUE(matches(record, takeover_expects(record, reconciled_policy()), t0));
    }
}

}  // namespace
}  // namespace umavez
