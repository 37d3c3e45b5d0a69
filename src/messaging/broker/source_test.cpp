// Workers against a real RabbitMQ: every message comes again until somebody says what became of it.

#include "messaging/broker/test_post.hpp"

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
    static ReceivedMessage next(MessageSource& source)
    {
        std::optional<ReceivedMessage> got;
        test::wait_until("a message comes", [&] {
            got = next_within(source, 1s);
            return got.has_value();
        });
        return *std::move(got);
    }
    static std::optional<ReceivedMessage> next_within(MessageSource& source, Duration wait)
    {
        auto received = source.next(wait, {});
        return received ? *std::move(received) : std::nullopt;
    }
    static void await_trouble(MessageSource& source, const std::string& part)
    {
        test::wait_until("the source has trouble: " + part, [&] {
            const auto told = source.next(1ms, {});
            return !told && told.error().detail.find(part) != std::string::npos;
        });
    }
};

TEST_F(RabbitMqSource, WhatIsSettledDoesNotComeAgain)
{
    auto source = start();
    send("m1", "{\"a\":1}");
    const auto got = next(*source);
    EXPECT_EQ(got.message_id, "m1");
    EXPECT_EQ(got.tenant, "loja");
    EXPECT_EQ(got.type, "mailing.processar");
    EXPECT_EQ(got.data, "{\"a\":1}");
    EXPECT_EQ(got.deliveries, 1);
    ASSERT_TRUE(source->settle(got));
    source.reset();
    EXPECT_FALSE(Probe{broker}.get(name("mailing")));
}

TEST_F(RabbitMqSource, WhatIsNotSettledComesAgainAndIsCounted)
{
    auto source = start();
    send("m1");
    next(*source);
    source.reset();  // the ack is lost with the worker
    source = start();
    const auto again = next(*source);
    EXPECT_EQ(again.message_id, "m1");
    EXPECT_EQ(again.deliveries, 2);
}

TEST_F(RabbitMqSource, WhatIsHeldBackComesAgainAsTheSame)
{
    auto source = start();
    send("m1");
    for (int i = 0; i < 3; ++i) {
        const auto got = next(*source);
        EXPECT_EQ(got.message_id, "m1");
        EXPECT_EQ(got.deliveries, 1);
        ASSERT_TRUE(source->hold_back(got, 50ms));
    }
    const auto got = next(*source);
    ASSERT_TRUE(source->settle(got));
    source.reset();
    Probe probe{broker};
    EXPECT_FALSE(probe.get(name("mailing")));
    EXPECT_FALSE(probe.get(name("mailing.held")));
}

TEST_F(RabbitMqSource, WhatIsRefusedIsAmongTheDeadWithTheReason)
{
    const auto source = start();
    send("m1");
    ASSERT_TRUE(source->refuse(next(*source), "the mailing is unreadable"));
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
    Probe{broker}.remove(name("mailing.held"));
    ASSERT_TRUE(source->hold_back(first, 1ms));
    const auto again = next(*source);
    EXPECT_EQ(again.message_id, "m1");
    Probe{broker}.remove(name("mailing.dead"));
    ASSERT_TRUE(source->refuse(again, "the mailing is unreadable"));
    // Told, with its id, and there as soon as its queue is.
    await_trouble(*source, "m1");
    send("m2");
    const auto other = next(*source);
    ASSERT_TRUE(source->settle(other));
    test::wait_until("the queue is declared again", [&] {
        return Probe{broker}.has(name("mailing.dead"));
    });
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
    probe.get_all(name("mailing.dead"), 2);
    await_trouble(*source, "");
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
    broker.hold_max = 300ms;
    broker.unbegun_max = 300ms;
    auto source = start();
    send("m1");
    const auto first = next(*source);
    const auto second = next(*source);
    EXPECT_EQ(second.message_id, "m1");
    EXPECT_EQ(second.deliveries, 1);
    // It is not the first one's any more.
    ASSERT_TRUE(source->settle(first));
    ASSERT_TRUE(source->hold_back(second, 1ms));
    next(*source);
}

TEST_F(RabbitMqSource, WhatNoWorkerBeginsIsLeftToOthers)
{
    broker.unbegun_max = 300ms;
    const auto busy = start();
    send("m1");
    const auto idle = start();
    // Whichever of them got it first, only one asks.
    next(*idle);
}

TEST_F(RabbitMqSource, AStaleTagAcknowledgesNothingAfterAReconnect)
{
    const auto source = start();
    send("m1");
    const auto stale = next(*source);
    rabbitmq().eval(
        "[rabbit_networking:close_connection(P, \"test\") || P <- rabbit_networking:connections()]"
    );
    const auto fresh = next(*source);
    EXPECT_EQ(fresh.message_id, "m1");
    EXPECT_EQ(fresh.handle, stale.handle);  // the same number, of another message as far as we know
    EXPECT_NE(fresh.epoch, stale.epoch);
    ASSERT_TRUE(source->settle(stale));
    ASSERT_TRUE(source->hold_back(fresh, 1ms));
    next(*source);
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
    const auto is_over = [&] { return dead && done.size() == 5; };
    // Every life ends with a death or with an innocent that is done.
    for (int i = 0; i < 200 && !is_over(); ++i) {
        auto source = start();
        std::vector<ReceivedMessage> in_hand;
        bool is_killed = false;
        test::wait_until("a worker has all it gets, or dies", [&] {
            auto got = next_within(*source, 60ms);
            if (!got && !dead) dead = probe.get(name("mailing.dead"));
            if (!got) return !in_hand.empty() || is_over();
            is_killed = got->message_id == "poison";
            in_hand.push_back(*std::move(got));
            return is_killed;
        });
        for (const ReceivedMessage& one : in_hand) {
            if (is_killed) break;
            ASSERT_TRUE(source->settle(one));
            done.insert(one.message_id);
        }
        source.reset();
    }
    ASSERT_TRUE(dead);
    EXPECT_EQ(dead->message_id, "poison");
    EXPECT_EQ(done.size(), 5);
    while (const auto more = probe.get(name("mailing.dead"))) EXPECT_EQ(more->message_id, "poison");
}

TEST_F(RabbitMqSource, TheBrokerGoesAwayAndComesBackAndNothingIsLost)
{
    constexpr int count = 60;
    const auto source = start();
    const auto relay = start_relay();
    append("mailing/before");
    const auto before = next(*source);
    rabbitmq().kill();
    for (int i = 0; i < count; ++i) append("mailing/" + std::to_string(i));
    EXPECT_TRUE(source->settle(before));  // goes nowhere
    await_trouble(*source, "");
    rabbitmq().start();
    std::set<std::string> seen;
    while (seen.size() < count + 1) {
        const auto got = next(*source);
        seen.insert(got.message_id);
        EXPECT_TRUE(source->settle(got));
    }
    await("published", count + 1);
}

}  // namespace
}  // namespace umavez::messaging
