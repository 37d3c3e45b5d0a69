// A server that is killed, and a replica that is promoted, while several threads claim and finish:
// what was acknowledged, and what is still there.

#include "redis/opened_redis.hpp"
#include "support/fault_proxy.hpp"

#include <atomic>
#include <csignal>
#include <iostream>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace umavez::test {
namespace {

// Threads that claim and finish fresh keys until they are told to stop.
class Load {
public:
    explicit Load(Store& store, int threads = 4)
    {
        for (int i = 0; i < threads; ++i) {
            threads_.emplace_back([this, &store, i] { run(store, i); });
        }
    }
    ~Load() { stop(); }

    std::size_t acknowledged() const { return count_.load(); }
    // The keys whose completion was acknowledged.
    std::set<std::string> stop()
    {
        is_over_ = true;
        threads_.clear();
        return keys_;
    }

private:
    void run(Store& store, int thread)
    {
        for (int i = 0; !is_over_; ++i) {
            const RecordId id = id_of(std::to_string(thread) + "-" + std::to_string(i));
            const auto claimed = try_insert(store, id, static_cast<std::uint8_t>(thread + 1));
            if (!claimed) continue;
            const auto finished =
                try_finish(store, id, claimed->record, stored(201, id.key.text()));
            if (!finished || !finished->done) continue;
            const std::lock_guard guard{mutex_};
            keys_.insert(id.key.text());
            ++count_;
        }
    }

    std::atomic<bool> is_over_{false};
    std::atomic<std::size_t> count_{0};
    std::mutex mutex_;
    std::set<std::string> keys_;
    std::vector<std::jthread> threads_;
};

std::size_t keys_in(const RedisServer& server)
{
    return std::stoul(server.command({"DBSIZE"}));
}

void wait_for_link(const RedisServer& replica, const std::string& status)
{
    wait_until("the link of the replica is " + status, [&] {
        const std::string told = replica.command({"INFO", "replication"});
        return told.find("master_link_status:" + status) != told.npos;
    });
}

std::size_t missing_in(Store& store, const std::set<std::string>& keys)
{
    std::size_t missing = 0;
    for (const std::string& key : keys) {
        const auto record = must(wait(store.find(id_of(key)))).record;
        if (!record || record->status != Status::succeeded) {
            ++missing;
            continue;
        }
        EXPECT_EQ(record->response->response.body, key);
        EXPECT_TRUE(is_intact(*record->response));
    }
    return missing;
}

TEST(RedisUnderLoad, WithAppendfsyncAlwaysAKilledServerLosesNothingAcknowledged)
{
    RedisServer server{{"--appendonly", "yes", "--appendfsync", "always"}};
    const auto store = open_store(server.tcp_url());
    std::set<std::string> all;
    {
        Load load{*store};
        wait_until("there is load", [&] { return load.acknowledged() > 200; });
        server.kill(SIGKILL);
        server.start();
        const std::size_t before = load.acknowledged();
        wait_until("it goes on", [&] { return load.acknowledged() > before + 200; });
        all = load.stop();
    }

    EXPECT_EQ(missing_in(*store, all), 0u);
}

TEST(RedisUnderLoad, AFailoverLosesWhatTheReplicaHadNotReceived)
{
    RedisServer master;
    RedisServer replica;
    replica.command({"REPLICAOF", "127.0.0.1", std::to_string(master.port())});
    wait_for_link(replica, "up");
    const auto store = open_store(master.socket_url());
    std::set<std::string> acknowledged;
    {
        Load load{*store};
        // A link that is up carries nothing before the replica's first acknowledgement (up to a
        // second later), so what arrived is asked of the replica itself.
        wait_until("the replica has keys", [&] { return keys_in(replica) > 1'000; });
        master.kill(SIGKILL);
        acknowledged = load.stop();
    }
    replica.command({"REPLICAOF", "NO", "ONE"});
    const auto promoted = open_store(replica.socket_url());

    const std::size_t missing = missing_in(*promoted, acknowledged);

    // Replication is asynchronous: the figure is what it is, and none is promised.
    std::cerr << "failover: " << missing << " of " << acknowledged.size()
              << " acknowledged are missing\n";
    EXPECT_LT(missing, acknowledged.size());
    EXPECT_TRUE(try_insert(*promoted, id_of("after"), 1)) << "the sentinel came along";
}

TEST(RedisUnderLoad, AFailoverToAReplicaThatWasCutOffLosesAllSince)
{
    RedisServer master;
    RedisServer replica;
    FaultProxy between{master.port()};
    replica.command({"REPLICAOF", "127.0.0.1", std::to_string(between.port())});
    wait_for_link(replica, "up");
    const auto store = open_store(master.socket_url());
    std::set<std::string> acknowledged;
    {
        Load load{*store};
        wait_until("there is load", [&] { return load.acknowledged() > 200; });
        between.refuse(true);
        wait_for_link(replica, "down");
        const std::size_t cut_at = load.acknowledged();
        wait_until("there is more load", [&] { return load.acknowledged() > cut_at + 300; });
        master.kill(SIGKILL);
        acknowledged = load.stop();
    }
    replica.command({"REPLICAOF", "NO", "ONE"});

    const std::size_t missing = missing_in(*open_store(replica.socket_url()), acknowledged);

    std::cerr << "failover after a cut: " << missing << " of " << acknowledged.size()
              << " acknowledged are missing\n";
    EXPECT_GE(missing, 300u) << "a replica that was cut off cannot have them";
}

TEST(RedisUnderLoad, AReplicaIsRefused)
{
    RedisServer master;
    RedisServer replica;
    replica.command({"REPLICAOF", "127.0.0.1", std::to_string(master.port())});

    const auto store = open_redis_store(patient(replica.socket_url()));

    ASSERT_FALSE(store);
    EXPECT_NE(store.error().detail.find("replica"), std::string::npos) << store.error().detail;
}

}  // namespace
}  // namespace umavez::test
