// Identities: compared byte by byte, opaque, and independent of each other (hazards C-06, K-02, K-04).

#include "conformance/store_conformance.hpp"

#include <set>

namespace umavez::test {
namespace {

class StoreIdentities : public StoreConformance {};

// Pairs that a careless collation, pattern, separator or truncation would merge.
std::vector<RecordId> look_alikes()
{
    std::vector<RecordId> ids;
    for (const char* key :
         {"abc", "ABC", "Abc", "abc ", " abc", "abc  ", "\xc3\xa9", "e\xcc\x81", "\xc3\x89", "%", "_", "a%",
          "a_c", "a*c", "a?c", "[a]", "'; DROP TABLE records; --", "\"", "\\", "../x", "a:b", "a/b",
          "loja:pedidos.criar:abc", "\xf0\x9f\xa6\x90", "\xe2\x80\x8b" "abc", "1", "01", "1.0", "NULL"}) {
        ids.push_back(id_of(key));
    }
    ids.push_back(id_of(std::string(254, 'k') + "a"));
    ids.push_back(id_of(std::string(254, 'k') + "b"));
    ids.push_back(id_of(std::string(254, 'k')));
    ids.push_back(id_of("abc", "pedidos.criar", "loja2"));
    ids.push_back(id_of("abc", "pedidos.criar2", "loja"));
    ids.push_back(id_of("b.abc", "a", "t"));
    ids.push_back(id_of("abc", "a.b", "t"));
    ids.push_back(id_of("abc", "b", "t.a"));
    return ids;
}

TEST_P(StoreIdentities, WhatIsAtHandIsWhatIsFound)
{
    StoreDriver driver = this->driver();
    const std::vector<RecordId> ids = look_alikes();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        EXPECT_EQ(driver.look_at(ids[i]), std::nullopt) << ids[i].key.text();
        const Record owned = driver.insert(ids[i], static_cast<std::uint8_t>(i + 1)).record;
        if (i % 2 == 0) {
            EXPECT_TRUE(driver.finish(ids[i], owned).done);
        }
    }
    for (const RecordId& id : ids) {
        const std::optional<Record> shown = driver.look_at(id);
        if (shown) {
            EXPECT_EQ(shown, driver.find(id)) << id.key.text();
        }
    }
}

TEST_P(StoreIdentities, LookAlikesAreDifferentRecords)
{
    StoreDriver driver = this->driver();
    const std::vector<RecordId> ids = look_alikes();
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const Found found = driver.insert(ids[i], static_cast<std::uint8_t>(i + 1));
        EXPECT_TRUE(found.inserted) << ids[i].key.text();
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
        ASSERT_TRUE(driver.find(ids[i])) << ids[i].key.text();
        EXPECT_EQ(
            driver.find(ids[i])->token.execution, execution_of(static_cast<std::uint8_t>(i + 1))
        ) << ids[i].key.text();
    }
}

TEST_P(StoreIdentities, FinishingOneLeavesTheOthersAlone)
{
    StoreDriver driver = this->driver();
    const std::vector<RecordId> ids = look_alikes();
    std::vector<Record> owned;
    for (const RecordId& id : ids) owned.push_back(driver.insert(id, 1).record);

    ASSERT_TRUE(driver.finish(ids[0], owned[0]).done);

    for (std::size_t i = 1; i < ids.size(); ++i) {
        EXPECT_EQ(driver.find(ids[i]), owned[i]) << ids[i].key.text();
    }
}

TEST_P(StoreIdentities, ScanGivesEachBackExactlyAsItWas)
{
    StoreDriver driver = this->driver();
    const std::vector<RecordId> ids = look_alikes();
    for (const RecordId& id : ids) driver.insert(id, 1);

    std::set<RecordId> scanned;
    for (const NamedRecord& named : driver.scan({})) EXPECT_TRUE(scanned.insert(named.id).second);

    EXPECT_EQ(scanned, std::set<RecordId>(ids.begin(), ids.end()));
}

TEST_P(StoreIdentities, PrefixSearchTakesEveryCharacterLiterally)
{
    StoreDriver driver = this->driver();
    for (const char* key :
         {"a", "ab", "a%b", "a_b", "axb", "A%b", "a%", "%", "_", "*a", "\xc3\xa9", "a\\%"}) {
        driver.insert(id_of(key), 1);
    }
    const auto keys = [&](std::string prefix) {
        std::set<std::string> found;
        RecordsQuery query;
        query.key_prefix = std::move(prefix);
        for (const NamedRecord& named : driver.scan(query)) found.insert(named.id.key.text());
        return found;
    };
    using Keys = std::set<std::string>;

    EXPECT_EQ(keys("a%"), (Keys{"a%", "a%b"}));
    EXPECT_EQ(keys("a_"), Keys{"a_b"});
    EXPECT_EQ(keys("%"), Keys{"%"});
    EXPECT_EQ(keys("_"), Keys{"_"});
    EXPECT_EQ(keys("*"), Keys{"*a"});
    EXPECT_EQ(keys("A"), Keys{"A%b"});
    EXPECT_EQ(keys("a\\"), Keys{"a\\%"});
    EXPECT_EQ(keys("\xc3"), Keys{"\xc3\xa9"});
    EXPECT_EQ(keys("e"), Keys{});
    EXPECT_EQ(keys("'"), Keys{});
}

TEST_P(StoreIdentities, TenantsShareNothing)
{
    StoreDriver driver = this->driver();
    const RecordId mine = id_of("same", "pedidos.criar", "a");
    const RecordId yours = id_of("same", "pedidos.criar", "b");
    const Record owned = driver.insert(mine, 1).record;
    driver.insert(yours, 2);
    ASSERT_TRUE(driver.finish(mine, owned, stored(201, "canary")).done);

    RecordsQuery query;
    query.tenant_id = yours.tenant_id;
    const std::vector<NamedRecord> scanned = driver.scan(query);

    ASSERT_EQ(scanned.size(), 1u);
    EXPECT_EQ(scanned[0].id, yours);
    EXPECT_FALSE(scanned[0].record.response);
    EXPECT_FALSE(driver.heartbeat(yours, owned.token).done) << "a token is worth nothing elsewhere";
}

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreIdentities, ::testing::ValuesIn(store_factories()), factory_name
);

}  // namespace
}  // namespace umavez::test
