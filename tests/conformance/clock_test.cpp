// Time belongs to the store: it does not step, and a durable store never falls behind what it has written.

#include "conformance/store_conformance.hpp"

namespace umavez::test {
namespace {

class StoreTime : public StoreConformance {};

TEST_P(StoreTime, FollowsElapsedTimeAndNotTheWallClock)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1).record;
    const Instant before = driver.now();

    clock_.step_wall(1h);
    EXPECT_EQ(driver.now(), before);
    EXPECT_FALSE(driver.take(id_of("a"), owned, 2).done) << "no lease ends because a clock was set";

    clock_.step_wall(-2h);
    clock_.advance(30s);
    EXPECT_EQ(driver.now(), before + 30s);
    EXPECT_TRUE(driver.take(id_of("a"), owned, 2).done);
}

TEST_P(StoreTime, RecordsSurviveReopening)
{
    const Record doubted = driver().insert(id_of("doubted"), 1).record;
    driver().doubt(id_of("doubted"), doubted, 15s);
    const Record owned = driver().insert(id_of("finished"), 2).record;
    driver().finish(id_of("finished"), owned);
    driver().insert(id_of("running"), 3, leased_policy(), AuditNote{AuditEvent::claimed, "kept"});
    const auto everything = [this] {
        std::map<RecordId, Record> all;
        for (const NamedRecord& named : driver().scan({})) all.emplace(named.id, named.record);
        return all;
    };
    const auto before = everything();

    if (!opened_->reopen()) GTEST_SKIP() << "keeps nothing";

    EXPECT_EQ(everything(), before);
    EXPECT_EQ(before.size(), 3u);
    EXPECT_EQ(driver().timeline(id_of("running")).size(), 1u);
    EXPECT_TRUE(driver().heartbeat(id_of("running"), before.at(id_of("running")).token).done);
}

TEST_P(StoreTime, ReopeningWithTheWallClockAnHourBackDoesNotFallBehind)
{
    const Found first = driver().insert(id_of("a"), 1);
    clock_.advance(10s);
    const Instant written = driver().insert(id_of("b"), 1).now;
    clock_.step_wall(-1h);

    if (!opened_->reopen()) GTEST_SKIP() << "keeps nothing";

    EXPECT_GE(driver().now(), written);
    clock_.advance(20s);
    EXPECT_TRUE(driver().take(id_of("a"), first.record, 2).done) << "its lease ended after 30 s";
}

TEST_P(StoreTime, EpochDoesNotFallWhenTheWallClockDoes)
{
    Policy policy = leased_policy();
    policy.retention = 1min;
    const Record owned = driver().insert(id_of("a"), 1, policy).record;
    driver().finish(id_of("a"), owned, stored(), policy);
    clock_.advance(1min);
    ASSERT_EQ(driver().sweep().size(), 1u);
    clock_.step_wall(-1h);

    if (!opened_->reopen()) GTEST_SKIP() << "keeps nothing";

    EXPECT_GT(driver().insert(id_of("a"), 2).record.token.epoch, owned.token.epoch);
}

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreTime, ::testing::ValuesIn(store_factories()), factory_name
);

}  // namespace
}  // namespace umavez::test
