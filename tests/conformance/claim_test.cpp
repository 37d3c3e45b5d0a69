// Claims: who becomes the owner, and what it takes to become the next one.

#include "conformance/store_conformance.hpp"

namespace umavez::test {
namespace {

class StoreClaims : public StoreConformance {};

TEST_P(StoreClaims, InsertOrGetInsertsWhatIsAbsent)
{
    StoreDriver driver = this->driver();

    const Found found = driver.insert(id_of("a"), 1);

    EXPECT_TRUE(found.inserted);
    EXPECT_EQ(found.record, to_record(StoreDriver::claim(leased_policy(), 1), nullptr, found.now));
    EXPECT_EQ(driver.find(id_of("a")), found.record);
}

TEST_P(StoreClaims, InsertOrGetFindsWhatIsThereAndChangesNothing)
{
    StoreDriver driver = this->driver();
    const Found first = driver.insert(id_of("a"), 1);
    clock_.advance(5s);

    const Found second = driver.insert(id_of("a"), 2);

    EXPECT_FALSE(second.inserted);
    EXPECT_EQ(second.record, first.record);
    EXPECT_EQ(second.now, first.now + 5s);
    EXPECT_EQ(driver.find(id_of("a")), first.record);
}

TEST_P(StoreClaims, InsertOrGetFindsEvenASpentRecordBecauseAStoreHasNoRules)
{
    StoreDriver driver = this->driver();
    const Found first = driver.insert(id_of("a"), 1);
    driver.finish(id_of("a"), first.record);
    clock_.advance(48h);

    const Found second = driver.insert(id_of("a"), 2);

    EXPECT_FALSE(second.inserted);
    EXPECT_EQ(second.record.status, Status::succeeded);
    EXPECT_EQ(second.record.response, stored());
}

TEST_P(StoreClaims, BeginRepeatedAfterTimeoutExecutesOnce)
{
    StoreDriver driver = this->driver();
    const Found first = driver.insert(id_of("a"), 7);

    const Found repeated = driver.insert(id_of("a"), 7);

    EXPECT_FALSE(repeated.inserted);
    EXPECT_EQ(repeated.record.token, first.record.token) << "read back by our own execution";
    EXPECT_EQ(repeated.record.attempts, 1u);
}

TEST_P(StoreClaims, TakeoverRepeatedAfterTimeoutIsRecognisedByItsExecution)
{
    StoreDriver driver = this->driver();
    const Record abandoned = driver.insert(id_of("a"), 1).record;
    clock_.advance(30s);
    const Replaced first = driver.take(id_of("a"), abandoned, 2);

    const Replaced repeated = driver.take(id_of("a"), abandoned, 2);

    ASSERT_TRUE(first.done);
    EXPECT_FALSE(repeated.done);
    ASSERT_TRUE(repeated.record);
    EXPECT_EQ(repeated.record->token, first.record->token);
    EXPECT_EQ(repeated.record->attempts, 2u);
}

TEST_P(StoreClaims, ReplaceOfNothingReportsNothing)
{
    StoreDriver driver = this->driver();
    const Record elsewhere = driver.insert(id_of("a"), 1).record;

    const Replaced replaced = driver.finish(id_of("b"), elsewhere);

    EXPECT_FALSE(replaced.done);
    EXPECT_FALSE(replaced.record);
    EXPECT_FALSE(driver.find(id_of("b")));
}

TEST_P(StoreClaims, LiveLeaseIsNotTakenOver)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1).record;
    clock_.advance(30s - 1us);

    const Replaced early = driver.take(id_of("a"), owned, 2);
    EXPECT_FALSE(early.done);
    EXPECT_EQ(early.record, owned);

    clock_.advance(1us);
    EXPECT_TRUE(driver.take(id_of("a"), owned, 2).done) << "at its end a lease is over";
}

TEST_P(StoreClaims, TakeoverForReconcilingWaitsForSettlingByTheStoresClock)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1).record;
    clock_.advance(45s - 1us);
    EXPECT_FALSE(driver.take(id_of("a"), owned, 2, reconciled_policy()).done);

    clock_.advance(1us);
    EXPECT_TRUE(driver.take(id_of("a"), owned, 2, reconciled_policy()).done);
}

