#include "operators/desk.hpp"

#include "http/client.hpp"

#include <gtest/gtest.h>

namespace umavez::operators {
namespace {

TEST(DeskLines, AWishTravelsAsOneLine)
{
    const Wish wish{"POST", "/ops/records/a/b/k%2F1/release", "x=1", "{\"reason\":\"a\nb\"}"};

    const std::string line = to_line(wish, "ana");
    const auto taken = parse_wish(line);

    EXPECT_EQ(line.find('\n'), std::string::npos);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->wish.method, wish.method);
    EXPECT_EQ(taken->wish.path, wish.path);
    EXPECT_EQ(taken->wish.query, wish.query);
    EXPECT_EQ(taken->wish.body, wish.body);
    EXPECT_EQ(taken->by, "ana");
}

TEST(DeskLines, AReplyTravelsAsOneLine)
{
    const auto reply = parse_reply(to_line(Reply{404, "{\"title\":\"não\"}\n"}));

    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 404);
    EXPECT_EQ(reply->body, "{\"title\":\"não\"}\n");
}

TEST(DeskLines, OtherLinesAreRefused)
{
    for (const std::string line :
         {"", "sweep", "{}", "[]", "1", "{\"path\":1}", "{\"path\":\"ops\"}"}) {
        EXPECT_FALSE(parse_wish(line)) << line;
    }
    for (const std::string line : {"", "pong", "{}", "[]", "{\"status\":\"200\"}"}) {
        EXPECT_FALSE(parse_reply(line)) << line;
    }
}

TEST(PercentEncode, LeavesOnlyUnreservedCharacters)
{
    EXPECT_EQ(percent_encode("a-b.c_d~e9"), "a-b.c_d~e9");
    EXPECT_EQ(percent_encode("a/b c%é"), "a%2Fb%20c%25%C3%A9");
}

TEST(ServerUrl, TakesAddressesAndNames)
{
    using http::ServerUrl;

    EXPECT_EQ(
        *http::parse_server_url("http://127.0.0.1:8080"), (ServerUrl{false, "127.0.0.1", "8080"})
    );
    EXPECT_EQ(
        *http::parse_server_url("https://umavez.example/"),
        (ServerUrl{true, "umavez.example", "443"})
    );
    EXPECT_EQ(*http::parse_server_url("http://[::1]:80"), (ServerUrl{false, "::1", "80"}));
    EXPECT_EQ(*http::parse_server_url("http://[::1]"), (ServerUrl{false, "::1", "80"}));
}

TEST(ServerUrl, RefusesTheRest)
{
    for (const char* const text :
         {"",
          "localhost:8080",
          "ftp://a",
          "http://",
          "http://:80",
          "http://a:",
          "http://a:b",
          "http://a:123456",
          "http://a/b",
          "http://u@a",
          "http://[::1",
          "http://[::1]x",
          "http://a b",
          "http://a\r\nX: y"}) {
        EXPECT_FALSE(http::parse_server_url(text)) << text;
    }
}

TEST(HttpDesk, NobodyThereIsUnavailable)
{
    auto desk = make_http_desk("http://127.0.0.1:1", "");
    ASSERT_TRUE(desk);

    const auto reply = (*desk)->ask({.path = "/ops/records"});

    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code, Errc::store_unavailable);
}

}  // namespace
}  // namespace umavez::operators
