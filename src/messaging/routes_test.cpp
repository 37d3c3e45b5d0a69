// Destinations and deliveries over the API, without a relay.

#include "messaging/broker_use.hpp"
#include "messaging/destinations_table.hpp"
#include "messaging/dispatch.hpp"
#include "messaging/messages.hpp"
#include "messaging/test_station.hpp"

#include <gmock/gmock.h>

namespace umavez::messaging {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* destinos = "/api/v1/destinos";
constexpr const char* valid = R"({"url":"https://example.com/hook","eventos":["fatura.paga"]})";

class RoutesTest : public Station {
protected:
    void SetUp() override
    {
        Station::SetUp();
        open({});
    }
    void dispatch()
    {
        const auto done = database->transact([](Transaction& transaction) -> Result<void> {
            const auto events = dispatch_once(transaction, 1000);
            if (!events) return std::unexpected(events.error());
            return {};
        });
        ASSERT_TRUE(done) << done.error().detail;
    }
};

TEST_F(RoutesTest, ADestinationIsMadeOnceAndItsSecretShownToItsMaker)
{
    const Answer made = send("POST", destinos, valid, "k1");
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_TRUE(made["segredo"].starts_with("whsec_"));
    EXPECT_EQ(made["url"], "https://example.com/hook");
    const Answer again = send("POST", destinos, valid, "k1");
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.body, made.body);
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_destinations"), 1);

    const Answer shown = send("GET", std::string{destinos} + "/" + made["id"]);
    EXPECT_EQ(shown.status, 200);
    EXPECT_THAT(shown.body, HasSubstr(R"("eventos":["fatura.paga"])"));
    EXPECT_THAT(shown.body, Not(HasSubstr("whsec_")));
    const Answer listed = send("GET", destinos);
    EXPECT_THAT(listed.body, HasSubstr("https://example.com/hook"));
    EXPECT_THAT(listed.body, Not(HasSubstr("whsec_")));
}

