// What goes wrong between a store and its server: each failure says what happened to the write, and
// the store finds its way back (hazards S-06, C-03).

#include "redis/opened_redis.hpp"
#include "support/fault_proxy.hpp"

#include <atomic>
#include <csignal>
#include <new>

namespace umavez::test {
namespace {

class RedisFaults : public ::testing::Test {
protected:
    std::string proxied(const std::string& options = "") const
    {
        return "redis://127.0.0.1:" + std::to_string(proxy_.port()) + "?connections=1" + options;
    }

    // Where a stall reaches the limit of an answer the same claim is made again.
    static Record inserted_at_last(Store& store, const RecordId& id, std::uint8_t execution)
    {
        Result<Found> found;
        wait_until("the claim is answered", [&] {
            found = try_insert(store, id, execution);
            return found.has_value();
        });
        return found->record;
    }

    RedisServer server_;
    FaultProxy proxy_{server_.port()};
};

TEST_F(RedisFaults, ForgottenScriptsAreSentAgain)
{
    const auto store = open_store(server_.socket_url());
    for (int i = 0; i < 5; ++i) {
        server_.command({"SCRIPT", "FLUSH"});
        const RecordId id = id_of("k" + std::to_string(i));
        const auto found = try_insert(*store, id, 1);
        ASSERT_TRUE(found) << found.error().detail;
        server_.command({"SCRIPT", "FLUSH"});
        EXPECT_TRUE(must(try_finish(*store, id, found->record)).done);
    }
    EXPECT_EQ(must(wait(store->count())).by_status[1].records, 5u);
}

TEST_F(RedisFaults, AnEmptiedServerIsNoticedOnceAndTheStoreGoesOn)
{
    const auto store = open_store(server_.socket_url() + "?connections=1");
    const Record owned = must(try_insert(*store, id_of("a"), 1)).record;
    server_.command({"FLUSHALL"});

    const auto told = try_insert(*store, id_of("b"), 1);

    ASSERT_FALSE(told);
    EXPECT_EQ(told.error().code, Errc::store_unavailable);
    EXPECT_NE(told.error().detail.find("was emptied"), std::string::npos) << told.error().detail;
    EXPECT_TRUE(must(try_insert(*store, id_of("b"), 1)).inserted)
        << "nothing was written by the call before";
    EXPECT_FALSE(must(try_finish(*store, id_of("a"), owned)).done) << "its record is gone";
}

TEST_F(RedisFaults, EveryStoreOfAnEmptiedServerIsTold)
{
    const auto first = open_store(server_.socket_url() + "?connections=1");
    const auto second = open_store(server_.socket_url() + "?connections=1");
    server_.command({"FLUSHALL"});

    EXPECT_FALSE(try_insert(*first, id_of("a"), 1));
    EXPECT_TRUE(try_insert(*first, id_of("a"), 1));
    EXPECT_FALSE(try_insert(*second, id_of("a"), 2));
    EXPECT_FALSE(must(try_insert(*second, id_of("a"), 2)).inserted);
}

TEST_F(RedisFaults, OnEmptiedRefuseKeepsTheStoreClosed)
{
    const auto store = open_store(server_.socket_url() + "?on_emptied=refuse");
    server_.command({"FLUSHALL"});

    for (int i = 0; i < 3; ++i) {
        const auto refused = try_insert(*store, id_of("a"), 1);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, Errc::store_unavailable);
        EXPECT_NE(refused.error().detail.find("on_emptied=refuse"), std::string::npos);
    }
    EXPECT_TRUE(try_insert(*open_store(server_.socket_url()), id_of("a"), 1))
        << "opened again it works";
}

TEST_F(RedisFaults, ARestartWithoutDataIsNoticed)
{
    const auto store = open_store(server_.socket_url() + "?connections=1");
    must(try_insert(*store, id_of("a"), 1));
    server_.kill(SIGKILL);
    server_.start();

    wait_until("it is told that the server was emptied", [&] {
        const auto told = try_insert(*store, id_of("b"), 1);
        return !told && told.error().detail.find("was emptied") != std::string::npos;
    });
    EXPECT_TRUE(try_insert(*store, id_of("b"), 1));
}

TEST_F(RedisFaults, ALostAnswerIsUnknownAndTheRepeatedClaimIsOurs)
{
    const auto store = open_store(proxied());
    proxy_.strike_next(Fault::lose_answer);

    const auto lost = try_insert(*store, id_of("a"), 7);

    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, Errc::store_unknown) << lost.error().detail;
    const Found again = must(try_insert(*store, id_of("a"), 7));
    EXPECT_FALSE(again.inserted) << "the server had done it";
    EXPECT_EQ(again.record.token.execution, execution_of(7));
    EXPECT_EQ(again.record.attempts, 1u);
}

TEST_F(RedisFaults, ALostRequestIsUnknownTooAndTheRepeatedClaimWritesIt)
{
    const auto store = open_store(proxied());
    proxy_.strike_next(Fault::lose_request);

    const auto lost = try_insert(*store, id_of("a"), 7);

    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, Errc::store_unknown) << lost.error().detail;
    EXPECT_TRUE(must(try_insert(*store, id_of("a"), 7)).inserted);
}

TEST_F(RedisFaults, ALostAnswerToACompletionIsFoundAsOurOwn)
{
    const auto store = open_store(proxied());
    const Record owned = must(try_insert(*store, id_of("a"), 7)).record;
    proxy_.strike_next(Fault::lose_answer);

    const auto lost = try_finish(*store, id_of("a"), owned);

    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, Errc::store_unknown);
    const Replaced again = must(try_finish(*store, id_of("a"), owned));
    EXPECT_FALSE(again.done);
    const Draft draft = complete_draft(owned, Status::succeeded, stored(), cached_policy());
    EXPECT_TRUE(is_same_completion(*again.record, owned.token, draft));
}

