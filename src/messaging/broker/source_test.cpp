// Workers against a real RabbitMQ: every message comes again until somebody says what became of it.

#include "messaging/broker/test_post.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace umavez::messaging {
namespace {

class RabbitMqSource : public Post {
protected:
    std::unique_ptr<MessageSource> start()
    {
        auto source = make_broker_source(broker, "mailing");
        EXPECT_TRUE(source) << source.error().detail;
        return source ? *std::move(source) : nullptr;
    }
    void send(const std::string& id, const std::string& data = "{}")
    {
        Probe{broker}.publish({name("work"), "mailing"}, letter(id, data));
    }
    static Letter letter(const std::string& id, const std::string& data = "{}")
    {
        return {
            .message_id = id,
            .tenant = "loja",
            .aggregate = "mailing/1",
            .type = "mailing.processar",
            .data = data,
            .created_at = {},
        };
    }
    // Troubles are passed over.
    static std::optional<ReceivedMessage> next(MessageSource& source, Duration wait = patience)
    {
        const auto deadline = std::chrono::steady_clock::now() + wait;
        for (;;) {
            auto received = source.next(wait, {});
            if (received && *received) return *std::move(received);
            if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
        }
    }
};

TEST_F(RabbitMqSource, WhatIsSettledDoesNotComeAgain)
{
    auto source = start();
    send("m1", "{\"a\":1}");
    const auto got = next(*source);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->message_id, "m1");
    EXPECT_EQ(got->tenant, "loja");
    EXPECT_EQ(got->type, "mailing.processar");
    EXPECT_EQ(got->data, "{\"a\":1}");
    EXPECT_EQ(got->deliveries, 1);
    ASSERT_TRUE(source->settle(*got));
    source.reset();
    EXPECT_FALSE(Probe{broker}.get(name("mailing")));
}

TEST_F(RabbitMqSource, WhatIsNotSettledComesAgainAndIsCounted)
{
    auto source = start();
    send("m1");
    ASSERT_TRUE(next(*source));
    source.reset();  // the ack is lost with the worker
    source = start();
    const auto again = next(*source);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->message_id, "m1");
    EXPECT_EQ(again->deliveries, 2);
}

TEST_F(RabbitMqSource, WhatIsHeldBackComesAgainAsTheSame)
{
    auto source = start();
    send("m1");
    for (int i = 0; i < 3; ++i) {
        const auto got = next(*source);
        ASSERT_TRUE(got) << "held back " << i << " times";
        EXPECT_EQ(got->message_id, "m1");
        EXPECT_EQ(got->deliveries, 1);
        ASSERT_TRUE(source->hold_back(*got, 50ms));
    }
    const auto got = next(*source);
    ASSERT_TRUE(got);
    ASSERT_TRUE(source->settle(*got));
    source.reset();
    Probe probe{broker};
    EXPECT_FALSE(probe.get(name("mailing")));
    EXPECT_FALSE(probe.get(name("mailing.held")));
}

TEST_F(RabbitMqSource, WhatIsRefusedIsAmongTheDeadWithTheReason)
{
    const auto source = start();
    send("m1");
    ASSERT_TRUE(source->refuse(*next(*source), "the mailing is unreadable"));
    Probe probe{broker};
    const auto dead = probe.get_all(name("mailing.dead"), 1);
    ASSERT_EQ(dead.size(), 1);
    EXPECT_EQ(dead.front().message_id, "m1");
    EXPECT_EQ(dead.front().reason, "the mailing is unreadable");
}

TEST_F(RabbitMqSource, HeldAndDeadQueuesThatVanishedAreDeclaredAgain)
{
    const auto source = start();
    send("m1");
    const auto first = next(*source);
    ASSERT_TRUE(first);
    Probe{broker}.remove(name("mailing.held"));
    ASSERT_TRUE(source->hold_back(*first, 1ms));
    const auto again = next(*source);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->message_id, "m1");
    Probe{broker}.remove(name("mailing.dead"));
    ASSERT_TRUE(source->refuse(*again, "the mailing is unreadable"));
    // Told, with its id, and there as soon as its queue is.
    EXPECT_TRUE(eventually([&] {
        const auto told = source->next(1ms, {});
        return !told && told.error().detail.find("m1") != std::string::npos;
    }));
    send("m2");
    const auto other = next(*source);
    ASSERT_TRUE(other);
    ASSERT_TRUE(source->settle(*other));
    ASSERT_TRUE(eventually([&] { return Probe{broker}.has(name("mailing.dead")); }));
    Probe probe{broker};
    const auto dead = probe.get_all(name("mailing.dead"), 1);
    ASSERT_EQ(dead.size(), 1);
    EXPECT_EQ(dead.front().message_id, "m1");
}

TEST_F(RabbitMqSource, WhatCannotBeReadIsDeadAndTold)
{
    const auto source = start();
    Probe probe{broker};
    probe.publish({name("work"), "mailing"}, nullptr, "{}");
    probe.publish({name("work"), "mailing"}, letter("m2", "not json"));
    EXPECT_EQ(probe.get_all(name("mailing.dead"), 2).size(), 2);
    EXPECT_TRUE(eventually([&] { return !source->next(1ms, {}); }));
}

TEST_F(RabbitMqSource, AQueueWithoutDeadLettersIsNotConsumed)
{
    Probe{broker}.declare(name("mailing"));
    const auto source = make_broker_source(broker, "mailing");
    ASSERT_FALSE(source);
    EXPECT_EQ(source.error().code, Errc::misconfigured);
    EXPECT_NE(source.error().detail.find(name("mailing")), std::string::npos);
    EXPECT_NE(source.error().detail.find("dead-letter exchange"), std::string::npos);
}

