// What people and workers ask for: pages, counts, due work.

#include "conformance/store_conformance.hpp"

#include <algorithm>

namespace umavez::test {
namespace {

class StoreQueries : public StoreConformance {
protected:
    static std::vector<std::string> keys(const std::vector<NamedRecord>& records)
    {
        std::vector<std::string> found;
        for (const NamedRecord& named : records) found.push_back(named.id.key.text());
        return found;
    }
};

using Keys = std::vector<std::string>;

TEST_P(StoreQueries, ScanPagesThroughEverythingInOrderOfIdentity)
{
    StoreDriver driver = this->driver();
    for (int i = 99; i >= 0; --i) {
        driver.insert(id_of("k" + std::to_string(i), i % 2 == 0 ? "b" : "a", i % 3 == 0 ? "y" : "x"), 1);
    }
    std::vector<RecordId> all;
    ScanQuery query;
    query.count_max = 7;
    for (;;) {
        const std::vector<NamedRecord> page = driver.scan(query);
        EXPECT_LE(page.size(), 7u);
        for (const NamedRecord& named : page) all.push_back(named.id);
        if (page.size() < 7) break;
        query.after = page.back().id;
    }

    EXPECT_EQ(all.size(), 100u);
    EXPECT_TRUE(std::ranges::is_sorted(all));
    EXPECT_TRUE(std::ranges::adjacent_find(all) == all.end());
}

TEST_P(StoreQueries, ScanFiltersByEveryPartAndStatus)
{
    StoreDriver driver = this->driver();
    driver.insert(id_of("a1", "op.a", "x"), 1);
    driver.insert(id_of("a2", "op.b", "x"), 1);
    driver.insert(id_of("b1", "op.a", "y"), 1);
    const Record owned = driver.insert(id_of("a3", "op.a", "x"), 1).record;
    driver.finish(id_of("a3", "op.a", "x"), owned);
    const auto found = [&](auto change) {
        ScanQuery query;
        change(query);
        return keys(driver.scan(query));
    };

    EXPECT_EQ(found([](ScanQuery&) {}), (Keys{"a1", "a3", "a2", "b1"}));
    EXPECT_EQ(
        found([](ScanQuery& query) { query.tenant_id = *TenantId::parse("x"); }),
        (Keys{"a1", "a3", "a2"})
    );
    EXPECT_EQ(
        found([](ScanQuery& query) { query.operation = *Operation::parse("op.a"); }),
        (Keys{"a1", "a3", "b1"})
    );
    EXPECT_EQ(found([](ScanQuery& query) { query.status = Status::succeeded; }), Keys{"a3"});
    EXPECT_EQ(found([](ScanQuery& query) { query.key_prefix = "b"; }), Keys{"b1"});
    EXPECT_EQ(
        found([](ScanQuery& query) {
            query.tenant_id = *TenantId::parse("x");
            query.status = Status::processing;
            query.key_prefix = "a";
            query.after = id_of("a1", "op.a", "x");
        }),
        Keys{"a2"}
    );
    EXPECT_EQ(found([](ScanQuery& query) { query.count_max = 0; }), Keys{});
}

TEST_P(StoreQueries, ScanCarriesTheWholeRecord)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1).record;
    driver.finish(id_of("a"), owned);

    const std::vector<NamedRecord> page = driver.scan({});

    ASSERT_EQ(page.size(), 1u);
    EXPECT_EQ(page[0].record, driver.find(id_of("a")));
}

