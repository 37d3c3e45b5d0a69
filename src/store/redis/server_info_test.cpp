#include "store/redis/server_info.hpp"

#include <gtest/gtest.h>

namespace umavez {
namespace {

ServerInfo good()
{
    return parse_info(
        "# Server\r\nredis_version:7.0.15\r\nrun_id:abc\r\n# "
        "Memory\r\nmaxmemory_policy:noeviction\r\n"
        "# Persistence\r\nloading:0\r\n# Replication\r\nrole:master\r\n# "
        "Cluster\r\ncluster_enabled:0\r\n"
    );
}

TEST(RedisServerInfo, AMasterThatEvictsNothingIsTaken)
{
    EXPECT_EQ(good().run_id, "abc");
    EXPECT_TRUE(judge(good(), "Redis at x"));
}

TEST(RedisServerInfo, AServerThatKeepsALogIsServedByOneConnection)
{
    ServerInfo logging = parse_info("# Persistence\r\nloading:0\r\naof_enabled:1\r\n");

    EXPECT_EQ(connections_for(good()), 2u);
    EXPECT_EQ(connections_for(logging), 1u);
}

TEST(RedisServerInfo, EvictionIsRefusedWithTheSettingAndTheCure)
{
    ServerInfo info = good();
    info.maxmemory_policy = "allkeys-lru";

    const auto judged = judge(info, "Redis at x");

    ASSERT_FALSE(judged);
    EXPECT_EQ(judged.error().code, Errc::misconfigured);
    EXPECT_NE(judged.error().detail.find("maxmemory-policy allkeys-lru"), std::string::npos);
    EXPECT_NE(judged.error().detail.find("set maxmemory-policy noeviction"), std::string::npos);
}

TEST(RedisServerInfo, ReplicasClustersAndLoadingServersAreRefused)
{
    ServerInfo replica = good();
    replica.role = "slave";
    ServerInfo cluster = good();
    cluster.is_cluster = true;
    ServerInfo loading = good();
    loading.is_loading = true;

    EXPECT_EQ(judge(replica, "x").error().code, Errc::store_unavailable);
    EXPECT_EQ(judge(cluster, "x").error().code, Errc::misconfigured);
    EXPECT_EQ(judge(loading, "x").error().code, Errc::store_unavailable);
    EXPECT_FALSE(judge(parse_info(""), "x"));
}

TEST(RedisServerInfo, OnlyErrorsFromBeforeTheFirstWriteLeaveNoEffect)
{
    EXPECT_EQ(judge_error("OOM command not allowed", "x").code, Errc::store_unavailable);
    EXPECT_NE(
        judge_error("OOM command not allowed", "x").detail.find("raise maxmemory"),
        std::string::npos
    );
    EXPECT_EQ(judge_error("READONLY You can't write", "x").code, Errc::store_unavailable);
    EXPECT_TRUE(judge_error("READONLY You can't write", "x").is_connection_spent);
    EXPECT_EQ(judge_error("WRONGTYPE Operation against a key", "x").code, Errc::store_unknown);
    EXPECT_EQ(judge_error("ERR user_script:12: boom", "x").code, Errc::store_unknown);
    EXPECT_EQ(judge_error("", "x").code, Errc::store_unknown);
}

// A command inside a script may be refused behind its first write.
TEST(RedisServerInfo, ARightThatIsMissingInsideAScriptLeavesItsWriteUnknown)
{
    const auto code_of = [](std::string_view error) { return judge_error(error, "here").code; };

    EXPECT_EQ(
        code_of("NOPERM User ana has no permissions to run the 'zadd' command script: 1"),
        Errc::store_unknown
    );
    EXPECT_EQ(
        code_of("NOPERM User ana has no permissions to run the 'evalsha' command"),
        Errc::store_unavailable
    );
}

}  // namespace
}  // namespace umavez