TEST_F(RoutesTest, WhatIsWrongIsRefused)
{
    EXPECT_TRUE(send("POST", destinos, valid).is_problem("idempotency-key-missing"));
    const Answer inside = send("POST", destinos, R"({"url":"http://10.0.0.1/"})", "k2");
    EXPECT_EQ(inside.status, 422);
    EXPECT_THAT(inside.body, HasSubstr(R"("field":"url")"));
    EXPECT_EQ(send("POST", destinos, R"({"eventos":[]})", "k3").status, 422);
    EXPECT_EQ(send("GET", std::string{destinos} + "/7").status, 404);
    EXPECT_EQ(send("GET", std::string{destinos} + "/seven").status, 404);
    EXPECT_EQ(send("DELETE", std::string{destinos} + "/7").status, 404);
    EXPECT_EQ(send("GET", std::string{destinos} + "/7/entregas").status, 404);
    EXPECT_EQ(send("POST", std::string{destinos} + "/7/girar-segredo", "", "k4").status, 404);
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_destinations"), 0);
}

TEST_F(RoutesTest, RemovedIsRemovedHoweverOftenItIsSaid)
{
    const std::string path =
        std::string{destinos} + "/" + send("POST", destinos, valid, "k1")["id"];
    happen("fatura/1", 1);
    dispatch();
    EXPECT_EQ(send("DELETE", path).status, 204);
    EXPECT_EQ(send("DELETE", path, "", "k2").status, 204);
    EXPECT_EQ(send("DELETE", path, "", "k2").status, 204);
    EXPECT_EQ(send("GET", path).status, 404);
    EXPECT_EQ(send("POST", path + "/girar-segredo", "", "k3").status, 404);
    EXPECT_EQ(count("cancelled"), 1);
    // What was sent there can still be seen.
    EXPECT_THAT(send("GET", path + "/entregas").body, HasSubstr(R"("estado":"cancelada")"));
    const std::string id = std::to_string(ask("SELECT id FROM umavez_deliveries"));
    const Answer redriven =
        send("POST", "/ops/deliveries/" + id + "/redrive", R"({"reason":"test"})");
    EXPECT_EQ(redriven.status, 409) << redriven.body;
    EXPECT_EQ(count("cancelled"), 1);
}

TEST_F(RoutesTest, ThereIsALimitToDestinations)
{
    for (std::int64_t i = 0; i < destinations_max; ++i) {
        ASSERT_EQ(send("POST", destinos, valid, "k" + std::to_string(i)).status, 201);
    }
    const Answer refused = send("POST", destinos, valid, "one-more");
    EXPECT_EQ(refused.status, 409);
    EXPECT_TRUE(refused.is_problem("destinos-demais"));
}

TEST_F(RoutesTest, DeadMessagesAreListedDrivenAgainAndDropped)
{
    constexpr const char* why = R"({"reason":"test"})";
    const auto made = database->transact([](Transaction& transaction) -> Result<void> {
        const TenantId tenant = *TenantId::parse("default");
        for (const char* const aggregate : {"mailing/1", "mailing/2"}) {
            const auto appended =
                append_message(transaction, {tenant, "mailing", aggregate, "x", "{}"});
            if (!appended) return appended;
        }
        const auto dead = transaction.execute(
            "UPDATE umavez_messages SET state = 'dead', attempts = 9, last_error = 'no route' "
            "WHERE aggregate = 'mailing/1'"
        );
        if (!dead) return std::unexpected(dead.error());
        return {};
    });
    ASSERT_TRUE(made) << made.error().detail;
    const std::int64_t id = ask("SELECT id FROM umavez_messages WHERE state = 'dead'");
    const std::string path = "/ops/messages/" + std::to_string(id);
    const Answer dead = send("GET", "/ops/messages");
    ASSERT_EQ(dead.status, 200) << dead.body;
    EXPECT_THAT(dead.body, HasSubstr(R"("aggregate":"mailing/1")"));
    EXPECT_THAT(dead.body, HasSubstr(R"("last_error":"no route")"));
    EXPECT_THAT(dead.body, Not(HasSubstr("mailing/2")));
    EXPECT_THAT(send("GET", "/ops/messages?state=pending").body, HasSubstr("mailing/2"));

    EXPECT_EQ(send("POST", path + "/redrive", "{}").status, 422);
    EXPECT_EQ(send("POST", path + "/redrive", why).status, 200);
    EXPECT_EQ(ask("SELECT attempts FROM umavez_messages WHERE state = 'pending' ORDER BY id"), 0);
    EXPECT_EQ(send("POST", path + "/redrive", why).status, 409);  // it is not dead any more
    EXPECT_EQ(send("POST", path + "/drop", why).status, 200);
    EXPECT_EQ(send("POST", path + "/drop", why).status, 404);
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_messages"), 1);
}

TEST_F(RoutesTest, ABrokerThatWasGivenUpIsForgotten)
{
    const auto made =
        database->transact([](Transaction& transaction) { return remember_broker(transaction); });
    ASSERT_TRUE(made) << made.error().detail;
    happen("fatura/1", 1);
    dispatch();
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_messages WHERE queue = 'events'"), 1);
    EXPECT_EQ(send("POST", "/ops/broker/forget", "{}").status, 422);
    EXPECT_EQ(send("POST", "/ops/broker/forget", R"({"reason":"test"})").status, 200);
    happen("fatura/2", 1);
    dispatch();
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_messages"), 0);
}

TEST_F(RoutesTest, DeliveriesPageByPage)
{
    const std::string path =
        std::string{destinos} + "/" + send("POST", destinos, valid, "k1")["id"];
    for (int i = 1; i <= 60; ++i) happen("fatura/" + std::to_string(i), i);
    dispatch();
    const Answer first = send("GET", path + "/entregas?estado=pendente");
    ASSERT_EQ(first.status, 200) << first.body;
    EXPECT_THAT(first.body, HasSubstr(R"("agregado":"fatura/60")"));
    EXPECT_THAT(first.body, HasSubstr(R"("agregado":"fatura/11")"));
    EXPECT_THAT(first.body, Not(HasSubstr(R"("agregado":"fatura/10")")));
    const Answer second =
        send("GET", path + "/entregas?estado=pendente&cursor=" + first["proximo"]);
    EXPECT_THAT(second.body, HasSubstr(R"("agregado":"fatura/10")"));
    EXPECT_THAT(second.body, HasSubstr(R"("agregado":"fatura/1")"));
    EXPECT_EQ(second["proximo"], "null");
    EXPECT_THAT(send("GET", path + "/entregas?estado=entregue").body, HasSubstr(R"("itens":[])"));
    EXPECT_EQ(send("GET", path + "/entregas?estado=pending").status, 422);
    EXPECT_EQ(send("GET", path + "/entregas?cursor=x").status, 422);

    const Answer ops = send("GET", "/ops/deliveries?state=pending&limit=2");
    EXPECT_THAT(ops.body, HasSubstr(R"("aggregate":"fatura/60")"));
    EXPECT_NE(ops["next"], "null");
    const Answer other = send("GET", "/ops/deliveries?tenant=outro");
    EXPECT_THAT(other.body, HasSubstr(R"("deliveries":[])"));
    EXPECT_EQ(send("GET", "/ops/deliveries/999999").status, 404);
    EXPECT_EQ(send("POST", "/ops/deliveries/999999/redrive", R"({"reason":"test"})").status, 404);
    EXPECT_EQ(
        send("POST", "/ops/deliveries/redrive", R"({"destination":999,"reason":"test"})").status,
        404
    );
    EXPECT_EQ(send("POST", "/ops/deliveries/redrive", R"({"destination":"x"})").status, 422);
    EXPECT_EQ(send("POST", "/ops/deliveries/redrive", R"({"destino":1})").status, 422);
}

}  // namespace
}  // namespace umavez::messaging
