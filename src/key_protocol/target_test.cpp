#include "key_protocol/target.hpp"

#include "base/digest.hpp"

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

TEST(TargetOf, DeclaringAParameterOfTheQueryChangesNothing)
{
    http::Request declared = submitted("1", "limit=5");
    declared.parameters.emplace_back("limit", "5");

    EXPECT_EQ(target_of(declared, pattern), with_query("limit=5"));
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
    constexpr auto two_names = "/{a}/{b}";
    http::Request first = submitted("1");
    first.parameters = {{"a", "bc"}, {"b", ""}};
    http::Request second = submitted("1");
    second.parameters = {{"a", "b"}, {"b", "c"}};

    EXPECT_NE(target_of(first, two_names), target_of(second, two_names));
}

// Records keep these digests. Computed outside of this project.
TEST(TargetOf, DigestsArePinned)
{
    EXPECT_EQ(
        to_hex(with_query("a=1").digest),
        "69cabd295b06cd1e48b48ad0fe28d5305221d4b0591104225e315ed216b765ad"
    );
    EXPECT_EQ(
        to_hex(with_query("a=%zz").digest),
        "b2bf7ae8cf4abcf3136f66f10b44fbeb5a300feee4f319aafb9913998eae3aab"
    );
}

}  // namespace
}  // namespace umavez::key_protocol