TEST_P(StoreClaims, LeaseWithoutAnEndIsNeverTakenOver)
{
    StoreDriver driver = this->driver();
    Draft endless = StoreDriver::claim(leased_policy(), 1);
    endless.lease.reset();
    std::vector<Insertion> batch;
    batch.push_back({id_of("a"), endless, std::nullopt});
    const Found found = must(wait(store().insert_or_get(std::move(batch)))).at(0);
    ASSERT_FALSE(found.record.processing_expires_at);
    clock_.advance(24h * 36'500);

    EXPECT_FALSE(driver.take(id_of("a"), found.record, 2).done);
    EXPECT_TRUE(driver.due({.abandoned = {id_of("a").operation}, .in_doubt = {}}).empty());
}

TEST_P(StoreClaims, LeaseOfZeroIsOverAtOnce)
{
    StoreDriver driver = this->driver();
    Policy policy = leased_policy(OnAbandoned::rerun);
    policy.lease = 0s;
    const Record owned = driver.insert(id_of("a"), 1, policy).record;

    EXPECT_EQ(owned.processing_expires_at, owned.updated_at);
    EXPECT_TRUE(driver.take(id_of("a"), owned, 2).done);
}

TEST_P(StoreClaims, OneOfTwoTakersWins)
{
    StoreDriver driver = this->driver();
    const Record abandoned = driver.insert(id_of("a"), 1).record;
    clock_.advance(1min);

    const Replaced first = driver.take(id_of("a"), abandoned, 2);
    const Replaced second = driver.take(id_of("a"), abandoned, 3);

    EXPECT_TRUE(first.done);
    EXPECT_FALSE(second.done);
    EXPECT_EQ(second.record, first.record);
    EXPECT_EQ(first.record->takeovers, 1u);
}

TEST_P(StoreClaims, HeartbeatBetweenReadAndTakeoverWins)
{
    StoreDriver driver = this->driver();
    const Record read = driver.insert(id_of("a"), 1).record;
    clock_.advance(1min);

    const Replaced beat = driver.heartbeat(id_of("a"), read.token);
    ASSERT_TRUE(beat.done) << "nobody has taken the lease, so its owner still has it";
    clock_.advance(1min);  // this one is over too; still the taker has read something else

    EXPECT_FALSE(driver.take(id_of("a"), read, 2).done);
    EXPECT_TRUE(driver.take(id_of("a"), *beat.record, 2).done);
}

TEST_P(StoreClaims, HeartbeatChangesNothingButTheLease)
{
    StoreDriver driver = this->driver();
    Record expected = driver.insert(id_of("a"), 1).record;
    clock_.advance(10s);

    const Replaced beat = driver.heartbeat(id_of("a"), expected.token, 40s);

    expected.processing_expires_at = beat.now + 40s;
    EXPECT_TRUE(beat.done);
    EXPECT_EQ(beat.record, expected);
    EXPECT_EQ(driver.find(id_of("a")), expected);
}

TEST_P(StoreClaims, HeartbeatProlongsTheRetentionOfACachedRun)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1, cached_policy()).record;
    ASSERT_EQ(owned.expires_at, owned.updated_at + 24h + 30s);
    clock_.advance(10s);

    const Replaced beat = driver.heartbeat(id_of("a"), owned.token, 30s, 24h + 30s);

    EXPECT_EQ(beat.record->expires_at, beat.now + 24h + 30s);
}

TEST_P(StoreClaims, HeartbeatOfAFormerOwnerIsRefused)
{
    StoreDriver driver = this->driver();
    const Record former = driver.insert(id_of("a"), 1).record;
    clock_.advance(1min);
    const Replaced taken = driver.take(id_of("a"), former, 2);

    const Replaced beat = driver.heartbeat(id_of("a"), former.token);

    EXPECT_FALSE(beat.done);
    EXPECT_EQ(beat.record, taken.record);
    EXPECT_FALSE(driver.heartbeat(id_of("b"), former.token).record) << "nothing there";
}

TEST_P(StoreClaims, HeartbeatDoesNotReviveWhatIsHeldOrCompleted)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("held"), 1).record;
    const Record finished = driver.insert(id_of("finished"), 1).record;
    driver.finish(id_of("finished"), finished);
    clock_.advance(30s);
    ASSERT_TRUE(driver.hold(id_of("held"), owned).done);

    EXPECT_FALSE(driver.heartbeat(id_of("held"), owned.token).done);
    EXPECT_FALSE(driver.heartbeat(id_of("finished"), finished.token).done);
    EXPECT_EQ(driver.find(id_of("held"))->status, Status::in_doubt);
}

TEST_P(StoreClaims, CheckpointIsCarriedToTheNextOwner)
{
    StoreDriver driver = this->driver();
    const std::string checkpoint("page 7\0of 9", 11);
    const Record owned = driver.insert(id_of("a"), 1).record;
    const Replaced saved = driver.replace(
        id_of("a"), owner_expects(owned.token), save_draft(owned, checkpoint, leased_policy())
    );
    ASSERT_TRUE(saved.done);
    clock_.advance(1min);

    const Replaced taken = driver.take(id_of("a"), *saved.record, 2);

    ASSERT_TRUE(taken.done);
    EXPECT_EQ(taken.record->checkpoint, checkpoint);
    EXPECT_EQ(driver.find(id_of("a"))->checkpoint, checkpoint);
}

TEST_P(StoreClaims, EpochRisesWithEveryClaimEvenIfTheClockStandsStill)
{
    StoreDriver driver = this->driver();
    Policy policy = leased_policy(OnAbandoned::rerun);
    policy.lease = 0s;
    policy.takeovers_max = 1'000;
    Record record = driver.insert(id_of("a"), 1, policy).record;

    for (std::uint8_t execution = 2; execution < 10; ++execution) {
        const Replaced taken = driver.take(id_of("a"), record, execution, policy);
        ASSERT_TRUE(taken.done);
        EXPECT_GT(taken.record->token.epoch, record.token.epoch);
        record = *taken.record;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreClaims, ::testing::ValuesIn(store_factories()), factory_name
);

}  // namespace
}  // namespace umavez::test
