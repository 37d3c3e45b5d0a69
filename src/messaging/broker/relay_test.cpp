// The relay against a real RabbitMQ: what it marks, what it must not mark, and in which order it publishes.

#include "base/fault_point.hpp"
#include "messaging/broker/outgoing_line.hpp"
#include "messaging/broker/test_post.hpp"
#include "messaging/broker_use.hpp"
#include "messaging/dispatch.hpp"

#include <fmt/format.h>

#include <csignal>
#include <future>
#include <map>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace umavez::messaging {
namespace {

class RabbitMqRelay : public Post {
protected:
    void happen(const std::string& type)
    {
        const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
            const auto appended =
                append_event(transaction, {*TenantId::parse("loja"), "fatura/1", type, "{}"});
            if (!appended) return appended;
            const auto events = dispatch_once(transaction, 100);
            if (!events) return std::unexpected(events.error());
            return {};
        });
        ASSERT_TRUE(done) << done.error().detail;
    }
    void await_broker_known()
    {
        test::wait_until("the broker is known", [&] {
            return ask("SELECT count(*) FROM umavez_broker_use") == 1;
        });
    }
    std::string message_id()
    {
        std::string id;
        EXPECT_TRUE(database->read([&](Transaction& transaction) -> Result<void> {
            const auto rows = transaction.query("SELECT message_id FROM umavez_messages");
            if (!rows) return std::unexpected(rows.error());
            id = rows->front().text(0);
            return {};
        }));
        return id;
    }
};

TEST_F(RabbitMqRelay, PublishesAndMarksWhatIsConfirmed)
{
    append("mailing/1", "{\"a\":1}");
    const auto relay = start_relay();
    await("published", 1);
    Probe probe{broker};
    const auto got = probe.get(name("mailing"));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->message_id, message_id());
    EXPECT_EQ(got->type, "mailing.processar");
    EXPECT_EQ(got->body, "{\"a\":1}");
    EXPECT_FALSE(probe.get(name("mailing")));
    EXPECT_TRUE(relay->is_connected());
}

TEST_F(RabbitMqRelay, EventsAreMessagesOnceABrokerIsKnown)
{
    happen("fatura.criada");
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_messages"), 0);
    const auto relay = start_relay();
    await_broker_known();
    happen("fatura.paga");  // for nobody: not mandatory
    await("published", 1);
    Probe probe{broker};
    probe.declare(name("ouvinte"));
    probe.bind(name("ouvinte"), name("events"), "fatura.*");
    happen("fatura.vencida");
    const auto got = probe.get_all(name("ouvinte"), 1);
    ASSERT_EQ(got.size(), 1);
    EXPECT_EQ(got.front().key, "fatura.vencida");
    EXPECT_EQ(got.front().message_id.substr(0, 4), "msg_");
    await("published", 2);
    ASSERT_TRUE(database->transact([](Transaction& transaction) {
        return forget_broker(transaction);
    }));
    happen("fatura.criada");
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_messages"), 2);
}

class KillAt final : public FaultHook {
public:
    void strike(FaultPoint point) override
    {
        if (point == FaultPoint::handler_after_effect) ::kill(::getpid(), SIGKILL);
    }
    bool ends(FaultPoint, Scheduler&) override { return false; }
};

