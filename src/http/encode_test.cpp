#include "http/encode.hpp"

#include <gtest/gtest.h>

namespace umavez::http {
namespace {

const Delivery plain{from_micros(784111777'000'000), "r1", true, false};

std::string encode_head(const Response& response, const Delivery& delivery)
{
    std::string head;
    append_head(head, response, delivery);
    return head;
}

TEST(Encode, TheHeadIsExact)
{
    const Response response{201, {{"Location", "/a/1"}}, "{}"};

    EXPECT_EQ(
        encode_head(response, plain),
        "HTTP/1.1 201 Created\r\n"
        "Location: /a/1\r\n"
        "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
        "X-Request-Id: r1\r\n"
        "Content-Length: 2\r\n"
        "Connection: keep-alive\r\n\r\n"
    );
}

TEST(Encode, AHeaderThatBreaksItsLineIsDropped)
{
    const Response response{200, {{"Location", "/a\r\nSet-Cookie: x"}, {"A\nB", "c"}}, ""};

    const std::string head = encode_head(response, plain);

    EXPECT_EQ(head.find("Set-Cookie"), std::string::npos);
    EXPECT_EQ(head.find('B'), std::string::npos);
}

TEST(Encode, FramingBelongsToTheServer)
{
    const Response response{
        200,
        {{"content-length", "9"}, {"Transfer-Encoding", "chunked"}, {"Connection", "upgrade"}},
        "ab"
    };

    const std::string head = encode_head(response, plain);

    EXPECT_EQ(head.find("chunked"), std::string::npos);
    EXPECT_EQ(head.find("upgrade"), std::string::npos);
    EXPECT_NE(head.find("Content-Length: 2\r\n"), std::string::npos);
}

TEST(Encode, HeadAndNoContentHaveNoBody)
{
    Delivery head_request = plain;
    head_request.is_head = true;

    EXPECT_FALSE(sends_body({200, {}, "abc"}, head_request));
    EXPECT_NE(
        encode_head({200, {}, "abc"}, head_request).find("Content-Length: 3"), std::string::npos
    );
    EXPECT_FALSE(sends_body({204, {}, "abc"}, plain));
    EXPECT_EQ(encode_head({204, {}, "abc"}, plain).find("Content-Length"), std::string::npos);
}

}  // namespace
}  // namespace umavez::http