TEST_F(RabbitMqSource, AWrongPasswordOrVhostStopsTheStart)
{
    const std::string port = std::to_string(rabbitmq().port());
    for (const std::string& url :
         {"amqp://guest:errada@127.0.0.1:" + port, "amqp://guest:guest@127.0.0.1:" + port + "/nada"
         }) {
        broker.url = url;
        const auto source = make_broker_source(broker, "mailing");
        ASSERT_FALSE(source) << url;
        EXPECT_EQ(source.error().code, Errc::misconfigured);
        EXPECT_NE(source.error().detail.find("refused the log-in"), std::string::npos);
        EXPECT_EQ(source.error().detail.find("errada"), std::string::npos);
    }
    broker.url = "amqp://guest:errada@127.0.0.1:1";  // away: no error
    EXPECT_TRUE(make_broker_source(broker, "mailing"));
}

TEST_F(RabbitMqSource, AnotherDeliveryLimitIsRefusedToo)
{
    broker.delivery_limit = 5;
    start();
    broker.delivery_limit = 20;
    const auto source = make_broker_source(broker, "mailing");
    ASSERT_FALSE(source);
    EXPECT_NE(source.error().detail.find("x-delivery-limit"), std::string::npos);
}

TEST_F(RabbitMqSource, WhatIsWorkedOnForLongIsMovedAndComesAgain)
{
    broker.hold_max = 100ms;
    broker.unbegun_max = 50ms;
    auto source = start();
    send("m1");
    const auto first = next(*source);
    const auto second = next(*source);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(second->message_id, "m1");
    EXPECT_EQ(second->deliveries, 1);
    // It is not the first one's any more.
    ASSERT_TRUE(source->settle(*first));
    ASSERT_TRUE(source->hold_back(*second, 1ms));
    EXPECT_TRUE(next(*source));
}

TEST_F(RabbitMqSource, WhatNoWorkerBeginsIsLeftToOthers)
{
    broker.unbegun_max = 50ms;
    const auto busy = start();
    send("m1");
    const auto idle = start();
    // Whichever of them got it first, only one asks.
    EXPECT_TRUE(next(*idle));
}

TEST_F(RabbitMqSource, AStaleTagAcknowledgesNothingAfterAReconnect)
{
    const auto source = start();
    send("m1");
    const auto stale = next(*source);
    ASSERT_TRUE(stale);
    rabbitmq().eval(
        "[rabbit_networking:close_connection(P, \"test\") || P <- rabbit_networking:connections()]"
    );
    const auto fresh = next(*source);
    ASSERT_TRUE(fresh);
    EXPECT_EQ(fresh->message_id, "m1");
    EXPECT_EQ(
        fresh->handle, stale->handle
    );  // the same number, of another message as far as we know
    EXPECT_NE(fresh->epoch, stale->epoch);
    ASSERT_TRUE(source->settle(*stale));
    ASSERT_TRUE(source->hold_back(*fresh, 1ms));
    EXPECT_TRUE(next(*source));
}

// The poison kills its process; the innocents would end if they were ever left alone.
TEST_F(RabbitMqSource, OneThatKillsItsWorkersTakesNoInnocentsToTheDead)
{
    broker.prefetch = 50;
    broker.unbegun_max = 100ms;
    start();  // declares
    for (int i = 0; i < 5; ++i) send("innocent" + std::to_string(i));
    send("poison");
    std::set<std::string> done;
    Probe probe{broker};
    std::optional<Probe::Got> dead;
    Duration quiet = 60ms;  // after that nothing more is on its way
    for (int i = 0; i < 200 && !(dead && done.size() == 5); ++i) {
        auto source = start();
        std::vector<ReceivedMessage> in_hand;
        bool is_killed = false;
        while (!is_killed) {
            auto got = next(*source, quiet);
            if (!got) break;
            is_killed = got->message_id == "poison";
            in_hand.push_back(*std::move(got));
        }
        // A busy broker takes longer.
        if (in_hand.empty()) quiet = std::min<Duration>(2 * quiet, 2s);
        if (!is_killed && in_hand.size() == 1) {
            ASSERT_TRUE(source->settle(in_hand.front()));
            done.insert(in_hand.front().message_id);
        }
        source.reset();
        if (!dead) dead = probe.get(name("mailing.dead"));
    }
    ASSERT_TRUE(dead);
    EXPECT_EQ(dead->message_id, "poison");
    EXPECT_EQ(done.size(), 5);
    EXPECT_FALSE(probe.get(name("mailing.dead")));
}

TEST_F(RabbitMqSource, TheBrokerGoesAwayAndComesBackAndNothingIsLost)
{
    constexpr int count = 60;
    const auto source = start();
    const auto relay = start_relay();
    append("mailing/before");
    const auto before = next(*source);
    ASSERT_TRUE(before);
    rabbitmq().kill();
    for (int i = 0; i < count; ++i) append("mailing/" + std::to_string(i));
    EXPECT_TRUE(source->settle(*before));  // goes nowhere
    EXPECT_TRUE(eventually([&] { return !source->next(1ms, {}); }));
    rabbitmq().start();
    std::set<std::string> seen;
    while (seen.size() < count + 1) {
        const auto got = next(*source);
        ASSERT_TRUE(got) << seen.size();
        seen.insert(got->message_id);
        EXPECT_TRUE(source->settle(*got));
    }
    EXPECT_TRUE(becomes("published", count + 1));
}

}  // namespace
}  // namespace umavez::messaging