TEST_F(RabbitMqRelay, KilledBetweenPublishAndMarkItPublishesTheSameIdAgain)
{
    append("mailing/1");
    database.reset();
    const std::string url = home.url();
    const pid_t child = ::fork();
    if (child == 0) {
        KillAt hook;
        fault_hook = &hook;
        const auto opened = open_database(url, {.durable = false});
        BrokerRelay relay{**opened, broker, {.period = 20ms}};
        for (;;) ::pause();
    }
    int status = 0;
    pid_t ended = 0;
    const bool has_ended = test::is_met("the child is killed", [&] {
        ended = ::waitpid(child, &status, WNOHANG);
        return ended != 0;
    });
    if (!has_ended) ::kill(child, SIGKILL);
    ASSERT_EQ(ended, child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    open();
    EXPECT_EQ(in_state("pending"), 1);
    ASSERT_TRUE(database->transact([](Transaction& transaction) -> Result<void> {
        // As if its time of hiding were over.
        const auto due = transaction.execute("UPDATE umavez_messages SET due_at = 0");
        if (!due) return std::unexpected(due.error());
        return {};
    }));
    const auto relay = start_relay();
    await("published", 1);
    Probe probe{broker};
    const auto got = probe.get_all(name("mailing"), 2);
    ASSERT_EQ(got.size(), 2);
    EXPECT_EQ(got[0].message_id, got[1].message_id);
}

TEST_F(RabbitMqRelay, WhatLeadsToNoQueueIsReturnedAndNotMarked)
{
    append("mailing/1");
    const auto relay = start_relay({.retry = {.first = 1ms, .longest = 1ms, .attempts_max = 3}});
    await("published", 1);
    Probe probe{broker};
    probe.unbind(name("mailing"), name("work"), "mailing");
    append("mailing/2");
    std::string told;
    test::wait_until("the relay says that it was not published, and that it is dead", [&] {
        told += relay->take_trouble().value_or("");
        return told.find("is dead") != std::string::npos &&
               told.find(" of queue mailing was not published") != std::string::npos;
    });
    EXPECT_NE(told.find("no route"), std::string::npos) << told;
    await("dead", 1);
    EXPECT_EQ(
        ask("SELECT count(*) FROM umavez_messages WHERE state = 'dead' "
            "AND last_error LIKE '%no queue%'"),
        1
    );
}

TEST_F(RabbitMqRelay, WhatTheBrokerNacksIsTriedAgain)
{
    append("mailing/1");
    const auto relay =
        start_relay({.retry = {.first = 20ms, .longest = 20ms, .attempts_max = 9999}});
    await("published", 1);
    // A second queue for the same key, which is full with one message.
    Probe probe{broker};
    amqp_table_entry_t longest{};
    longest.key = amqp_cstring_bytes("x-max-length");
    longest.value.kind = AMQP_FIELD_KIND_I64;
    longest.value.value.i64 = 1;
    amqp_table_entry_t overflow{};
    overflow.key = amqp_cstring_bytes("x-overflow");
    overflow.value.kind = AMQP_FIELD_KIND_UTF8;
    overflow.value.value.bytes = amqp_cstring_bytes("reject-publish");
    probe.declare(name("cheia"), {longest, overflow});
    probe.bind(name("cheia"), name("work"), "mailing");
    append("mailing/2");
    await("published", 2);
    append("mailing/3");
    test::wait_until("the third is nacked", [&] {
        return ask("SELECT count(*) FROM umavez_messages WHERE state = 'pending' "
                   "AND attempts > 0") == 1;
    });
    ASSERT_TRUE(probe.get(name("cheia")));
    await("published", 3);
}

TEST_F(RabbitMqRelay, OnePoisonMessageIsFoundAndParkedAndTheOthersGoOn)
{
    const std::string too_large(std::size_t{broker_bytes_max} + 50'000, ' ');
    const std::string far_too_large(std::size_t{2} * 1024 * 1024, ' ');
    for (int i = 0; i < 10; ++i) append("mailing/" + std::to_string(i));
    append("mailing/veneno", too_large);
    append("mailing/enorme", far_too_large);
    for (int i = 10; i < 20; ++i) append("mailing/" + std::to_string(i));
    const auto relay = start_relay({.retry = {.first = 1ms, .longest = 1ms, .attempts_max = 2}});
    await("published", 20);
    await("dead", 2);
    EXPECT_EQ(
        ask("SELECT count(*) FROM umavez_messages WHERE state = 'dead' AND last_error IS NOT NULL"),
        2
    );
}

TEST_F(RabbitMqRelay, ABlockedBrokerMarksNothing)
{
    const auto relay = start_relay();
    append("mailing/1");
    await("published", 1);
    rabbitmq().alarm(true);
    append("mailing/2");
    // The alarm may come to our connection later than that one.
    int more = 0;
    await_trouble(*relay, "takes no messages", [&] {
        if (in_state("pending") == 0) append("mailing/" + std::to_string(++more));
    });
    EXPECT_FALSE(relay->is_connected());
    append("mailing/last");
    constexpr const char* last =
        "SELECT count(*) FROM umavez_messages WHERE aggregate = 'mailing/last' "
        "AND state = 'published'";
    // What is said the second time was seen after it was there.
    for (int i = 0; i < 2; ++i) {
        await_trouble(*relay, "takes no messages", [&] { EXPECT_EQ(ask(last), 0); });
    }
    rabbitmq().alarm(false);
    await("pending", 0);
    EXPECT_EQ(ask(last), 1);
}

TEST_F(RabbitMqRelay, WithoutConfirmationInTimeItIsPublishedAgain)
{
    broker.confirm_timeout = 2s;  // whatever is confirmed later is published again until it is not
    const auto relay = start_relay();
    append("mailing/1");
    await("published", 1);
    rabbitmq().freeze(true);
    append("mailing/2");
    await_trouble(*relay, "did not confirm", [&] { EXPECT_EQ(in_state("published"), 1); });
    rabbitmq().freeze(false);
    await("published", 2);
    Probe probe{broker};
    std::set<std::string> ids;
    while (const auto got = probe.get(name("mailing"))) ids.insert(got->message_id);
    EXPECT_EQ(ids.size(), 2);
}

TEST_F(RabbitMqRelay, AQueueWithOtherArgumentsIsNamedAndItsMessagesWait)
{
    Probe probe{broker};
    probe.declare(name("mailing"));
    append("mailing/1");
    const auto relay = start_relay();
    await_trouble(*relay, name("mailing"), [&] { EXPECT_EQ(in_state("pending"), 1); });
    test::wait_until("its row says why", [&] {
        return ask("SELECT count(*) FROM umavez_messages WHERE state = 'pending' AND attempts = 0 "
                   "AND last_error LIKE '%dead-letter%'") == 1;
    });
}

TEST_F(RabbitMqRelay, SeveralRelaysKeepTheOrderOfEachAggregateAndRepeatNothing)
{
    constexpr int aggregates = 8;
    constexpr int each = 6;
    broker.window = 2;  // small batches: none of the relays has it all
    for (int i = 0; i < each; ++i) {
        for (int j = 0; j < aggregates; ++j)
            append("mailing/" + std::to_string(j), fmt::format("[{},{}]", j, i));
    }
    std::vector<std::unique_ptr<BrokerRelay>> relays;
    for (int i = 0; i < 4; ++i) relays.push_back(start_relay());
    await("published", aggregates * each);
    relays.clear();
    Probe probe{broker};
    std::map<char, std::string> seen;
    for (const auto& got : probe.get_all(name("mailing"), aggregates * each))
        seen[got.body[1]] += got.body[3];
    EXPECT_FALSE(probe.get(name("mailing")));
    ASSERT_EQ(seen.size(), aggregates);
    for (const auto& [aggregate, order] : seen) EXPECT_EQ(order, "012345") << aggregate;
}

TEST_F(RabbitMqRelay, ALowerIdThatCommitsLaterIsPublishedToo)
{
    if (!home.is_postgres()) return;  // one writer: ids commit in their order
    const auto relay = start_relay();
    std::promise<void> has_id;
    std::promise<void> may_commit;
    std::jthread slow{[&, allowed = may_commit.get_future()]() mutable {
        const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
            const auto appended = append_message(
                transaction, {*TenantId::parse("loja"), "mailing", "mailing/1", "x", "{}"}
            );
            if (!appended) return appended;
            has_id.set_value();
            if (!test::is_met("it may commit", allowed)) return fail(Errc::cancelled, "no word");
            return {};
        });
        EXPECT_TRUE(done) << done.error().detail;
    }};
    test::wait_for("the first has its id", has_id.get_future());
    append("mailing/2");
    await("published", 1);
    may_commit.set_value();
    await("published", 2);
    EXPECT_EQ(
        ask("SELECT count(*) FROM umavez_messages AS low JOIN umavez_messages AS high "
            "ON low.id < high.id WHERE low.aggregate = 'mailing/1'"),
        1
    );
}

