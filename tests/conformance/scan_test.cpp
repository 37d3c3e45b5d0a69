// What people and workers ask for: pages, counts, due work.

#include "base/limits.hpp"
#include "conformance/store_conformance.hpp"

#include <algorithm>
#include <set>

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

TEST_P(StoreQueries, ScanPagesThroughEverythingTheNewestFirst)
{
    StoreDriver driver = this->driver();
    Keys expected;
    for (int i = 0; i < 100; ++i) {
        driver.insert(
            id_of("k" + std::to_string(i), i % 2 == 0 ? "b" : "a", i % 3 == 0 ? "y" : "x"), 1
        );
        expected.insert(expected.begin(), "k" + std::to_string(i));
        clock_.advance(1s);
    }
    std::vector<NamedRecord> all;
    RecordsQuery query;
    query.count_max = 7;
    do {
        const RecordsPage page = driver.page(query);
        EXPECT_LE(page.records.size(), 7u);
        all.insert(all.end(), page.records.begin(), page.records.end());
        query.cursor = page.next;
    } while (!query.cursor.empty());

    EXPECT_EQ(keys(all), expected);
}

TEST_P(StoreQueries, ScanShowsEachRecordOnceWhileOthersComeAndChange)
{
    StoreDriver driver = this->driver();
    for (int i = 0; i < 20; ++i) driver.insert(id_of("k" + std::to_string(i)), 1);
    RecordsQuery query;
    query.count_max = 3;
    std::multiset<std::string> seen;
    for (int round = 0; round == 0 || !query.cursor.empty(); ++round) {
        clock_.advance(1s);
        const RecordsPage page = driver.page(query);
        for (const NamedRecord& named : page.records) seen.insert(named.id.key.text());
        query.cursor = page.next;

        driver.insert(id_of("new" + std::to_string(round)), 1);
        const Record owned = *driver.find(id_of("k" + std::to_string(round)));
        driver.finish(id_of("k" + std::to_string(round)), owned);
    }

    EXPECT_EQ(seen.size(), 20u);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(seen.count("k" + std::to_string(i)), 1u) << i;
}

TEST_P(StoreQueries, ScanRefusesACursorThatIsNone)
{
    driver().insert(id_of("a"), 1);
    for (const std::string cursor :
         {"x", "-1", "0", "99999999999999999999", "1/2", "1/a/b/", "//////", " "}) {
        RecordsQuery query;
        query.cursor = cursor;

        const auto page = wait(store().scan(query));

        ASSERT_FALSE(page) << cursor;
        EXPECT_EQ(page.error().code, Errc::invalid_argument);
    }
}

TEST_P(StoreQueries, ScanFiltersByEveryPartAndStatus)
{
    StoreDriver driver = this->driver();
    driver.insert(id_of("a1", "op.a", "x"), 1);
    driver.insert(id_of("a2", "op.b", "x"), 1);
    driver.insert(id_of("b1", "op.a", "y"), 1);
    const Record owned = driver.insert(id_of("a3", "op.a", "x"), 1).record;
    driver.finish(id_of("a3", "op.a", "x"), owned);
    const Record doubted = driver.insert(id_of("a4", "op.b", "x"), 1).record;
    driver.doubt(id_of("a4", "op.b", "x"), doubted, 1s);
    const auto found = [&](auto change) {
        RecordsQuery query;
        change(query);
        Keys sorted = keys(driver.scan(query));
        std::ranges::sort(sorted);
        return sorted;
    };

    EXPECT_EQ(found([](RecordsQuery&) {}), (Keys{"a1", "a2", "a3", "a4", "b1"}));
    EXPECT_EQ(
        found([](RecordsQuery& query) { query.tenant_id = *TenantId::parse("x"); }),
        (Keys{"a1", "a2", "a3", "a4"})
    );
    EXPECT_EQ(
        found([](RecordsQuery& query) { query.operation = *Operation::parse("op.a"); }),
        (Keys{"a1", "a3", "b1"})
    );
    EXPECT_EQ(found([](RecordsQuery& query) { query.status = Status::succeeded; }), Keys{"a3"});
    EXPECT_EQ(found([](RecordsQuery& query) { query.status = Status::in_doubt; }), Keys{"a4"});
    EXPECT_EQ(found([](RecordsQuery& query) { query.status = Status::failed; }), Keys{});
    EXPECT_EQ(found([](RecordsQuery& query) { query.key_prefix = "b"; }), Keys{"b1"});
    EXPECT_EQ(
        found([](RecordsQuery& query) {
            query.tenant_id = *TenantId::parse("x");
            query.status = Status::processing;
            query.key_prefix = "a";
            query.count_max = 1;
        }),
        (Keys{"a1", "a2"})
    );
}

