// What is read from a rightly signed delivery: ids, accounts, types and the body fingerprint.

#include "webhook/examples_test.hpp"

#include <gtest/gtest.h>

#include <string>

namespace umavez::webhook {
namespace {

// Signed and delivered under this provider.
std::expected<Event, Refusal> deliver(
    const Provider& provider, std::string_view body, const SignInput& input = {}
)
{
    const auto scheme = make(provider);
    const SignedRequest request = sign(*scheme, body, input);
    return scheme->verify(delivery_of(body, request), noon);
}

const Provider stripe{.name = "p", .scheme = "stripe", .secrets = {"s"}, .account = "/account"};
const Provider pagarme{.name = "p", .scheme = "pagarme", .secrets = {"s"}};
const Provider pagbank{.name = "p", .scheme = "pagbank", .secrets = {"s"}};
const Provider shopify{.name = "p", .scheme = "shopify", .secrets = {"s"}};

TEST(EventId, IsAStringOrANumber)
{
    EXPECT_EQ(outcome(deliver(stripe, R"({"id":"evt_1"})")), "evt_1");
    EXPECT_EQ(outcome(deliver(stripe, R"({"id":820982911946154508})")), "820982911946154508");
    EXPECT_EQ(outcome(deliver(stripe, R"({"id":1.0e1})")), "10");
    EXPECT_EQ(outcome(deliver(stripe, R"({"id":"a\u00e7"})")), "a\xc3\xa7");
}

TEST(EventId, ThatIsAbsentIsMissing)
{
    for (const std::string body :
         {"{}", "[]", "1", R"({"id":null})", R"({"id":""})", R"({"Id":"1"})"})
        EXPECT_EQ(outcome(deliver(stripe, body)), "missing_id") << body;
}

TEST(EventId, ThatIsNoTextIsMalformed)
{
    for (const std::string value :
         {"true", "[]", "{}", "[\"a\"]", R"("\u0000")", R"("a\nb")", "\" \""})
        EXPECT_EQ(outcome(deliver(stripe, "{\"id\":" + value + "}")), "malformed") << value;
    const std::string longest(255, 'x');
    EXPECT_EQ(outcome(deliver(stripe, "{\"id\":\"" + longest + "\"}")), longest);
    EXPECT_EQ(outcome(deliver(stripe, "{\"id\":\"" + longest + "x\"}")), "malformed");
}

TEST(EventId, OfABodyThatIsNoJsonIsMalformedWithThePlace)
{
    const auto verified = deliver(stripe, R"({"id":"a","id":"b"})");

    ASSERT_FALSE(verified);
    EXPECT_EQ(verified.error().fault, Fault::malformed);
    EXPECT_TRUE(verified.error().detail.starts_with("the body is not JSON: "))
        << verified.error().detail;
}

TEST(EventAccount, IsReadFromTheSignedBody)
{
    EXPECT_EQ(deliver(stripe, R"({"id":"1","account":"acct_7"})")->account, "acct_7");
    EXPECT_EQ(deliver(stripe, R"({"id":"1","account":7})")->account, "7");
    EXPECT_EQ(deliver(stripe, R"({"id":"1","account":null})")->account, "");
    EXPECT_EQ(deliver(stripe, R"({"id":"1"})")->account, "");
    EXPECT_EQ(fault_of(deliver(stripe, R"({"id":"1","account":{}})")), "malformed");
    EXPECT_EQ(fault_of(deliver(stripe, R"({"id":"1","account":"\u0000"})")), "malformed");
}

TEST(EventAccount, MayLieDeeper)
{
    const Provider square{
        .name = "p",
        .scheme = "square",
        .secrets = {"s"},
        .account = "/data/0/merchant~1id",
        .url = "https://a.example/",
    };

    EXPECT_EQ(deliver(square, R"({"event_id":"1","data":[{"merchant/id":"M"}]})")->account, "M");
}

TEST(EventType, OfAnotherKindIsLeftEmpty)
{
    EXPECT_EQ(deliver(stripe, R"({"id":"1","type":"a.b"})")->type, "a.b");
    EXPECT_EQ(deliver(stripe, R"({"id":"1","type":{}})")->type, "");
    EXPECT_EQ(fault_of(deliver(stripe, R"({"id":"1","type":"\u0000"})")), "malformed");
}

TEST(BodyFingerprint, IsOfTheValueAndNotOfItsSpelling)
{
    const auto digest = [](std::string_view body) { return deliver(stripe, body)->body_digest; };
    const Digest first = digest(R"({"id":"1","a":1.50,"b":[1,2]})");

    EXPECT_EQ(digest(R"( {"b":[1, 2], "\u0061":1.5, "id":"1"} )"), first);
    EXPECT_NE(digest(R"({"id":"1","a":1.51,"b":[1,2]})"), first);
    EXPECT_NE(digest(R"({"id":"1","a":1.50,"b":[2,1]})"), first);
    EXPECT_NE(digest(R"({"id":"1","b":[1,2]})"), first);
}

TEST(BodyFingerprint, OfStripeLeavesOutWhatChangesBetweenDeliveries)
{
    const auto digest = [](const Provider& provider, std::string_view body, const SignInput& input
                        ) { return deliver(provider, body, input)->body_digest; };
    const std::string_view none = R"({"id":"1","z":{"pending_webhooks":3}})";
    const std::string_view one = R"({"id":"1","pending_webhooks":1,"z":{"pending_webhooks":3}})";
    const std::string_view two = R"({"id":"1","pending_webhooks":[2],"z":{"pending_webhooks":3}})";
    const std::string_view deep = R"({"id":"1","z":{"pending_webhooks":4}})";

    EXPECT_EQ(digest(stripe, one, {}), digest(stripe, two, {}));
    EXPECT_EQ(digest(stripe, one, {}), digest(stripe, none, {}));
    EXPECT_NE(digest(stripe, one, {}), digest(stripe, deep, {}));
    EXPECT_NE(digest(shopify, one, {"1"}), digest(shopify, two, {"1"}));
}

TEST(BodyFingerprint, OfBytesIsNeverThatOfJson)
{
    const Provider github{.name = "p", .scheme = "github", .secrets = {"s"}};
    const auto digest = [&](std::string_view body) {
        return deliver(github, body, {"1"})->body_digest;
    };

    EXPECT_EQ(digest("no JSON"), digest("no JSON"));
    EXPECT_NE(digest("no JSON"), digest("no  JSON"));
    EXPECT_NE(digest(""), digest("{}"));
    EXPECT_EQ(digest("{}"), digest("{ }"));
}

TEST(Shopify, EventIdComesBeforeWebhookId)
{
    const auto scheme = make(shopify);
    const std::string body = R"({"id":1})";
    SignedRequest request = sign(*scheme, body, {.id = "e-1", .type = "orders/create"});
    for (Header& header : request.headers)
        if (header.name == "X-Shopify-Webhook-Id") header.value = "w-1";
    SignedRequest no_event_id = request;
    std::erase_if(no_event_id.headers, [](const Header& h) {
        return h.name == "X-Shopify-Event-Id";
    });

    EXPECT_EQ(outcome(scheme->verify(delivery_of(body, request), noon)), "e-1");
    EXPECT_EQ(outcome(scheme->verify(delivery_of(body, no_event_id), noon)), "w-1");
    EXPECT_FALSE(scheme->verify(delivery_of(body, request), noon)->id_is_signed);
}

TEST(Pagarme, IdAndStatusNameTheEvent)
{
    EXPECT_EQ(outcome(deliver(pagarme, "current_status=paid&id=16")), "16:paid");
    EXPECT_EQ(
        outcome(deliver(pagarme, "id=16&current_status=re+funded&id%5B%5D=3")), "16:re funded"
    );
    EXPECT_EQ(outcome(deliver(pagarme, "id=16")), "missing_id");
    EXPECT_EQ(outcome(deliver(pagarme, "current_status=paid&id=")), "missing_id");
    EXPECT_EQ(outcome(deliver(pagarme, "")), "missing_id");
    EXPECT_EQ(outcome(deliver(pagarme, "id=16&id=17&current_status=paid")), "malformed");
    EXPECT_EQ(outcome(deliver(pagarme, "id=%&current_status=paid")), "malformed");
    EXPECT_EQ(outcome(deliver(pagarme, "id=%ff&current_status=paid")), "malformed");
    EXPECT_EQ(
        outcome(deliver(pagarme, "id=" + std::string(252, '1') + "&current_status=paid")),
        "malformed"
    );
}

TEST(Pagbank, IdAndStatusNameTheEvent)
{
    EXPECT_EQ(
        outcome(deliver(pagbank, R"({"id":"C","status":"PAID","charges":[{"status":"X"}]})")),
        "C:PAID"
    );
    EXPECT_EQ(outcome(deliver(pagbank, R"({"id":"O","charges":[{"status":"PAID"}]})")), "O:PAID");
    EXPECT_EQ(
        outcome(deliver(pagbank, R"({"id":"O","charges":[{},{"status":"PAID"}]})")), "O:PAID"
    );
    EXPECT_EQ(outcome(deliver(pagbank, R"({"id":"O","charges":[]})")), "missing_id");
    EXPECT_EQ(outcome(deliver(pagbank, R"({"id":"O","charges":{"status":"PAID"}})")), "missing_id");
    EXPECT_EQ(outcome(deliver(pagbank, R"({"status":"PAID"})")), "missing_id");
    EXPECT_EQ(outcome(deliver(pagbank, R"({"id":"O","status":{}})")), "malformed");
    EXPECT_EQ(outcome(deliver(pagbank, R"({"id":"O","charges":[{"status":true}]})")), "malformed");
}

TEST(Pagbank, OrderWithVeryManyChargesStillHasAnId)
{
    const auto order = [](int declined) {
        std::string charges;
        for (int i = 0; i < declined; ++i) charges += R"({"status":"DECLINED"},)";
        return R"({"id":"O","charges":[)" + charges + R"({"status":"PAID"}]})";
    };

    const std::string forty = outcome(deliver(pagbank, order(40)));
    const std::string more = outcome(deliver(pagbank, order(41)));

    EXPECT_EQ(forty.size(), 64u);
    EXPECT_EQ(outcome(deliver(pagbank, order(40))), forty);
    EXPECT_NE(more, forty);
}

TEST(Token, IdMayStandInAHeader)
{
    const Provider provider{
        .name = "p", .scheme = "token", .secrets = {"t"}, .header = "X-Token", .id = "header:X-Id"
    };

    const auto event = deliver(provider, "no JSON", {.id = "e-1"});

    EXPECT_EQ(outcome(event), "e-1");
    EXPECT_TRUE(event->id_is_signed);
    EXPECT_FALSE(make(provider)->sign("", {}, noon));
    EXPECT_FALSE(make(provider)->sign("", {.id = "a\r\nX-Evil: 1"}, noon));
}

}  // namespace
}  // namespace umavez::webhook
