#include "core/test_records.hpp"

#include <gtest/gtest.h>

#include <string>

namespace umavez {
namespace {

using namespace test;

Response answer()
{
    return {
        .status = 201,
        .headers = {{"location", "/pedidos/1"}, {"link", "a, b"}},
        .body = "pedido 1",
        .entity = Entity{.type = "pedido", .id = "1"},
    };
}

TEST(StoredResponse, KeepsTheResponseWholeUpToTheLimit)
{
    Response response = answer();
    response.headers.clear();
    response.body = std::string(100, 'b');

    const StoredResponse kept = to_stored(response, 100);

    EXPECT_FALSE(kept.omitted);
    EXPECT_EQ(kept.response, response);
    EXPECT_TRUE(is_intact(kept));
}

TEST(StoredResponse, BeyondTheLimitKeepsStatusEntityAndDigest)
{
    const StoredResponse whole = to_stored(answer(), 1'000);

    const StoredResponse kept = to_stored(answer(), 10);

    EXPECT_TRUE(kept.omitted);
    EXPECT_EQ(kept.response.status, 201);
    EXPECT_EQ(kept.response.entity, answer().entity);
    EXPECT_TRUE(kept.response.body.empty());
    EXPECT_TRUE(kept.response.headers.empty());
    EXPECT_EQ(kept.digest, whole.digest);
    EXPECT_TRUE(is_intact(kept));
}

TEST(StoredResponse, HeadersCountTowardsTheLimit)
{
    Response response{.status = 200, .headers = {{"x", std::string(100, 'v')}}, .body = "", .entity = {}};

    EXPECT_TRUE(to_stored(response, 100).omitted);
    EXPECT_FALSE(to_stored(response, 101).omitted);
}

TEST(StoredResponse, ChangedBytesAreNotIntact)
{
    StoredResponse kept = to_stored(answer(), 1'000);
    kept.response.body[3] ^= 1;

    EXPECT_FALSE(is_intact(kept));
}

TEST(StoredResponse, EveryPartIsInTheDigest)
{
    const auto digest = [](const Response& response) { return to_stored(response, 1'000).digest; };
    Response status = answer(), body = answer(), header = answer(), order = answer(), entity = answer();
    status.status = 200;
    body.body += '\0';
    header.headers[0].value += "x";
    std::swap(order.headers[0], order.headers[1]);
    entity.entity->id = "2";

    for (const Response& other : {status, body, header, order, entity}) {
        EXPECT_NE(digest(answer()), digest(other));
    }
    EXPECT_EQ(digest(answer()), digest(answer()));
}

TEST(StoredResponse, PartsDoNotRunIntoEachOther)
{
    const auto digest = [](const Response& response) { return to_stored(response, 1'000).digest; };
    const Response one{.status = 200, .headers = {{"ab", "c"}}, .body = "", .entity = {}};
    const Response other{.status = 200, .headers = {{"a", "bc"}}, .body = "", .entity = {}};
    const Response as_header{.status = 200, .headers = {{"t", "i"}}, .body = "", .entity = {}};
    const Response as_entity{.status = 200, .headers = {}, .body = "", .entity = Entity{"t", "i"}};

    EXPECT_NE(digest(one), digest(other));
    EXPECT_NE(digest(as_header), digest(as_entity));
}

}  // namespace
}  // namespace umavez
