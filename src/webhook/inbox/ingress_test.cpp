#include "webhook/inbox/test_post_office.hpp"

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

namespace umavez::webhook {
namespace {

using namespace std::chrono_literals;

constexpr const char* states = "SELECT count(*) FROM umavez_inbox";

TEST(Ingress, KeepsAnEventAndAnswersADuplicateTheSame)
{
    PostOffice office;
    const auto first = office.send("e1", PostOffice::paid());
    EXPECT_EQ(first.status, 200);
    EXPECT_EQ(first.body, "{\"received\":true,\"duplicate\":false}\n");
    const auto again = office.send("e1", PostOffice::paid());
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.body, "{\"received\":true,\"duplicate\":true}\n");
    EXPECT_EQ(office.ask(states), "1");
    EXPECT_EQ(office.ask("SELECT type || ' ' || account FROM umavez_inbox"), "paid acct_1");
}

// The provider signs every delivery anew, and may write the same JSON in another order.
TEST(Ingress, ARedeliveryWithAnotherTimestampOrSpellingIsADuplicate)
{
    PostOffice office;
    EXPECT_EQ(office.send("e1", R"({"type":"paid","account":"a","amount":1})").status, 200);
    EXPECT_EQ(office.send("e1", R"({"type":"paid","account":"a","amount":1})", -100s).status, 200);
    EXPECT_EQ(
        office.send("e1", R"({ "amount":1.0, "account":"a", "type":"paid"})", 100s).status, 200
    );
    EXPECT_EQ(office.ask(states), "1");
    EXPECT_EQ(office.ask("SELECT count(*) FROM umavez_inbox_quarantine"), "0");
}

TEST(Ingress, TheSameIdWithAnotherBodyIsQuarantinedOnce)
{
    PostOffice office;
    EXPECT_EQ(office.send("e1", PostOffice::paid("a", 1)).status, 200);
    for (int i = 0; i < 2; ++i) {
        const auto other = office.send("e1", PostOffice::paid("a", 2));
        EXPECT_EQ(other.status, 409);
        EXPECT_NE(other.body.find("webhook-quarantined"), std::string::npos) << other.body;
    }
    EXPECT_EQ(office.ask(states), "1");
    EXPECT_EQ(office.ask("SELECT count(*) FROM umavez_inbox_quarantine"), "1");
}

TEST(Ingress, AccountsOfOneProviderHaveIdsOfTheirOwn)
{
    PostOffice office;
    EXPECT_EQ(office.send("e1", PostOffice::paid("a")).status, 200);
    EXPECT_EQ(
        office.send("e1", PostOffice::paid("b")).body, "{\"received\":true,\"duplicate\":false}\n"
    );
    EXPECT_EQ(office.ask(states), "2");
}

// An unsigned id must not let a captured delivery in again.
TEST(Ingress, WhereTheIdIsUnsignedTheBodyDedupesToo)
{
    PostOffice office;
    const std::string body = R"({"zen":"once"})";
    EXPECT_EQ(office.sign_and_post("github", {.id = "d1", .type = "ping"}, body).status, 200);
    const auto replayed = office.sign_and_post("github", {.id = "d2", .type = "ping"}, body);
    EXPECT_EQ(replayed.body, "{\"received\":true,\"duplicate\":true}\n");
    EXPECT_EQ(office.ask(states), "1");
    EXPECT_EQ(
        office.sign_and_post("github", {.id = "d1", .type = "ping"}, R"({"zen":"twice"})").status,
        409
    );
    // Whoever has one delivery fills no quarantine with it, whatever ids he finds.
    const std::string more = R"({"zen":"more"})";
    EXPECT_EQ(office.sign_and_post("github", {.id = "d4", .type = "ping"}, more).status, 200);
    EXPECT_EQ(office.sign_and_post("github", {.id = "d4", .type = "ping"}, body).status, 200);
    EXPECT_EQ(office.ask("SELECT count(*) FROM umavez_inbox_quarantine"), "1");
}

TEST(Ingress, OfOneEventAFewOtherBodiesAreKept)
{
    PostOffice office;
    for (int amount = 0; amount < 15; ++amount) {
        const int status = office.send("e1", PostOffice::paid("a", amount)).status;
        EXPECT_EQ(status, amount == 0 ? 200 : 409);
    }
    EXPECT_EQ(office.ask("SELECT count(*) FROM umavez_inbox_quarantine"), "10");
}

TEST(Ingress, RefusesWhatIsForgedLateFutureOrUnknown)
{
    PostOffice office;
    const std::string body = PostOffice::paid();
    EXPECT_EQ(office.post("own", body, {}).status, 401);
    EXPECT_EQ(office.post("nobody", body, {}).status, 404);
    EXPECT_EQ(office.send("e1", body, -301s).status, 400);
    EXPECT_EQ(office.send("e1", body, 1h).status, 400);
    const auto scheme =
        make_scheme({.name = "own", .scheme = "standard-webhooks", .secrets = {secret}});
    ASSERT_TRUE(scheme);
    const auto signature = (*scheme)->sign(body, {.id = "e1"}, system_clock().realtime());
    ASSERT_TRUE(signature);
    // Signed for other bytes, which mean the same.
    EXPECT_EQ(office.post("own", body + " ", signature->headers).status, 401);
    EXPECT_EQ(office.ask(states), "0");
    EXPECT_EQ(office.post("own", body, signature->headers).status, 200);
}

TEST(Ingress, OfFiftyAtOnceOneIsAccepted)
{
    PostOffice office;
    constexpr int count = 50;
    std::latch gate{count};
    std::atomic<int> fresh = 0;
    std::vector<std::jthread> senders;
    for (int i = 0; i < count; ++i) {
        senders.emplace_back([&] {
            gate.arrive_and_wait();
            const auto response = office.send("e1", PostOffice::paid());
            EXPECT_EQ(response.status, 200) << response.body;
            if (response.body.find("\"duplicate\":false") != std::string::npos) ++fresh;
        });
    }
    senders.clear();
    EXPECT_EQ(fresh, 1);
    EXPECT_EQ(office.ask(states), "1");
}

TEST(MakeSchemes, RefusesNamesThatCannotBe)
{
    const Provider good{.name = "own", .scheme = "standard-webhooks", .secrets = {secret}};
    Provider bad = good;
    bad.name = "Own/1";
    EXPECT_FALSE(make_schemes({bad}));
    EXPECT_FALSE(make_schemes({good, good}));
    Provider empty = good;
    empty.secrets = {};
    const auto refused = make_schemes({empty});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().detail.find("webhook.provider \"own\""), std::string::npos)
        << refused.error().detail;
}

}  // namespace
}  // namespace umavez::webhook
