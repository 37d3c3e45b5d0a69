// The framing rules without a socket. Whole requests over a real connection are in server_test.cpp
// and vectors_test.cpp.

#include "http/framing.hpp"

#include <gtest/gtest.h>

namespace umavez::http {
namespace {

int status_of_head(std::string head, std::uint64_t body_bytes_max = 1000)
{
    Request request;
    const auto checked = read_head(head + "\r\n", request);
    if (const auto* const refusal = std::get_if<Refusal>(&checked)) return refusal->status;
    const auto refusal = check_body(std::get<Framing>(checked), body_bytes_max);
    return refusal ? refusal->status : 200;
}

int status_of_fields(const std::string& fields)
{
    return status_of_head("POST / HTTP/1.1\r\nHost: a\r\n" + fields);
}

TEST(ScanHead, EndsAtTheEmptyLine)
{
    const auto scanned = scan_head("GET / HTTP/1.1\r\nHost: a\r\n\r\nbody", 100);

    ASSERT_TRUE(std::holds_alternative<HeadEnd>(scanned));
    EXPECT_EQ(std::get<HeadEnd>(scanned).bytes, 27u);
}

TEST(ScanHead, WaitsForTheRest)
{
    EXPECT_TRUE(std::holds_alternative<NeedMore>(scan_head("GET / HTTP/1.1\r\nHost: a\r\n\r", 100))
    );
}

TEST(ScanHead, LineFeedAloneIsRefusedAtOnce)
{
    EXPECT_TRUE(std::holds_alternative<Refusal>(scan_head("GET / HTTP/1.1\nHost: a", 100)));
}

TEST(ScanHead, TooManyBytesAre431)
{
    const auto scanned = scan_head("GET / HTTP/1.1\r\nHost: aaaaaaaaaaaaaaa", 20);

    ASSERT_TRUE(std::holds_alternative<Refusal>(scanned));
    EXPECT_EQ(std::get<Refusal>(scanned).status, 431);
}

TEST(ReadHead, LengthAndChunkedAreUnderstood)
{
    const std::string_view head =
        "POST / HTTP/1.1\r\nHost: a\r\ncontent-length:  12 \r\nExpect: 100-continue\r\n\r\n";

    Request request;
    const Framing framing = std::get<Framing>(read_head(head, request));

    EXPECT_EQ(framing.content_length, 12u);
    EXPECT_FALSE(framing.chunked);
    EXPECT_TRUE(framing.expects_continue);
    EXPECT_EQ(status_of_fields("Transfer-Encoding: Chunked\r\n"), 200);
}

TEST(ReadHead, AnUnclearEndIsRefused)
{
    EXPECT_EQ(status_of_fields("Content-Length: 3\r\nContent-Length: 3\r\n"), 400);
    EXPECT_EQ(status_of_fields("Content-Length: 3, 3\r\n"), 400);
    EXPECT_EQ(status_of_fields("Content-Length: +3\r\n"), 400);
    EXPECT_EQ(status_of_fields("Content-Length:\r\n"), 400);
    EXPECT_EQ(status_of_fields("Content-Length: 99999999999999999999999\r\n"), 400);
    EXPECT_EQ(status_of_fields("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"), 400);
    EXPECT_EQ(
        status_of_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400
    );
    EXPECT_EQ(status_of_fields("Transfer-Encoding: chunked, identity\r\n"), 400);
    EXPECT_EQ(status_of_fields("Transfer-Encoding: chunked;a=b\r\n"), 400);
    EXPECT_EQ(status_of_fields("Transfer-Encoding: gzip, chunked\r\n"), 501);
    EXPECT_EQ(status_of_fields("Transfer-Encoding\x0b: chunked\r\n"), 400);
    EXPECT_EQ(status_of_fields("X: 1\r\n Transfer-Encoding: chunked\r\n"), 400);
    EXPECT_EQ(status_of_head("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n"), 400);
    EXPECT_EQ(status_of_fields("X: a\rContent-Length: 4\r\n"), 400);
}

TEST(ReadHead, HostIsGivenOnceAndIsAHost)
{
    EXPECT_EQ(status_of_head("GET / HTTP/1.1\r\n"), 400);
    EXPECT_EQ(status_of_head("GET / HTTP/1.0\r\n"), 200);
    EXPECT_EQ(status_of_head("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n"), 400);
    EXPECT_EQ(status_of_head("GET / HTTP/1.1\r\nHost: a b\r\n"), 400);
    EXPECT_EQ(status_of_head("GET / HTTP/1.1\r\nHost:\r\n"), 400);
    EXPECT_TRUE(is_host("example.com:8080"));
    EXPECT_TRUE(is_host("[::1]:8080"));
    EXPECT_FALSE(is_host("example.com:80a"));
    EXPECT_FALSE(is_host("user@example.com"));
    EXPECT_FALSE(is_host("a/b"));
}

TEST(ReadHead, FillsInTheRequest)
{
    Request request;
    const auto read =
        read_head("PUT http://h/a%20b?c=d?e HTTP/1.0\r\nX-a:  1 \r\nx-A:\r\n\r\n", request);

    ASSERT_TRUE(std::holds_alternative<Framing>(read));
    EXPECT_EQ(request.method, "PUT");
    EXPECT_EQ(request.path, "/a%20b");
    EXPECT_EQ(request.query, "c=d?e");
    EXPECT_EQ(request.version_minor, 0);
    EXPECT_EQ(request.headers, (std::vector<Header>{{"X-a", "1"}, {"x-A", ""}}));
}

TEST(ReadHead, TheConnectionStaysIfBothSidesCan)
{
    const auto stays = [](const std::string& head) {
        Request request;
        return std::get<Framing>(read_head(head + "\r\n", request)).keep_alive;
    };
    EXPECT_TRUE(stays("GET / HTTP/1.1\r\nHost: a\r\n"));
    EXPECT_FALSE(stays("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n"));
    EXPECT_FALSE(stays("GET / HTTP/1.0\r\n"));
    EXPECT_TRUE(stays("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n"));
    EXPECT_FALSE(stays("GET / HTTP/1.0\r\nConnection: keep-alive\r\nConnection: close\r\n"));
}

TEST(ReadHead, OfContentCodingsGzipIsUnderstood)
{
    const std::string body = "Content-Length: 3\r\n";
    EXPECT_EQ(status_of_fields(body + "Content-Encoding: gzip\r\n"), 200);
    EXPECT_EQ(status_of_fields(body + "Content-Encoding: X-GZIP\r\n"), 200);
    EXPECT_EQ(status_of_fields(body + "Content-Encoding: identity\r\n"), 200);
    EXPECT_EQ(status_of_fields(body + "Content-Encoding: br\r\n"), 415);
    EXPECT_EQ(status_of_fields(body + "Content-Encoding: gzip, gzip\r\n"), 415);
    EXPECT_EQ(status_of_fields(body + "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n"), 415);
    EXPECT_EQ(status_of_fields("Content-Encoding: br\r\n"), 200);
}

TEST(ReadHead, SizesVersionsAndExpectationsHaveTheirOwnStatus)
{
    EXPECT_EQ(status_of_fields("Content-Length: 1001\r\n"), 413);
    EXPECT_EQ(status_of_fields("Content-Length: 1000\r\n"), 200);
    EXPECT_EQ(status_of_fields("Expect: a miracle\r\n"), 417);
    EXPECT_EQ(status_of_head("GET / HTTP/1.0\r\nExpect: a miracle\r\n"), 200);
    EXPECT_EQ(status_of_head("GET / HTTP/2.0\r\nHost: a\r\n"), 505);
    EXPECT_EQ(status_of_head("GET / HTTP/1.1 \r\nHost: a\r\n"), 400);
    EXPECT_EQ(status_of_head("GET  / HTTP/1.1\r\nHost: a\r\n"), 400);
    EXPECT_EQ(status_of_head("GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n"), 400);
}

}  // namespace
}  // namespace umavez::http
