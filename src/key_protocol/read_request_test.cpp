#include "key_protocol/read_request.hpp"

#include <gtest/gtest.h>

namespace umavez::key_protocol {
namespace {

using namespace std::chrono_literals;

ProtectedRoute route(KeyRule rule = KeyRule::required)
{
    ProtectedRoute made{
        .operation = *Operation::parse("pagamentos.criar"),
        .pattern = "/api/v1/pagamentos",
        .policy = {}
    };
    made.policy.key = rule;
    return made;
}

http::Request post(std::vector<Header> headers, std::string body)
{
    http::Request request{};
    request.method = "POST";
    request.path = "/api/v1/pagamentos";
    request.headers = std::move(headers);
    request.headers.push_back({"Content-Type", "application/json"});
    request.body = std::move(body);
    return request;
}

auto read(const http::Request& request, KeyRule rule = KeyRule::required)
{
    return read_request(request, *TenantId::parse("acme"), route(rule), {});
}

TEST(ReadRequest, BecomesARequestForTheEngine)
{
    const auto made = read(post({{"Idempotency-Key", "\"k 1\""}, {"Prefer", "wait=99"}}, "{}"));

    ASSERT_TRUE(made);
    EXPECT_EQ(made->request.tenant_id.text(), "acme");
    EXPECT_EQ(made->request.operation.text(), "pagamentos.criar");
    EXPECT_EQ(made->request.key->text(), "k 1");
    EXPECT_EQ(made->request.fingerprint, *fingerprint_json("{}"));
    EXPECT_EQ(made->request.wait, Duration{30s});
    EXPECT_EQ(made->wait, Wait{30s});
}

TEST(ReadRequest, TheBodyIsReadOnce)
{
    const http::Request request = post({{"Idempotency-Key", "k"}}, R"({"valor":1500.00})");

    const auto made = read(request);

    ASSERT_TRUE(made && made->json);
    EXPECT_EQ(made->json->root().find("valor")->number(), "1500.00");
}

TEST(ReadRequest, AnUpgradeHasNoKey)
{
    const auto refused = read(post({{"Idempotency-Key", "k"}, {"Upgrade", "websocket"}}, "{}"));
    const auto taken = read(post({{"Upgrade", "websocket"}}, "{}"), KeyRule::optional);

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().name, "malformed-request");
    EXPECT_TRUE(taken);
}

TEST(ReadRequest, ABodyThatCannotBeReadComesBeforeTheKey)
{
    const auto refused = read(post({{"Idempotency-Key", ""}}, "{"));

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().name, "malformed-body");
}

TEST(ReadRequest, TheKeyComesNext)
{
    EXPECT_EQ(read(post({{"Idempotency-Key", ""}}, "{}")).error().name, "idempotency-key-invalid");
    EXPECT_EQ(read(post({}, "{}")).error().name, "idempotency-key-missing");
}

TEST(ReadRequest, WithoutKeyAndWaitBothAreAbsent)
{
    const auto made = read(post({}, "{}"), KeyRule::optional);

    ASSERT_TRUE(made);
    EXPECT_FALSE(made->request.key);
    EXPECT_FALSE(made->request.wait);
    EXPECT_FALSE(made->wait);
}

}  // namespace
}  // namespace umavez::key_protocol
