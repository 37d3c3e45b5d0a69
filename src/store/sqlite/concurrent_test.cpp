// The SQLite store with real threads: one winner per key, notes that flush themselves, reads past
// the lane.

#include "core/transition.hpp"
#include "database/sqlite/test_support.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "support/wait.hpp"

#include <thread>

namespace umavez {
namespace {

RecordId id(const std::string& key)
{
    return {*TenantId::parse("acme"), *Operation::parse("faturas.gerar"), *Key::parse(key)};
}

std::vector<Insertion> claim_batch(const std::string& key, std::uint8_t owner)
{
    Insertion insertion{.id = id(key), .draft = {}, .audit = AuditNote{AuditEvent::claimed, ""}};
    insertion.draft.raise_epoch = true;
    insertion.draft.execution.fill(owner);
    insertion.draft.lease = std::chrono::seconds{30};
    std::vector<Insertion> batch;
    batch.push_back(std::move(insertion));
    return batch;
}

class StoreThreadsTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        database = test::open_or_fail(directory.url());
        auto opened = open_sqlite_store(*database);
        ASSERT_TRUE(opened) << opened.error().detail;
        store = std::move(*opened);
    }

    test::Directory directory;
    std::unique_ptr<SqliteDatabase> database;
    std::unique_ptr<TransactionalStore> store;
};

TEST_F(StoreThreadsTest, EveryKeyHasOneOwner)
{
    constexpr int keys = 50;
    std::atomic<int> owners{0};
    std::vector<std::thread> threads;
    for (std::uint8_t owner = 1; owner <= 8; ++owner) {
        threads.emplace_back([&, owner] {
            for (int key = 0; key < keys; ++key) {
                auto batch = claim_batch("k-" + std::to_string(key), owner);
                const auto found = wait(store->insert_or_get(std::move(batch)));
                ASSERT_TRUE(found) << found.error().detail;
                const Found& one = found->at(0);
                EXPECT_EQ(one.inserted, one.record.token.execution[0] == owner);
                if (one.inserted) ++owners;
                store->note(id("k-" + std::to_string(key)), {AuditEvent::in_progress, ""});
            }
        });
    }
    for (std::thread& thread : threads) thread.join();

    EXPECT_EQ(owners, keys);
}

TEST_F(StoreThreadsTest, NotesLandWithoutAnyBatch)
{
    store->note(id("k"), {AuditEvent::replayed, ""});

    std::size_t entries = 0;
    test::wait_until("the note is written", [&] {
        entries = wait(store->timeline(id("k"), 10))->size();
        return entries > 0;
    });

    EXPECT_EQ(entries, 1u);
}

TEST_F(StoreThreadsTest, NotesSurviveTheStoreThatTookThem)
{
    store->note(id("k"), {AuditEvent::replayed, ""});

    store.reset();

    EXPECT_EQ(test::read_integer(*database, "SELECT count(*) FROM umavez_audit"), 1);
}

}  // namespace
}  // namespace umavez