TEST_F(RabbitMqRelay, WhatIsTooLateIsNotPublished)
{
    OutgoingLine line{*parse_broker_address(broker.url), broker, system_clock(), [] {}};
    const TakenMessage message{
        .taking = {1, 0, 1}, .tenant = "loja", .message_id = "a", .queue = "mailing", .data = "{}"
    };
    line.carry({{message, system_clock().boottime() - 1s}});
    std::vector<Ended> ended;
    const auto has_ended = [&] {
        ended = line.take_ended();
        return !ended.empty();
    };
    test::wait_until("the late one ends", has_ended);
    EXPECT_EQ(ended.front().ending, Ending::unbegun);
    line.carry({{message, system_clock().boottime() + 1h}});
    test::wait_until("the other one ends", has_ended);
    EXPECT_EQ(ended.front().ending, Ending::published);
}

TEST_F(RabbitMqRelay, AWrongUrlIsToldAndTheBrokerIsRememberedWithoutOne)
{
    broker.url = "amqp://u:p@127.0.0.1:1x/";
    EXPECT_EQ(check_broker_options(broker).error().code, Errc::misconfigured);
    EXPECT_TRUE(BrokerRelay(*database, broker).take_trouble());
    broker.url = "amqp://u:p@127.0.0.1:1/";  // nobody is there
    const auto relay = start_relay();
    append("mailing/1");
    await_trouble(*relay, "no connection", [&] { EXPECT_EQ(in_state("pending"), 1); });
    await_broker_known();
    EXPECT_EQ(ask("SELECT takes FROM umavez_messages"), 0);
}

}  // namespace
}  // namespace umavez::messaging
