// Events on their way to real receivers: signed, in order, again and again until they arrive.

#include "base/rfc3339.hpp"
#include "messaging/deliveries_table.hpp"
#include "messaging/dispatch.hpp"
#include "messaging/secret.hpp"
#include "messaging/test_station.hpp"
#include "messaging/webhook.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <map>
#include <random>
#include <set>

namespace umavez::messaging {
namespace {

using test::HttpReceiver;
using test::Reaction;
using test::Received;
using testing::HasSubstr;

class RelayTest : public Station {
protected:
    static void await_arrival(const HttpReceiver& receiver)
    {
        test::wait_until("a call arrives", [&] { return !receiver.received().empty(); });
    }
};

HttpReceiver::React answers(int status)
{
    return [status](const Received&) { return Reaction{.status = status}; };
}

// By the rules of Standard Webhooks, from what arrived and the secret alone.
bool is_signed_by(const Received& received, const std::string& secret)
{
    const std::string expected = sign_webhook(
        {secret},
        received.header("webhook-id"),
        std::stoll(received.header("webhook-timestamp")),
        received.body
    );
    const std::string given = " " + received.header("webhook-signature") + " ";
    return given.find(" " + expected + " ") != std::string::npos;
}

TEST_F(RelayTest, AnEventArrivesSigned)
{
    open(quick());
    HttpReceiver receiver{answers(204)};
    const auto [id, secret] = register_url(receiver.url("/hook"));
    happen("fatura/1", 1);
    Relay relay{*engine, *database, quick()};
    await_deliveries("delivered", 1);
    const auto got = receiver.received();
    ASSERT_EQ(got.size(), 1);
    EXPECT_EQ(got[0].method, "POST");
    EXPECT_EQ(got[0].target, "/hook");
    EXPECT_TRUE(got[0].header("webhook-id").starts_with("msg_"));
    EXPECT_TRUE(is_signed_by(got[0], secret));
    EXPECT_FALSE(is_signed_by(got[0], make_secret(system_random())));
    const auto tree = JsonTree::parse(got[0].body);
    ASSERT_TRUE(tree);
    EXPECT_EQ(tree->root().find("type")->string(), "fatura.paga");
    EXPECT_TRUE(parse_rfc3339(tree->root().find("timestamp")->string()));
    EXPECT_EQ(relay.take_trouble(), std::nullopt);
}

TEST_F(RelayTest, AfterARotationBothSecretsSign)
{
    open(quick());
    HttpReceiver receiver{answers(200)};
    const auto [id, old_secret] = register_url(receiver.url());
    const std::string path = "/api/v1/destinos/" + std::to_string(id) + "/girar-segredo";
    const Answer rotated = send("POST", path, "", "girar-1");
    ASSERT_EQ(rotated.status, 200) << rotated.body;
    happen("fatura/1", 1);
    Relay relay{*engine, *database, quick()};
    await_arrival(receiver);
    EXPECT_TRUE(is_signed_by(receiver.received()[0], old_secret));
    EXPECT_TRUE(is_signed_by(receiver.received()[0], rotated["segredo"]));
    EXPECT_NE(rotated["segredo"], old_secret);
}

TEST_F(RelayTest, OnlyWhoWantsAnEventAndWasThereGetsIt)
{
    open(quick());
    HttpReceiver all{answers(200)};
    HttpReceiver some{answers(200)};
    HttpReceiver late{answers(200)};
    register_url(all.url());
    register_url(some.url(), R"(["fatura.paga","assinatura.criada"])");
    happen("fatura/1", 1, "fatura.criada");
    happen("fatura/1", 2, "fatura.paga");
    happen("fatura/1", 3, "fatura.paga.parcial");
    sql("UPDATE umavez_outbox SET created_at = created_at - 60000000");
    sql("UPDATE umavez_destinations SET created_at = created_at - 60000000");
    register_url(late.url());
    happen("fatura/1", 4, "fatura.paga");
    // Of another tenant.
    const auto other = database->transact([&](Transaction& transaction) {
        return append_event(
            transaction, {*TenantId::parse("outro"), "fatura/1", "fatura.paga", "{}"}
        );
    });
    ASSERT_TRUE(other);
    Relay relay{*engine, *database, quick()};
    await_deliveries("delivered", 7);
    await("SELECT count(*) FROM umavez_outbox WHERE dispatched_at IS NULL", 0);
    const auto numbers = [](const HttpReceiver& receiver) {
        std::vector<int> found;
        for (const Received& received : receiver.received()) found.push_back(number_of(received));
        return found;
    };
    EXPECT_EQ(numbers(all), (std::vector<int>{1, 2, 3, 4}));
    EXPECT_EQ(numbers(some), (std::vector<int>{2, 4}));
    EXPECT_EQ(numbers(late), (std::vector<int>{4}));
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_deliveries"), 7);
}

// Its transaction had begun when the destination was registered, and committed afterwards.
TEST_F(RelayTest, AnEventThatWasUnderWayReachesANewDestination)
{
    open(quick());
    HttpReceiver receiver{answers(200)};
    register_url(receiver.url());
    happen("fatura/1", 1);
    sql("UPDATE umavez_outbox SET created_at = created_at - 5000000");
    Relay relay{*engine, *database, quick()};
    await_deliveries("delivered", 1);
}

TEST_F(RelayTest, WhatIsRolledBackNeverHappened)
{
    open(quick());
    HttpReceiver receiver{answers(200)};
    register_url(receiver.url());
    Relay relay{*engine, *database, quick()};
    const auto undone = database->transact([&](Transaction& transaction) -> Result<void> {
        const auto appended = append(transaction, "fatura/1", 1, "fatura.paga");
        if (!appended) return appended;
        return fail(Errc::invalid_argument, "after all not");
    });
    ASSERT_FALSE(undone);
    happen("fatura/1", 2);
    relay.wake();
    await_deliveries("delivered", 1);
    ASSERT_EQ(receiver.received().size(), 1);
    EXPECT_EQ(number_of(receiver.received()[0]), 2);
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_outbox"), 1);
}

// Four relays, a receiver that fails at random: every aggregate in order, every event accepted once.
TEST_F(RelayTest, OrderHoldsWithManyRelays)
{
    constexpr int aggregates = 6;
    constexpr int events = 20;
    RelayOptions options = quick();
    options.delivery.retry.attempts_max = 1000;
    options.batch = 7;  // so that one aggregate lies in many batches
    open(options);
    std::mutex mutex;
    std::mt19937 dice{17};
    std::map<std::string, std::vector<int>> accepted;
    std::map<std::string, std::set<std::string>> ids;  // of each event
    HttpReceiver receiver{[&](const Received& received) {
        const std::lock_guard guard{mutex};
        const std::string aggregate = aggregate_of(received);
        const int number = number_of(received);
        ids[aggregate + "#" + std::to_string(number)].insert(received.header("webhook-id"));
        if (dice() % 3 == 0) return Reaction{.status = 500};
        accepted[aggregate].push_back(number);
        if (dice() % 7 == 0) return Reaction{.kind = Reaction::Kind::hang_up};
        return Reaction{};
    }};
    register_url(receiver.url());
    std::vector<std::unique_ptr<Relay>> relays;
    for (int i = 0; i < 4; ++i)
        relays.push_back(std::make_unique<Relay>(*engine, *database, options));
    for (int number = 1; number <= events; ++number) {
        for (int i = 1; i <= aggregates; ++i) happen("fatura/" + std::to_string(i), number);
    }
    await_deliveries("delivered", aggregates * events);
    relays.clear();
    EXPECT_EQ(accepted.size(), aggregates);
    for (auto& [aggregate, numbers] : accepted) {
        // What the receiver took without saying so comes again, at once and in its place.
        EXPECT_TRUE(std::ranges::is_sorted(numbers))
            << aggregate << testing::PrintToString(numbers);
        const auto repeated = std::ranges::unique(numbers);
        numbers.erase(repeated.begin(), repeated.end());
        EXPECT_EQ(numbers.size(), events) << aggregate;
    }
    for (const auto& [event, seen] : ids) EXPECT_EQ(seen.size(), 1) << event;
    EXPECT_EQ(ids.size(), aggregates * events);
}

// PostgreSQL gives ids before it commits; SQLite has one writer.
TEST_F(RelayTest, ALowerIdThatCommitsLaterIsNotPassedOver)
{
    if (!is_postgres()) GTEST_SKIP() << "only where transactions overlap";
    open(quick());
    HttpReceiver receiver{answers(200)};
    register_url(receiver.url());
    Relay relay{*engine, *database, quick()};
    const auto other = *open_database(url(), {.durable = false});
    std::promise<void> appended;
    std::promise<void> may_commit;
    auto slow = std::async(std::launch::async, [&] {
        auto allowed = may_commit.get_future();
        return other->transact([&](Transaction& transaction) -> Result<void> {
            const auto done = append(transaction, "fatura/1", 1, "fatura.paga");
            if (!done) return done;
            const auto sent =
                transaction.query("SELECT 1");  // the row has its id with the next answer
            if (!sent) return std::unexpected(sent.error());
            appended.set_value();
            if (!test::is_met("it may commit", allowed)) return fail(Errc::cancelled, "no word");
            return {};
        });
    });
    test::wait_for("the first has its id", appended.get_future());
    happen("fatura/2", 2);
    await_deliveries("delivered", 1);
    EXPECT_EQ(receiver.received().size(), 1);
    may_commit.set_value();
    const auto committed = slow.get();
    ASSERT_TRUE(committed) << committed.error().detail;
    await_deliveries("delivered", 2);
    EXPECT_EQ(number_of(receiver.received()[0]), 2);
    EXPECT_EQ(number_of(receiver.received()[1]), 1);
    EXPECT_EQ(
        ask("SELECT count(*) FROM umavez_outbox AS one JOIN umavez_outbox AS two ON one.id < "
            "two.id "
            "WHERE one.aggregate = 'fatura/1' AND two.aggregate = 'fatura/2'"),
        1
    );
}

TEST_F(RelayTest, GivenUpWithAReasonAndDrivenAgain)
{
    open(quick());
    std::atomic<bool> is_up = false;
    HttpReceiver receiver{[&](const Received&) { return Reaction{.status = is_up ? 200 : 503}; }};
    const auto [id, secret] = register_url(receiver.url());
    happen("fatura/1", 1);
    happen("fatura/1", 2);
    Relay relay{*engine, *database, quick()};
    // The second one goes on when the first was given up.
    await_deliveries("dead", 2);
    EXPECT_EQ(receiver.received().size(), 10);
    const Answer dead = send("GET", "/ops/deliveries?state=dead&tenant=default");
    EXPECT_THAT(dead.body, HasSubstr(R"("last_error":"status 503")"));
    EXPECT_THAT(dead.body, HasSubstr(R"("attempts":5)"));
    const std::string destino = "/api/v1/destinos/" + std::to_string(id);
    EXPECT_THAT(send("GET", destino + "/entregas?estado=morta").body, HasSubstr("status 503"));

    is_up = true;
    const std::int64_t first = ask("SELECT min(id) FROM umavez_deliveries");
    const Answer again = send(
        "POST", "/ops/deliveries/" + std::to_string(first) + "/redrive", R"({"reason":"test"})"
    );
    ASSERT_EQ(again.status, 200) << again.body;
    EXPECT_EQ(again["attempts"], "0");
    await_deliveries("delivered", 1);
    const Answer all = send(
        "POST",
        "/ops/deliveries/redrive",
        R"({"reason":"test","destination":)" + std::to_string(id) + "}"
    );
    ASSERT_EQ(all.status, 200) << all.body;
    EXPECT_EQ(all["redriven"], "1");
    await_deliveries("delivered", 2);
    std::map<int, std::set<std::string>> ids;
    for (const Received& received : receiver.received()) {
        ids[number_of(received)].insert(received.header("webhook-id"));
    }
    ASSERT_EQ(ids.size(), 2);
    EXPECT_EQ(ids[1].size(), 1);
    EXPECT_EQ(ids[2].size(), 1);
}

TEST_F(RelayTest, NobodyListensIsNoEnd)
{
    RelayOptions options = quick();
    options.delivery.retry.attempts_max = 100000;
    open(options);
    auto receiver = std::make_unique<HttpReceiver>(answers(200));
    const std::uint16_t port = receiver->port();
    register_url(receiver->url());
    receiver.reset();
    happen("fatura/1", 1);
    Relay relay{*engine, *database, options};
    await(
        "SELECT count(*) FROM umavez_deliveries WHERE attempts > 2 AND last_error LIKE '%it was "
        "not sent'",
        1
    );
    receiver = std::make_unique<HttpReceiver>(answers(200), port);
    await_deliveries("delivered", 1);
}

TEST_F(RelayTest, GoneMeansNothingMore)
{
    open(quick());
    HttpReceiver receiver{answers(410)};
    const auto [id, secret] = register_url(receiver.url());
    for (int i = 1; i <= 3; ++i) happen("fatura/1", i);
    Relay relay{*engine, *database, quick()};
    await_deliveries("cancelled", 3);
    EXPECT_EQ(receiver.received().size(), 1);
    EXPECT_EQ(send("GET", "/api/v1/destinos/" + std::to_string(id)).status, 404);
    happen("fatura/1", 4);
    relay.wake();
    await("SELECT count(*) FROM umavez_outbox WHERE dispatched_at IS NULL", 0);
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_deliveries"), 3);
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_deliveries WHERE last_error LIKE 'status 410%'"), 1);
}

TEST_F(RelayTest, OthersGoOnWhileAReceiverHangs)
{
    RelayOptions options = quick();
    options.delivery.total_timeout = 1s;
    options.delivery.retry.attempts_max = 100000;  // the first is not given up before we look
    open(options);
    HttpReceiver receiver{[&](const Received& received) {
        const bool hangs = aggregate_of(received) == "fatura/1";
        return Reaction{.kind = hangs ? Reaction::Kind::hold : Reaction::Kind::answer};
    }};
    register_url(receiver.url());
    happen("fatura/1", 1);
    happen("fatura/1", 2);
    for (int i = 2; i <= 10; ++i) happen("fatura/" + std::to_string(i), 1);
    Relay relay{*engine, *database, options};
    await_deliveries("delivered", 9);
    await(
        "SELECT count(*) FROM umavez_deliveries WHERE state = 'pending' AND "
        "last_error LIKE '%it may have arrived'",
        1
    );
    for (const Received& received : receiver.received()) {
        if (aggregate_of(received) == "fatura/1") {
            EXPECT_EQ(number_of(received), 1);
        }
    }
}

TEST_F(RelayTest, StoppedInTheMiddleOfASendItIsSentAgain)
{
    RelayOptions options = quick();
    options.delivery.total_timeout = 1h;
    open(options);
    std::atomic<bool> hangs = true;
    HttpReceiver receiver{[&](const Received&) {
        return Reaction{.kind = hangs ? Reaction::Kind::hold : Reaction::Kind::answer};
    }};
    register_url(receiver.url());
    happen("fatura/1", 1);
    {
        Relay relay{*engine, *database, options};
        await_arrival(receiver);
        relay.stop();  // returns long before the call may end
    }
    EXPECT_EQ(ask("SELECT attempts FROM umavez_deliveries WHERE state = 'pending'"), 0);
    hangs = false;
    // As if its time of hiding were over.
    sql("UPDATE umavez_deliveries SET due_at = 0");
    Relay relay{*engine, *database, quick()};
    await_deliveries("delivered", 1);
    const auto got = receiver.received();
    ASSERT_EQ(got.size(), 2);
    EXPECT_EQ(got[0].header("webhook-id"), got[1].header("webhook-id"));
    EXPECT_EQ(got[0].body, got[1].body);
}

// Its process died after the claim: the engine's own worker sends what the lease leaves behind.
TEST_F(RelayTest, WhatADeadRelayLeftIsTakenOver)
{
    open(quick());
    HttpReceiver receiver{answers(200)};
    register_url(receiver.url());
    happen("fatura/1", 1);
    const auto given = database->transact([](Transaction& transaction) -> Result<void> {
        const auto events = dispatch_once(transaction, 10);
        if (!events) return std::unexpected(events.error());
        EXPECT_EQ(*events, 1);
        return {};
    });
    ASSERT_TRUE(given);
    const work::Item item{.id = ask("SELECT id FROM umavez_deliveries"), .run = 0};
    const RecordId id = record_id_of(deliveries_table, item);
    {
        const auto begun = engine->begin(
            {.tenant_id = id.tenant_id,
             .operation = id.operation,
             .key = id.key,
             .target = make_target({deliveries_table.operation}),
             .fingerprint = {}}
        );
        ASSERT_TRUE(begun);
        ASSERT_TRUE(std::holds_alternative<Lease>(*begun));
    }
    // As if its lease were over.
    sql("UPDATE umavez_records SET processing_expires_at = 1 WHERE status = 'processing'");
    Relay relay{*engine, *database, quick()};
    await_deliveries("delivered", 1);
    EXPECT_EQ(receiver.received().size(), 1);
}

TEST_F(RelayTest, TheReceiversOwnWaitIsRespected)
{
    open(quick());
    HttpReceiver receiver{[](const Received&) {
        return Reaction{.status = 429, .headers = "Retry-After: 3600\r\n"};
    }};
    register_url(receiver.url());
    happen("fatura/1", 1);
    Relay relay{*engine, *database, quick()};
    await("SELECT count(*) FROM umavez_deliveries WHERE attempts = 1", 1);
    EXPECT_GE(ask("SELECT due_at - changed_at FROM umavez_deliveries"), 3'600'000'000);
}

TEST_F(RelayTest, ANameThatLeadsInsideIsNotCalled)
{
    RelayOptions options = quick();
    open(options);
    HttpReceiver receiver{answers(200)};
    register_url(receiver.url());  // registered while it was allowed
    options.delivery.outbound.allow_private = false;
    happen("fatura/1", 1);
    Relay relay{*engine, *database, options};
    await_deliveries("dead", 1);
    EXPECT_TRUE(receiver.received().empty());
    EXPECT_EQ(
        ask("SELECT count(*) FROM umavez_deliveries WHERE last_error LIKE "
            "'127.0.0.1 is not an address of the internet; it was not sent'"),
        1
    );
}

}  // namespace
}  // namespace umavez::messaging
