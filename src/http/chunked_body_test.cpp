#include "http/chunked_body.hpp"

#include <gtest/gtest.h>

namespace umavez::http {
namespace {

// "hello" when it is complete, "more" before, a status when it is refused; the same however the
// bytes are cut.
std::string read(std::string_view bytes)
{
    const auto told = [](ChunkedBody& body) {
        if (body.refusal()) return std::to_string(body.refusal()->status);
        return body.is_done() ? body.take() : std::string{"more"};
    };
    ChunkedBody whole{100, 50};
    whole.put(bytes);
    ChunkedBody bytewise{100, 50};
    for (std::size_t at = 0; at < bytes.size(); ++at) bytewise.put(bytes.substr(at, 1));
    std::string said = told(whole);
    EXPECT_EQ(told(bytewise), said) << bytes;
    return said;
}

TEST(ChunkedBody, ChunksAreJoined)
{
    EXPECT_EQ(read("2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"), "hello");
    EXPECT_EQ(read("A;x=y;z=\"a b\"\r\n0123456789\r\n0\r\n\r\n"), "0123456789");
    EXPECT_EQ(read("0005 ; x\r\nhello\r\n000\r\n\r\n"), "hello");
    EXPECT_EQ(read("4\r\n\r\n\r\n\r\n0\r\n\r\n"), "\r\n\r\n");
    EXPECT_EQ(read("5\r\nhello\r\n0\r\nT: 1\r\nU:2\r\n\r\n"), "hello");
    EXPECT_EQ(read("5\r\nhello\r\n0\r\n"), "more");
}

TEST(ChunkedBody, WhatFollowsIsLeftAlone)
{
    ChunkedBody body{100, 50};
    const std::string_view bytes = "1\r\na\r\n0\r\n\r\nGET / HTTP/1.1";

    EXPECT_EQ(bytes.substr(body.put(bytes)), "GET / HTTP/1.1");
    EXPECT_EQ(body.put("x"), 0u);
}

TEST(ChunkedBody, ALineThatEndsOtherwiseIsRefusedAtOnce)
{
    EXPECT_EQ(read("1\n"), "400");
    EXPECT_EQ(read("1;a=b\n"), "400");
    EXPECT_EQ(read("1\r1"), "400");
    EXPECT_EQ(read("1;a\rb"), "400");
    EXPECT_EQ(read("1\r\na\n"), "400");
    EXPECT_EQ(read("1\r\na\rb"), "400");
    EXPECT_EQ(read("1\r\nab"), "400");
    EXPECT_EQ(read("0\r\n\n"), "400");
    EXPECT_EQ(read("0\r\nT: 1\n"), "400");
    EXPECT_EQ(read("0\r\nT: 1\rU"), "400");
    EXPECT_EQ(read("0\r\n\rT"), "400");
}

// A reader that knows quotes looks for the end of this one in the data: the line would have two ends.
TEST(ChunkedBody, AQuoteInAnExtensionIsClosedOnItsLine)
{
    EXPECT_EQ(read("1;a=\"\r\na\r\n0\r\n\r\n"), "400");
    EXPECT_EQ(read("1;a=\"b\\\"\r\na\r\n0\r\n\r\n"), "400");
    EXPECT_EQ(read("1\r\na\r\n0;\"\r\n\r\n"), "400");
    EXPECT_EQ(read("1;a=\"b\\\\\"\r\na\r\n0;a=\"\\\"\"\r\n\r\n"), "a");
    EXPECT_EQ(read("1;a=b\\\r\na\r\n0\r\n\r\n"), "a");
}

TEST(ChunkedBody, ASizeIsHexadecimal)
{
    for (const char* const size : {"-1", "+1", "0x1", " 1", "\r", ";", "1 2", "1,", "g", "\xef"}) {
        EXPECT_EQ(read(size), "400") << size;
    }
    EXPECT_EQ(read("10000000000000003"), "400");
    EXPECT_EQ(read("ffffffffffffffff\r\n"), "413");
    EXPECT_EQ(read("1;\x01"), "400");
}

TEST(ChunkedBody, TrailersAreHeaders)
{
    EXPECT_EQ(read("0\r\nT\r\n"), "400");
    EXPECT_EQ(read("0\r\nT : 1\r\n"), "400");
    EXPECT_EQ(read("0\r\nT: 1\r\n 2\r\n"), "400");
    EXPECT_EQ(read(std::string{"0\r\nT: \0\r\n", 9}), "400");
}

TEST(ChunkedBody, EverythingHasABound)
{
    const std::string fifty(50, 'a');
    EXPECT_EQ(read("32\r\n" + fifty + "\r\n33\r\n"), "413");
    EXPECT_EQ(read("32\r\n" + fifty + "\r\n32\r\n" + fifty + "\r\n0\r\n\r\n"), fifty + fifty);
    EXPECT_EQ(read("1;" + fifty), "400");
    EXPECT_EQ(read("1;aaaaaaaaaaaaaaaaaaaaaaaaa\r\na\r\n1;aaaaaaaaaaaaaaaaaaaaaaaaa"), "400");
    EXPECT_EQ(read("0\r\nT: " + fifty), "431");
}

}  // namespace
}  // namespace umavez::http