TEST_P(StoreQueries, DueGivesTheLongestOverdueFirst)
{
    StoreDriver driver = this->driver();
    Policy policy = leased_policy();
    for (const auto& [key, lease] :
         {std::pair{"late", 30s}, {"later", 20s}, {"latest", 10s}, {"live", 90s}}) {
        policy.lease = lease;
        driver.insert(id_of(key), 1, policy);
    }
    for (const auto& [key, retry_in] :
         {std::pair{"doubted", 25s}, {"doubted first", 5s}, {"later on", 90s}}) {
        const Record owned = driver.insert(id_of(key), 1).record;
        ASSERT_TRUE(driver.doubt(id_of(key), owned, retry_in).done);
    }
    clock_.advance(30s);

    const DueQuery query{
        .abandoned = {id_of("a").operation}, .in_doubt = {id_of("a").operation}, .count_max = 100
    };

    EXPECT_EQ(keys(driver.due(query)), (Keys{"doubted first", "latest", "later", "doubted", "late"}));
    DueQuery two = query;
    two.count_max = 2;
    EXPECT_EQ(keys(driver.due(two)), (Keys{"doubted first", "latest"}));
}

TEST_P(StoreQueries, DueAsksForAbandonedAndDoubtedWorkByOperation)
{
    StoreDriver driver = this->driver();
    for (const char* operation : {"a", "b"}) {
        driver.insert(id_of("run", operation), 1);
        const Record owned = driver.insert(id_of("doubt", operation), 1).record;
        driver.doubt(id_of("doubt", operation), owned, 1s);
        const Record done = driver.insert(id_of("done", operation), 1).record;
        driver.finish(id_of("done", operation), done);
    }
    clock_.advance(30s);
    const Operation a = *Operation::parse("a");
    const Operation b = *Operation::parse("b");

    EXPECT_EQ(keys(driver.due({.abandoned = {a}, .in_doubt = {}})), Keys{"run"});
    EXPECT_EQ(keys(driver.due({.abandoned = {}, .in_doubt = {a}})), Keys{"doubt"});
    EXPECT_EQ(keys(driver.due({.abandoned = {a, b}, .in_doubt = {}})), (Keys{"run", "run"}));
    EXPECT_EQ(keys(driver.due({.abandoned = {a}, .in_doubt = {b}})), (Keys{"doubt", "run"}));
    EXPECT_EQ(keys(driver.due({.abandoned = {}, .in_doubt = {}})), Keys{});
}

TEST_P(StoreQueries, DueIsHalfOpenAndForgetsWhatWasClaimedAgain)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1).record;
    const DueQuery query{.abandoned = {id_of("a").operation}, .in_doubt = {id_of("a").operation}};
    clock_.advance(30s - 1us);
    EXPECT_EQ(keys(driver.due(query)), Keys{});
    clock_.advance(1us);
    EXPECT_EQ(keys(driver.due(query)), Keys{"a"});

    ASSERT_TRUE(driver.take(id_of("a"), owned, 2).done);

    EXPECT_EQ(keys(driver.due(query)), Keys{});
}

TEST_P(StoreQueries, CountTellsHowManyAndTheOldestOfEachStatus)
{
    StoreDriver driver = this->driver();
    const Found first = driver.insert(id_of("a"), 1);
    clock_.advance(1s);
    driver.insert(id_of("b"), 1);
    const Record owned = driver.insert(id_of("c"), 1).record;
    clock_.advance(1s);
    driver.doubt(id_of("c"), owned, 1s);

    const StoreCounts counts = driver.count();

    EXPECT_EQ(counts.now, first.now + 2s);
    const auto of = [&](Status status) {
        for (const StoreCount& count : counts.by_status) {
            if (count.status == status) return count;
        }
        return StoreCount{.status = status, .records = 0, .oldest = {}};
    };
    EXPECT_EQ(of(Status::processing).records, 2u);
    EXPECT_EQ(of(Status::processing).oldest, first.now);
    EXPECT_EQ(of(Status::in_doubt).records, 1u);
    EXPECT_EQ(of(Status::in_doubt).oldest, first.now + 2s);
    EXPECT_EQ(of(Status::succeeded).records, 0u);
    EXPECT_EQ(of(Status::failed).records, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreQueries, ::testing::ValuesIn(store_factories()), factory_name
);

}  // namespace
}  // namespace umavez::test
