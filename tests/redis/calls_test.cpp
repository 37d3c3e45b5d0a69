// Members that share a call of a script: each is served as if it had come alone.
//
// Which members share a call is decided by the clock: each test asks many times, and what it
// expects is the same either way.

#include "redis/opened_redis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace umavez::test {
namespace {

constexpr int rounds = 50;

Replacement finish_of(const RecordId& id, const Record& owned)
{
    return {
        id,
        settler_expects(owned.token),
        complete_draft(owned, Status::succeeded, stored(), cached_policy()),
        AuditNote{AuditEvent::executed, ""},
    };
}

std::ptrdiff_t connections_of(const std::vector<std::string>& settings, const std::string& options)
{
    const RedisServer server{settings};
    const auto store = open_store(server.socket_url() + options);
    const std::string clients = server.command({"CLIENT", "LIST"});
    return std::ranges::count(clients, '\n') - 1;  // but for the one that asks
}

TEST(RedisCalls, MembersWithDifferentPlansKeepTheirOwn)
{
    const RedisServer server;
    const auto store = open_store(server.socket_url() + "?connections=1");
    const std::vector<std::chrono::hours> retentions = {1h, 1h, 2h, 1h, 3h, 3h, 3h, 2h};
    for (int round = 0; round < rounds; ++round) {
        std::vector<Insertion> batch;
        for (std::size_t i = 0; i < retentions.size(); ++i) {
            Policy policy = cached_policy();
            policy.retention = retentions[i];
            batch.push_back({
                id_of(std::to_string(round) + "-" + std::to_string(i)),
                StoreDriver::claim(policy, static_cast<std::uint8_t>(i + 1)),
                AuditNote{AuditEvent::claimed, std::string(i % 3, 'x')},
            });
        }

        must(wait(store->insert_or_get(batch)));

        for (std::size_t i = 0; i < batch.size(); ++i) {
            const auto seen = must(wait(store->find(batch[i].id)));
            ASSERT_TRUE(seen.record);
            EXPECT_EQ(
                *seen.record->expires_at - *seen.record->processing_expires_at, retentions[i]
            );
            EXPECT_EQ(seen.record->token.execution, batch[i].draft.execution);
            const auto story = must(wait(store->timeline(batch[i].id, 10)));
            ASSERT_EQ(story.size(), 1u);
            EXPECT_EQ(story[0].detail, std::string(i % 3, 'x'));
        }
    }
}

TEST(RedisCalls, OfTwoCompletionsOfOneRecordTheSecondSeesTheFirst)
{
    const RedisServer server;
    const auto store = open_store(server.socket_url() + "?connections=1");
    for (int round = 0; round < rounds; ++round) {
        const RecordId twice = id_of("twice" + std::to_string(round));
        const RecordId other = id_of("other" + std::to_string(round));
        const Record owned = must(try_insert(*store, twice, 1)).record;
        const Record its = must(try_insert(*store, other, 2)).record;

        const auto done = must(wait(store->replace(
            {finish_of(other, its), finish_of(twice, owned), finish_of(twice, owned)}
        )));

        EXPECT_TRUE(done[0].done);
        EXPECT_TRUE(done[1].done);
        EXPECT_FALSE(done[2].done);
        ASSERT_TRUE(done[2].record);
        EXPECT_EQ(done[2].record->status, Status::succeeded);
        EXPECT_EQ(must(wait(store->timeline(twice, 10))).size(), 2u);
    }
}

TEST(RedisCalls, AServerThatKeepsALogIsServedByOneConnection)
{
    EXPECT_EQ(connections_of({}, ""), 2);
    EXPECT_EQ(connections_of({"--appendonly", "yes"}, ""), 1);
    EXPECT_EQ(connections_of({"--appendonly", "yes"}, "?connections=3"), 3);
}

}  // namespace
}  // namespace umavez::test
