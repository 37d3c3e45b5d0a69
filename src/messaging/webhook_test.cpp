#include "messaging/webhook.hpp"

#include "messaging/secret.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace umavez::messaging {
namespace {

using namespace std::chrono_literals;
using outbound::CallError;
using outbound::CallFailure;
using outbound::Reply;
using testing::HasSubstr;

const std::string known_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const Instant noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + 12h};

// The public test vector of the Standard Webhooks libraries.
TEST(WebhookTest, SignaturesAreThoseOfStandardWebhooks)
{
    EXPECT_EQ(
        sign_webhook(
            {known_secret}, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, R"({"test": 2432232314})"
        ),
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    );
}

TEST(WebhookTest, EverySecretSigns)
{
    const std::string other = make_secret(system_random());
    const std::string one = sign_webhook({known_secret}, "id", 1, "body");
    const std::string two = sign_webhook({other}, "id", 1, "body");
    EXPECT_NE(one, two);
    EXPECT_EQ(sign_webhook({other, known_secret}, "id", 1, "body"), two + " " + one);
    EXPECT_EQ(sign_webhook({"not a secret", known_secret}, "id", 1, "body"), one);
}

TEST(WebhookTest, ASecretIsRandomAndComesBack)
{
    std::set<std::string> made;
    for (int i = 0; i < 100; ++i) {
        const std::string secret = make_secret(system_random());
        EXPECT_TRUE(secret.starts_with("whsec_"));
        EXPECT_EQ(decode_secret(secret).value_or("").size(), 32);
        made.insert(secret);
    }
    EXPECT_EQ(made.size(), 100);
    EXPECT_EQ(decode_secret("whsec_YWI=").value_or(""), "ab");
    EXPECT_EQ(decode_secret("whsec_YQ==").value_or(""), "a");
    EXPECT_EQ(decode_secret("whsec_YWJj").value_or(""), "abc");
    for (const char* const wrong :
         {"", "whsec_", "YWI=", "whsec_YWI", "whsec_!!!!", "whsec_===="}) {
        EXPECT_FALSE(decode_secret(wrong)) << wrong;
    }
}

TEST(WebhookTest, ARotationKeepsTheLastSecret)
{
    EXPECT_EQ(rotate_secrets("a", "b"), "b a");
    EXPECT_EQ(rotate_secrets("b a", "c"), "c b");
    EXPECT_EQ(split_secrets("c b"), (std::vector<std::string>{"c", "b"}));
    EXPECT_EQ(split_secrets("c"), (std::vector<std::string>{"c"}));
}

TEST(WebhookTest, TheBodyIsThePayloadOfStandardWebhooks)
{
    EXPECT_EQ(
        webhook_body("fatura.paga", noon, R"({"id":12})"),
        R"({"type":"fatura.paga","timestamp":"2026-01-31T12:00:00.000000Z","data":{"id":12}})"
    );
}

TEST(WebhookTest, TheHeadersTellTheAttempt)
{
    const auto headers = webhook_headers({known_secret}, "msg_1", noon + 900ms, "{}");
    const auto find = [&headers](std::string_view name) {
        for (const Header& header : headers) {
            if (header.name == name) return header.value;
        }
        return std::string{};
    };
    EXPECT_EQ(find("webhook-id"), "msg_1");
    EXPECT_EQ(find("webhook-timestamp"), "1769860800");
    EXPECT_EQ(find("webhook-signature"), sign_webhook({known_secret}, "msg_1", 1769860800, "{}"));
    EXPECT_EQ(find("Content-Type"), "application/json");
    EXPECT_THAT(find("User-Agent"), HasSubstr("umavez/"));
}

TEST(WebhookTest, WhatAStatusMeans)
{
    for (const int status : {200, 201, 202, 204, 299}) {
        EXPECT_EQ(judge(Reply{.status = status}, noon).kind, Verdict::Kind::delivered) << status;
    }
    for (const int status : {301, 302, 307, 400, 401, 404, 408, 409, 411, 429, 500, 503}) {
        const Verdict verdict = judge(Reply{.status = status}, noon);
        EXPECT_EQ(verdict.kind, Verdict::Kind::failed) << status;
        EXPECT_THAT(verdict.why, HasSubstr(std::to_string(status)));
    }
    EXPECT_EQ(judge(Reply{.status = 410}, noon).kind, Verdict::Kind::gone);
    EXPECT_THAT(judge(Reply{.status = 302}, noon).why, HasSubstr("redirects are not followed"));
}

TEST(WebhookTest, RetryAfterIsAMinimum)
{
    EXPECT_EQ(judge(Reply{.status = 503, .headers = {{"retry-after", "90"}}}, noon).wait_min, 90s);
    EXPECT_EQ(judge(Reply{.status = 503}, noon).wait_min, 0s);
    EXPECT_EQ(judge(Reply{.status = 503, .headers = {{"Retry-After", "soon"}}}, noon).wait_min, 0s);
}

TEST(WebhookTest, FailuresTellTheEffect)
{
    const auto of = [](CallFailure failure, Effect effect) {
        return judge(std::unexpected(CallError{failure, effect, "why"}), noon);
    };
    EXPECT_EQ(of(CallFailure::unreachable, Effect::none).why, "why; it was not sent");
    EXPECT_EQ(of(CallFailure::timeout, Effect::unknown).why, "why; it may have arrived");
    EXPECT_EQ(of(CallFailure::timeout, Effect::unknown).kind, Verdict::Kind::failed);
    EXPECT_EQ(of(CallFailure::refused_address, Effect::none).kind, Verdict::Kind::failed);
    EXPECT_EQ(of(CallFailure::cut, Effect::unknown).kind, Verdict::Kind::cut);
}

}  // namespace
}  // namespace umavez::messaging
