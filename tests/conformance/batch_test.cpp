// Batches: the native size of every call, each member answered on its own.

#include "base/limits.hpp"
#include "conformance/store_conformance.hpp"

#include <algorithm>

namespace umavez::test {
namespace {

class StoreBatches : public StoreConformance {};

std::vector<Insertion> insertions(std::size_t count, std::uint8_t execution)
{
    std::vector<Insertion> batch;
    for (std::size_t i = 0; i < count; ++i) {
        batch.push_back(
            {id_of("k" + std::to_string(i)), StoreDriver::claim(leased_policy(), execution), {}}
        );
    }
    return batch;
}

TEST_P(StoreBatches, EmptyBatchHasAnEmptyAnswer)
{
    EXPECT_TRUE(must(wait(store().insert_or_get({}))).empty());
    EXPECT_TRUE(must(wait(store().replace({}))).empty());
    EXPECT_TRUE(must(wait(store().heartbeat({}))).empty());
}

TEST_P(StoreBatches, InsertionsAreAnsweredOnTheirOwnAndInOrder)
{
    StoreDriver driver = this->driver();
    driver.insert(id_of("k1"), 1);
    driver.insert(id_of("k3"), 1);

    const std::vector<Found> found = must(wait(store().insert_or_get(insertions(5, 2))));

    ASSERT_EQ(found.size(), 5u);
    for (std::size_t i = 0; i < found.size(); ++i) {
        const bool was_there = i == 1 || i == 3;
        EXPECT_EQ(found[i].inserted, !was_there) << i;
        EXPECT_EQ(found[i].record.token.execution, execution_of(was_there ? 1 : 2)) << i;
        EXPECT_EQ(driver.find(id_of("k" + std::to_string(i))), found[i].record) << i;
    }
}

TEST_P(StoreBatches, ReplacementsAreAnsweredOnTheirOwnAndInOrder)
{
    StoreDriver driver = this->driver();
    const std::vector<Found> owned = must(wait(store().insert_or_get(insertions(4, 1))));
    ASSERT_TRUE(driver.finish(id_of("k1"), owned[1].record, stored(201, "first")).done);
    std::vector<Replacement> batch;
    for (std::size_t i = 0; i < owned.size(); ++i) {
        batch.push_back(
            {id_of("k" + std::to_string(i)),
             settler_expects(owned[i].record.token),
             complete_draft(owned[i].record, Status::succeeded, stored(201, "second"), leased_policy()),
             {}}
        );
    }
    batch.push_back({id_of("nobody"), settler_expects(owned[0].record.token), batch[0].next, {}});

    const std::vector<Replaced> replaced = must(wait(store().replace(std::move(batch))));

    ASSERT_EQ(replaced.size(), 5u);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(replaced[i].done, i != 1) << i;
        const Record there = *driver.find(id_of("k" + std::to_string(i)));
        EXPECT_EQ(there.response, stored(201, i == 1 ? "first" : "second")) << i;
    }
    EXPECT_FALSE(replaced[4].done);
    EXPECT_FALSE(replaced[4].record);
}

TEST_P(StoreBatches, HeartbeatsAreAnsweredOnTheirOwn)
{
    StoreDriver driver = this->driver();
    const std::vector<Found> owned = must(wait(store().insert_or_get(insertions(3, 1))));
    ASSERT_TRUE(driver.finish(id_of("k1"), owned[1].record).done);
    std::vector<Heartbeat> batch;
    for (std::size_t i = 0; i < owned.size(); ++i) {
        batch.push_back({id_of("k" + std::to_string(i)), owned[i].record.token, 1min, {}});
    }

    const std::vector<Replaced> beats = must(wait(store().heartbeat(std::move(batch))));

    ASSERT_EQ(beats.size(), 3u);
    EXPECT_TRUE(beats[0].done);
    EXPECT_FALSE(beats[1].done);
    EXPECT_TRUE(beats[2].done);
}

TEST_P(StoreBatches, LargestBatchIsTakenWhole)
{
    const auto found = must(wait(store().insert_or_get(insertions(limits::batch_members_max, 1))));

    EXPECT_EQ(found.size(), limits::batch_members_max);
    EXPECT_TRUE(std::ranges::all_of(found, &Found::inserted));
}

TEST_P(StoreBatches, LargerBatchIsRefusedWhole)
{
    const auto found = wait(store().insert_or_get(insertions(limits::batch_members_max + 1, 1)));

    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Errc::limit_exceeded);
    EXPECT_FALSE(driver().find(id_of("k0")));
}

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreBatches, ::testing::ValuesIn(store_factories()), factory_name
);

}  // namespace
}  // namespace umavez::test
