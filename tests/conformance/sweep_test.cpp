// Sweeps: they take what is spent, at most as much as asked, and nothing else (hazards T-01, T-02, T-04).

#include "conformance/store_conformance.hpp"

namespace umavez::test {
namespace {

class StoreSweeps : public StoreConformance {
protected:
    Record finished(const RecordId& id, const Policy& policy = leased_policy())
    {
        StoreDriver driver = this->driver();
        const Record owned = driver.insert(id, 1, policy).record;
        EXPECT_TRUE(driver.finish(id, owned, stored(), policy).done);
        return *driver.find(id);
    }
};

using Ids = std::vector<RecordId>;

TEST_P(StoreSweeps, RetentionIsHalfOpen)
{
    StoreDriver driver = this->driver();
    finished(id_of("a"));
    clock_.advance(24h - 1us);
    EXPECT_EQ(driver.sweep(), Ids{});

    clock_.advance(1us);
    EXPECT_EQ(driver.sweep(), Ids{id_of("a")});
    EXPECT_FALSE(driver.find(id_of("a")));
    EXPECT_EQ(driver.sweep(), Ids{});
}

TEST_P(StoreSweeps, OnlyCompletedRecordsExpire)
{
    StoreDriver driver = this->driver();
    driver.insert(id_of("processing"), 1);
    const Record doubted = driver.insert(id_of("in doubt"), 1).record;
    driver.doubt(id_of("in doubt"), doubted, 1s);
    const Record released = driver.insert(id_of("released"), 1).record;
    driver.release(id_of("released"), released);
    Policy forever = leased_policy();
    forever.retention.reset();
    finished(id_of("forever"), forever);
    clock_.advance(24h * 36'500);

    EXPECT_EQ(driver.sweep(), Ids{id_of("released")});
}

TEST_P(StoreSweeps, AbandonedCachedRunGoesOneRetentionAfterItsLease)
{
    StoreDriver driver = this->driver();
    driver.insert(id_of("a"), 1, cached_policy());
    clock_.advance(24h + 30s - 1us);
    EXPECT_EQ(driver.sweep(), Ids{});

    clock_.advance(1us);
    EXPECT_EQ(driver.sweep(), Ids{id_of("a")});
}

TEST_P(StoreSweeps, LiveCachedRunStays)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1, cached_policy()).record;
    clock_.advance(24h);
    driver.heartbeat(id_of("a"), owned.token, 1h, 1h);  // now its retention ends with its lease
    clock_.advance(1h - 1us);
    EXPECT_EQ(driver.sweep(), Ids{});

