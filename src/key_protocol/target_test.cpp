#include "key_protocol/target.hpp"

#include <gtest/gtest.h>

namespace umavez::key_protocol {
namespace {

http::Request submitted(std::string id, std::string query = {})
{
    http::Request request{};
    request.method = "POST";
    request.path = "/api/v1/propostas/" + id + "/submeter";
    request.query = std::move(query);
    request.parameters = {{"id", std::move(id)}};
    return request;
}

constexpr auto pattern = "/api/v1/propostas/{id}/submeter";

Target with_query(std::string query)
{
    return target_of(submitted("1", std::move(query)), pattern);
}

TEST(TargetOf, MethodRouteAndParametersCount)
{
    const Target first = target_of(submitted("1"), pattern);
    http::Request put = submitted("1");
    put.method = "PUT";

    EXPECT_EQ(target_of(submitted("1"), pattern), first);
    EXPECT_NE(target_of(submitted("2"), pattern), first);
    EXPECT_NE(target_of(submitted("1"), "/api/v1/propostas/{id}/aceitar"), first);
    EXPECT_NE(target_of(put, pattern), first);
}

TEST(TargetOf, TheQueryIsComparedDecodedAndWithoutOrderAcrossNames)
{
    EXPECT_EQ(with_query("a=1&b=2"), with_query("b=2&a=%31"));
    EXPECT_EQ(with_query(""), with_query("&"));
    EXPECT_NE(with_query("a=1&a=2"), with_query("a=2&a=1"));
    EXPECT_NE(with_query("a=1"), with_query(""));
    EXPECT_NE(with_query("a=1"), with_query("a=2"));
}

TEST(TargetOf, AQueryThatDoesNotDecodeIsComparedAsSent)
{
    EXPECT_EQ(with_query("a=%zz"), with_query("a=%zz"));
    EXPECT_NE(with_query("a=%zz"), with_query("a=%25zz"));
    EXPECT_NE(with_query("a=%zz&b=1"), with_query("b=1&a=%zz"));
}

TEST(TargetOf, ValuesDoNotRunTogether)
{
    http::Request two = submitted("1");
    two.parameters = {{"a", "bc"}, {"d", ""}};
    http::Request other = submitted("1");
    other.parameters = {{"ab", "c"}, {"d", ""}};

    EXPECT_NE(target_of(two, pattern), target_of(other, pattern));
}

}  // namespace
}  // namespace umavez::key_protocol