TEST_F(RedisFaults, AHalfClosedConnectionIsUnknownAndReplaced)
{
    const auto store = open_store(proxied());
    proxy_.strike_next(Fault::half_close);

    const auto lost = try_insert(*store, id_of("a"), 7);

    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, Errc::store_unknown) << lost.error().detail;
    EXPECT_TRUE(try_insert(*store, id_of("a"), 7));
}

TEST_F(RedisFaults, NothingOfALostConnectionArrivesLater)
{
    const auto store = open_store(proxied("&answer_timeout=3s"));
    const Record owned = inserted_at_last(*store, id_of("a"), 7);
    const auto save = [&](const char* checkpoint) {
        return try_replace(
            *store,
            id_of("a"),
            owner_expects(owned.token),
            save_draft(owned, checkpoint, cached_policy())
        );
    };
    proxy_.strike_next(Fault::hold_request);
    const auto held = save("old");
    ASSERT_FALSE(held);
    ASSERT_EQ(held.error().code, Errc::store_unknown) << held.error().detail;

    wait_until("it is saved over another connection", [&] {
        const auto saved = save("new");
        return saved && saved->done;
    });
    proxy_.release();
    proxy_.wait_until_released();

    EXPECT_EQ(must(wait(store->find(id_of("a")))).record->checkpoint, "new");
}

TEST_F(RedisFaults, WithoutAServerCallsFailAtOnceWithNothingWritten)
{
    // Its limits are an hour: whoever waits for one does not come back.
    const auto store = open_store(server_.tcp_url());
    must(try_insert(*store, id_of("a"), 1));
    server_.kill(SIGKILL);
    for (int i = 0; i < 50; ++i) {
        const auto refused = try_insert(*store, id_of("b" + std::to_string(i)), 1);

        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, Errc::store_unavailable) << refused.error().detail;
    }
    server_.start();

    wait_until("the server is found again", [&] {
        return try_insert(*store, id_of("c"), 1).has_value();
    });
}

TEST_F(RedisFaults, AServerThatStandsStillIsUnknownInTimeAndComesBack)
{
    const auto store = open_store(server_.tcp_url() + "?connections=1&answer_timeout=3s");
    static_cast<void>(inserted_at_last(*store, id_of("a"), 1));
    server_.kill(SIGSTOP);

    // Without the limit it would not come back before the server does, which is never.
    const auto lost = try_insert(*store, id_of("b"), 9);

    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, Errc::store_unknown) << lost.error().detail;
    server_.kill(SIGCONT);
    const Record again = inserted_at_last(*store, id_of("b"), 9);
    EXPECT_EQ(again.token.execution, execution_of(9));
    EXPECT_EQ(again.attempts, 1u);
}

// Stands for memory that runs out while a batch is under way.
class ThrowingClock final : public Clock {
public:
    Instant realtime() const override
    {
        if (throws.exchange(false)) throw std::bad_alloc{};
        return from_micros(1'700'000'000'000'000);
    }
    Duration boottime() const override { return {}; }
    mutable std::atomic<bool> throws{false};
};

TEST_F(RedisFaults, AnExceptionFailsItsBatchAsUnknownAndTheStoreGoesOn)
{
    const ThrowingClock clock;
    const auto store =
        must(open_redis_store(patient(server_.socket_url() + "?connections=1"), {.clock = &clock}));
    clock.throws = true;

    const auto lost = try_insert(*store, id_of("a"), 7);
    clock.throws = true;
    // Two requests are served by the connection's own thread.
    const auto both = wait(store->heartbeat(
        {{id_of("a"), {1, {}}, 30s, std::nullopt}, {id_of("b"), {1, {}}, 30s, std::nullopt}}
    ));

    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, Errc::store_unknown);
    ASSERT_FALSE(both);
    EXPECT_EQ(both.error().code, Errc::store_unknown);
    EXPECT_TRUE(must(try_insert(*store, id_of("a"), 7)).inserted);
}

TEST(RedisMemory, AFullServerRefusesWithNothingWrittenAndStillAnswers)
{
    const RedisServer server{{"--maxmemory", "6mb"}};
    const auto store = open_store(server.socket_url() + "?connections=1");
    const StoredResponse large =
        to_stored({.status = 200, .body = std::string(500'000, 'x')}, 1'000'000);
    Result<Replaced> finished = Replaced{};
    Record owned;
    RecordId id = id_of("k");
    for (int i = 0; finished; ++i) {
        ASSERT_LT(i, 100) << "6 MB are never full";
        id = id_of("k" + std::to_string(i));
        owned = must(try_insert(*store, id, 1)).record;
        finished = try_finish(*store, id, owned, large);
    }
    EXPECT_EQ(finished.error().code, Errc::store_unavailable);
    EXPECT_NE(finished.error().detail.find("raise maxmemory"), std::string::npos)
        << finished.error().detail;
    EXPECT_EQ(must(wait(store->find(id))).record, owned) << "reading goes on, nothing changed";

    server.command({"CONFIG", "SET", "maxmemory", "1mb"});
    EXPECT_FALSE(try_insert(*store, id_of("fresh"), 1));
    EXPECT_FALSE(must(wait(store->find(id_of("fresh")))).record);

    server.command({"CONFIG", "SET", "maxmemory", "0"});
    EXPECT_TRUE(must(try_finish(*store, id, owned, large)).done);
}

}  // namespace
}  // namespace umavez::test