    clock_.advance(1us);
    EXPECT_EQ(driver.sweep(), Ids{id_of("a")});
}

TEST_P(StoreSweeps, TakeAtMostAsManyAsAskedUntilAllAreGone)
{
    StoreDriver driver = this->driver();
    for (int i = 0; i < 25; ++i) finished(id_of("k" + std::to_string(i)));
    clock_.advance(24h);

    std::size_t swept = 0;
    for (int i = 0; i < 10; ++i) {
        const std::size_t count = driver.sweep(10).size();
        EXPECT_LE(count, 10u);
        swept += count;
    }

    EXPECT_EQ(swept, 25u);
    EXPECT_TRUE(driver.scan({}).empty());
}

TEST_P(StoreSweeps, TellWhetherTheyWereCutOff)
{
    for (int i = 0; i < 5; ++i) finished(id_of("k" + std::to_string(i)));
    clock_.advance(24h);

    EXPECT_TRUE(must(wait(store().sweep(3, 24h * 90))).has_more);
    EXPECT_FALSE(must(wait(store().sweep(3, 24h * 90))).has_more);
    EXPECT_FALSE(must(wait(store().sweep(3, 24h * 90))).has_more);
}

// What was written in one call may be kept together, and a sweep may end in the middle of it.
TEST_P(StoreSweeps, GoOnWhereTheOneBeforeWasCutOff)
{
    StoreDriver driver = this->driver();
    std::vector<Insertion> together;
    for (int i = 0; i < 64; ++i) {
        Draft draft = StoreDriver::claim(leased_policy(), 1);
        draft.status = Status::succeeded;
        draft.final = true;
        draft.lease.reset();
        draft.response = stored();
        draft.expires_in = 24h;
        together.push_back({id_of("k" + std::to_string(i)), std::move(draft), std::nullopt});
    }
    must(wait(store().insert_or_get(std::move(together))));
    clock_.advance(24h);

    std::size_t swept = 0;
    for (int i = 0; i < 64; ++i) swept += driver.sweep(3).size();

    EXPECT_EQ(swept, 64u);
    EXPECT_TRUE(driver.scan({}).empty());
}

TEST_P(StoreSweeps, RecordClaimedAgainIsNotSwept)
{
    StoreDriver driver = this->driver();
    const Record spent = finished(id_of("a"));
    clock_.advance(24h);
    const Replaced claimed = driver.take(id_of("a"), spent, 2);
    ASSERT_TRUE(claimed.done);

    EXPECT_EQ(driver.sweep(), Ids{});
    EXPECT_EQ(driver.find(id_of("a")), claimed.record);
}

TEST_P(StoreSweeps, SweptRecordIsNotClaimedByWhoReadItBefore)
{
    StoreDriver driver = this->driver();
    const Record spent = finished(id_of("a"));
    clock_.advance(24h);
    ASSERT_EQ(driver.sweep(), Ids{id_of("a")});

    const Replaced claimed = driver.take(id_of("a"), spent, 2);

    EXPECT_FALSE(claimed.done);
    EXPECT_FALSE(claimed.record);
}

TEST_P(StoreSweeps, ChangedRetentionCounts)
{
    StoreDriver driver = this->driver();
    Policy policy = leased_policy();
    for (const auto& [first, second] : {std::pair{24h, 1h}, {1h, 24h}, {24h, 72h}}) {
        const RecordId id = id_of(std::to_string(first.count()) + " then " + std::to_string(second.count()));
        const Record owned = driver.insert(id, 1).record;
        policy.retention = first;
        ASSERT_TRUE(
            driver
                .replace(id, owner_expects(owned.token), release_draft(owned, std::nullopt, policy))
                .done
        );
        const Replaced claimed = driver.take(id, *driver.find(id), 2);
        policy.retention = second;
        ASSERT_TRUE(driver.finish(id, *claimed.record, stored(), policy).done);
    }

    clock_.advance(1h);
    EXPECT_EQ(driver.sweep(), Ids{id_of("24 then 1")});
    clock_.advance(23h);
    EXPECT_EQ(driver.sweep(), Ids{id_of("1 then 24")});
    clock_.advance(48h);
    EXPECT_EQ(driver.sweep(), Ids{id_of("24 then 72")});
}

TEST_P(StoreSweeps, EpochNeverRepeatsAfterASweepAndReinsertion)
{
    StoreDriver driver = this->driver();
    Policy policy = leased_policy();
    policy.retention = 1us;
    std::int64_t last = 0;
    for (int i = 0; i < 5; ++i) {
        const Record record = finished(id_of("a"), policy);
        EXPECT_GT(record.token.epoch, last);
        last = record.token.epoch;
        clock_.advance(1us);
        ASSERT_EQ(driver.sweep(), Ids{id_of("a")});
    }
}

TEST_P(StoreSweeps, FinishOfAnOwnerWhoseCachedRunWasSweptIsRefused)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1, cached_policy()).record;
    clock_.advance(48h);
    ASSERT_EQ(driver.sweep(), Ids{id_of("a")});

    EXPECT_FALSE(driver.finish(id_of("a"), owned).done);
    EXPECT_FALSE(driver.heartbeat(id_of("a"), owned.token).done);
    EXPECT_FALSE(driver.find(id_of("a")));
}

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreSweeps, ::testing::ValuesIn(store_factories()), factory_name
);

}  // namespace
}  // namespace umavez::test