TEST_P(StoreQueries, ScanCarriesTheWholeRecord)
{
    StoreDriver driver = this->driver();
    const Record owned = driver.insert(id_of("a"), 1).record;
    driver.finish(id_of("a"), owned);

    const std::vector<NamedRecord> page = driver.page({}).records;

    ASSERT_EQ(page.size(), 1u);
    EXPECT_EQ(page[0].record, driver.find(id_of("a")));
}

TEST_P(StoreQueries, APageOfLargeAnswersIsShort)
{
    StoreDriver driver = this->driver();
    constexpr std::size_t body_bytes = limits::response_bytes_max;
    constexpr std::size_t records = limits::scan_bytes_max / body_bytes + 3;
    Response large{.status = 200};
    large.body = std::string(body_bytes, 'x');
    for (std::size_t i = 0; i < records; ++i) {
        const RecordId id = id_of("k" + std::to_string(i));
        const Record owned = driver.insert(id, 1).record;
        driver.replace(
            id,
            settler_expects(owned.token),
            complete_draft(
                owned, Status::succeeded, to_stored(large, body_bytes), leased_policy()
            )
        );
    }

    const RecordsPage first = driver.page({});

    EXPECT_EQ(first.records.size(), limits::scan_bytes_max / body_bytes);
    RecordsQuery rest;
    rest.cursor = first.next;
    EXPECT_EQ(driver.page(rest).records.size(), 3u);
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

    EXPECT_EQ(
        keys(driver.due(query)), (Keys{"doubted first", "latest", "later", "doubted", "late"})
    );
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
        return StoreCount{.status = status, .records = 0, .oldest = {}, .first_end = {}};
    };
    EXPECT_EQ(of(Status::processing).records, 2u);
    EXPECT_EQ(of(Status::processing).oldest, first.now);
    EXPECT_EQ(of(Status::in_doubt).records, 1u);
    EXPECT_EQ(of(Status::in_doubt).oldest, first.now + 2s);
    EXPECT_EQ(of(Status::succeeded).records, 0u);
    EXPECT_EQ(of(Status::failed).records, 0u);
}

// What alerts stand on: abandoned work, and a sweep that lags.
TEST_P(StoreQueries, CountTellsTheFirstEndOfALeaseAndOfARetention)
{
    StoreDriver driver = this->driver();
    const Instant began = driver.insert(id_of("a"), 1).now;
    clock_.advance(1s);
    driver.insert(id_of("b"), 1);
    for (const char* const key : {"c", "d"}) {
        const Record owned = driver.insert(id_of(key), 1).record;
        driver.finish(id_of(key), owned);
        clock_.advance(1s);
    }

    std::optional<Instant> lease;
    std::optional<Instant> retention;
    for (const StoreCount& count : driver.count().by_status) {
        if (count.status == Status::processing) lease = count.first_end;
        if (count.status == Status::succeeded) retention = count.first_end;
        if (count.status == Status::failed) {
            EXPECT_FALSE(count.first_end);
        }
    }

    EXPECT_EQ(lease, began + 30s);
    EXPECT_EQ(retention, began + 1s + 24h);
}

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreQueries, ::testing::ValuesIn(store_factories()), factory_name
);

}  // namespace
}  // namespace umavez::test
