// The schemes that sign a time: stripe, standard-webhooks, svix, mercadopago.

#include "webhook/examples_test.hpp"
#include "webhook/schemes/mercadopago.hpp"

#include <gtest/gtest.h>

#include <string>

namespace umavez::webhook {
namespace {

using std::chrono::seconds;

const std::string body = R"({"id":"evt_1","type":"a"})";
const std::string key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const std::string other_key = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const std::string seed = "whsk_nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=";
const std::string public_key = "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

std::string age_verdict(const Provider& provider, seconds age)
{
    const auto scheme = make(provider);
    const SignedRequest request = sign(*scheme, body, {.id = "msg_1"}, noon - age);
    return outcome(scheme->verify(delivery_of(body, request), noon));
}

TEST(SignedTime, IsTakenUpToTheToleranceInBothDirections)
{
    for (const std::string scheme : {"stripe", "svix"}) {
        const Provider provider{.name = "p", .scheme = scheme, .secrets = {key}};
        const std::string id = scheme == "svix" ? "msg_1" : "evt_1";

        EXPECT_EQ(age_verdict(provider, seconds{300}), id);
        EXPECT_EQ(age_verdict(provider, seconds{-300}), id);
        EXPECT_EQ(age_verdict(provider, seconds{301}), "bad_timestamp");
        EXPECT_EQ(age_verdict(provider, seconds{-301}), "bad_timestamp");
    }
}

TEST(SignedTime, ToleranceIsASetting)
{
    const Provider provider{
        .name = "p", .scheme = "stripe", .secrets = {"s"}, .tolerance = seconds{10}
    };

    EXPECT_EQ(age_verdict(provider, seconds{10}), "evt_1");
    EXPECT_EQ(age_verdict(provider, seconds{11}), "bad_timestamp");
}

TEST(SignedTime, IsOnlyJudgedAfterTheSignature)
{
    const auto sender = make({.name = "p", .scheme = "stripe", .secrets = {"other"}});
    const auto receiver = make({.name = "p", .scheme = "stripe", .secrets = {"s"}});
    const SignedRequest request = sign(*sender, body, {}, noon - std::chrono::hours{1});

    EXPECT_EQ(fault_of(receiver->verify(delivery_of(body, request), noon)), "bad_signature");
}

std::string stripe_verdict(const std::string& header)
{
    const auto scheme = make({.name = "p", .scheme = "stripe", .secrets = {"s"}});
    const std::vector<Header> headers{{"Stripe-Signature", header}};
    return outcome(scheme->verify({body, headers, ""}, noon));
}

TEST(Stripe, FormOfTheHeader)
{
    const auto scheme = make({.name = "p", .scheme = "stripe", .secrets = {"s"}});
    const std::string good = sign(*scheme, body).headers[0].value;
    const std::string mac = good.substr(good.find("v1=") + 3);
    const std::string wrong(64, '0');

    EXPECT_EQ(stripe_verdict(good), "evt_1");
    EXPECT_EQ(stripe_verdict("v1=" + mac + ",t=1760000000"), "evt_1");
    EXPECT_EQ(stripe_verdict("t=1760000000,v1=" + wrong + ",v1=" + mac), "evt_1");
    EXPECT_EQ(stripe_verdict("t=1760000000,v0=" + mac + ",v1=" + wrong), "bad_signature");
    EXPECT_EQ(stripe_verdict("t=1760000000,v1="), "unsigned");
    EXPECT_EQ(stripe_verdict("t=1760000000"), "unsigned");
    EXPECT_EQ(stripe_verdict(good + ",t=1760000000"), "malformed");
    EXPECT_EQ(stripe_verdict("t=," + good), "malformed");
    EXPECT_EQ(stripe_verdict("t=,v1=" + mac), "bad_timestamp");
    for (const std::string time :
         {"1.76e9", "-1", "+1760000000", "0x1", " 1760000000", "1760000000 "})
        EXPECT_EQ(stripe_verdict("t=" + time + ",v1=" + mac), "bad_timestamp") << time;
    EXPECT_EQ(stripe_verdict("t=99999999999999999999,v1=" + mac), "bad_timestamp");
    EXPECT_EQ(stripe_verdict("t=999999999999999,v1=" + mac), "bad_signature");
    std::string upper = mac;
    for (char& c : upper) c = static_cast<char>(::toupper(c));
    EXPECT_EQ(stripe_verdict("t=1760000000,v1=" + upper), "bad_signature");
}

TEST(Stripe, SixteenSignaturesAreTheLimit)
{
    const auto scheme = make({.name = "p", .scheme = "stripe", .secrets = {"s"}});
    std::string header = sign(*scheme, body).headers[0].value;
    for (int i = 0; i < 15; ++i) header += ",v1=00";

    EXPECT_EQ(stripe_verdict(header), "evt_1");
    EXPECT_EQ(stripe_verdict(header + ",v1=00"), "malformed");
}

TEST(StandardWebhooks, SignsOnceForEachSecret)
{
    const auto scheme =
        make({.name = "p", .scheme = "standard-webhooks", .secrets = {key, seed, other_key}});
    const SignedRequest request = sign(*scheme, body, {.id = "msg_1"});

    ASSERT_EQ(request.headers.size(), 3u);
    EXPECT_EQ(request.headers[0], (Header{"webhook-id", "msg_1"}));
    EXPECT_EQ(request.headers[1], (Header{"webhook-timestamp", "1760000000"}));
    EXPECT_EQ(request.headers[2].name, "webhook-signature");
    for (const std::string& secret : {key, public_key, other_key}) {
        const auto one = make({.name = "p", .scheme = "standard-webhooks", .secrets = {secret}});
        EXPECT_EQ(outcome(one->verify(delivery_of(body, request), noon)), "msg_1") << secret;
    }
}

TEST(StandardWebhooks, PublicKeyVerifiesAndDoesNotSign)
{
    const auto receiver = make({.name = "p", .scheme = "svix", .secrets = {public_key}});

    const auto request = receiver->sign(body, {.id = "msg_1"}, noon);

    ASSERT_FALSE(request);
    EXPECT_EQ(request.error().code, Errc::misconfigured);
    EXPECT_TRUE(request.error().detail.contains("whsk_"));
}

// An id with a "." would let "a.1" + "2" + body pass for "a" + "1" + "2.body" under one signature.
TEST(StandardWebhooks, IdsHaveNoFullStop)
{
    const auto scheme = make({.name = "p", .scheme = "standard-webhooks", .secrets = {key}});
    const std::string number = "1760000001.5";
    SignedRequest request = sign(*scheme, number, {.id = "msg"});
    request.headers[0].value = "msg.1760000000";
    request.headers[1].value = "1760000001";

    EXPECT_EQ(fault_of(scheme->verify(delivery_of("5", request), noon)), "malformed");
    EXPECT_FALSE(scheme->sign(body, {.id = "a.b"}, noon));
}

TEST(StandardWebhooks, PartsThatAreMissingHaveTheirOwnFaults)
{
    const auto scheme = make({.name = "p", .scheme = "standard-webhooks", .secrets = {key}});
    const SignedRequest good = sign(*scheme, body, {.id = "msg_1"});
    const std::vector<std::string> faults{"missing_id", "bad_timestamp", "unsigned"};

    for (std::size_t i = 0; i < faults.size(); ++i) {
        SignedRequest request = good;
        request.headers[i].value.clear();
        EXPECT_EQ(fault_of(scheme->verify(delivery_of(body, request), noon)), faults[i]);
    }
    SignedRequest request = good;
    request.headers[2].value = "v1a,AAAA v2," + request.headers[2].value;
    EXPECT_EQ(fault_of(scheme->verify(delivery_of(body, request), noon)), "bad_signature");
}

TEST(Svix, TakesBothSetsOfHeadersButNotAMixture)
{
    const auto standard = make({.name = "p", .scheme = "standard-webhooks", .secrets = {key}});
    const auto svix = make({.name = "p", .scheme = "svix", .secrets = {key}});
    const SignedRequest by_standard = sign(*standard, body, {.id = "msg_1"});
    const SignedRequest by_svix = sign(*svix, body, {.id = "msg_1"});
    SignedRequest mixed = by_standard;
    mixed.headers.push_back({"svix-id", "msg_2"});

    EXPECT_EQ(outcome(svix->verify(delivery_of(body, by_standard), noon)), "msg_1");
    EXPECT_EQ(outcome(svix->verify(delivery_of(body, by_svix), noon)), "msg_1");
    EXPECT_EQ(fault_of(svix->verify(delivery_of(body, mixed), noon)), "unsigned");
    EXPECT_EQ(outcome(standard->verify(delivery_of(body, mixed), noon)), "msg_1");
    EXPECT_EQ(fault_of(standard->verify(delivery_of(body, by_svix), noon)), "unsigned");
}

std::unique_ptr<const Scheme> mercadopago(std::optional<Duration> tolerance = {})
{
    return make({.name = "p", .scheme = "mercadopago", .secrets = {"s"}, .tolerance = tolerance});
}

TEST(Mercadopago, TimeIsJudgedOnlyUnderATolerance)
{
    const SignedRequest old = sign(*mercadopago(), body, {"r-1", "", "12"}, noon - seconds{301});

    EXPECT_TRUE(mercadopago()->verify(delivery_of(body, old), noon));
    EXPECT_EQ(
        fault_of(mercadopago(seconds{300})->verify(delivery_of(body, old), noon)), "bad_timestamp"
    );
    EXPECT_TRUE(mercadopago(seconds{301})->verify(delivery_of(body, old), noon));
}

TEST(Mercadopago, SignedTextIsTheIdAndTheBodyIsAHint)
{
    const auto scheme = mercadopago();
    const SignedRequest request = sign(*scheme, body, {"r-1", "payment", "AB 1"});

    const auto event = scheme->verify(delivery_of("anything", request), noon);
    const auto again = scheme->verify(delivery_of("something else", request), noon);

    ASSERT_TRUE(event && again);
    EXPECT_EQ(request.query, "data.id=AB%201&type=payment");
    EXPECT_EQ(event->id, "id:ab 1;request-id:r-1;ts:1760000000000;");
    EXPECT_EQ(find_mercadopago_resource(event->id), "ab 1");
    EXPECT_FALSE(event->body_is_signed);
    EXPECT_EQ(event->body_digest, again->body_digest);
}

TEST(Mercadopago, AbsentPartsAreLeftOutButNotAll)
{
    const auto scheme = mercadopago();
    const SignedRequest no_resource = sign(*scheme, body, {.id = "r-1"});
    const auto event = scheme->verify(delivery_of(body, no_resource), noon);
    // The HMAC-SHA256 of "ts:1760000000;" under "s".
    const std::vector<Header> headers{
        {"x-signature",
         "ts=1760000000,v1=155e78b138bd6ea42c0d3b8ce54cafd633d235dcc1a7479fe5927141333f8a15"}
    };

    EXPECT_EQ(outcome(event), "request-id:r-1;ts:1760000000000;");
    EXPECT_EQ(find_mercadopago_resource(event->id), std::nullopt);
    EXPECT_EQ(fault_of(scheme->verify({body, headers, "data.id="}, noon)), "missing_id");
}

// "id:1;request-id:r-1;" must not be read as an id of its own under the signature of two parts.
TEST(Mercadopago, OnePartCannotPassForTwo)
{
    const auto scheme = mercadopago();
    SignedRequest request = sign(*scheme, body, {"r-1", "", "1"});
    std::erase_if(request.headers, [](const Header& header) {
        return header.name == "x-request-id";
    });
    request.query = "data.id=1%3Brequest-id%3Ar-1";

    EXPECT_EQ(fault_of(scheme->verify(delivery_of(body, request), noon)), "malformed");
    EXPECT_FALSE(scheme->sign(body, {"r;1", "", "1"}, noon));
    EXPECT_FALSE(scheme->sign(body, {"r", "", "1;"}, noon));
    EXPECT_FALSE(scheme->sign(body, {"r", "", std::string(250, 'x')}, noon));
}

TEST(Mercadopago, QueriesThatCanBeReadTwoWaysAreRefused)
{
    const auto scheme = mercadopago();
    const SignedRequest good = sign(*scheme, body, {"r-1", "payment", "1"});
    const auto verdict = [&](std::string_view query) {
        return outcome(scheme->verify({body, good.headers, query}, noon));
    };
    const std::string id = "id:1;request-id:r-1;ts:1760000000000;";

    EXPECT_EQ(verdict("type=payment&data.id=1&x=%zz"), id);
    EXPECT_EQ(verdict("data%2Eid=%31"), id);
    EXPECT_EQ(verdict("data.id=1&data.id=2"), "malformed");
    EXPECT_EQ(verdict("data.id=%1"), "malformed");
    EXPECT_EQ(verdict("data.id=1&type=a%00b"), "malformed");
    EXPECT_EQ(verdict("data.id=2"), "bad_signature");
    EXPECT_EQ(verdict(""), "bad_signature");
}

}  // namespace
}  // namespace umavez::webhook
