#include "key_protocol/replay_headers.hpp"

#include <gtest/gtest.h>

namespace umavez::key_protocol {
namespace {

std::vector<std::string> names_of(const std::vector<Header>& headers)
{
    std::vector<std::string> names;
    for (const Header& header : headers) names.push_back(header.name);
    return names;
}

using Names = std::vector<std::string>;

TEST(ReplayHeaders, TheListIsKeptByteForByteAndInOrder)
{
    const std::vector<Header> headers{
        {"content-TYPE", "application/json"},
        {"Content-Language", "pt-BR"},
        {"Content-Location", "/a"},
        {"Location", "/a,b"},
        {"ETag", "\"1\""},
        {"Last-Modified", "x"},
        {"Link", "<a>"},
        {"Link", "<b>, <c>"},
    };

    EXPECT_EQ(replayable_headers(headers), headers);
}

TEST(ReplayHeaders, WhatBelongsToOneExchangeIsNeverReplayed)
{
    for (const char* const name :
         {"Set-Cookie",
          "Date",
          "Age",
          "Connection",
          "Transfer-Encoding",
          "Trailer",
          "WWW-Authenticate",
          "Server-Timing",
          "traceparent",
          "RateLimit-Remaining",
          "Retry-After",
          "X-Request-Id",
          "Idempotent-Replayed",
          "Content-Length",
          "Content-Encoding",
          "Cache-Control",
          "Locations"}) {
        EXPECT_FALSE(is_replayable(name)) << name;
        EXPECT_TRUE(replayable_headers({{name, "x"}}).empty()) << name;
    }
}

TEST(ReplayHeaders, WhatConnectionNamesIsNotKept)
{
    const std::vector<Header> headers{
        {"Location", "/a"},
        {"ETag", "\"1\""},
        {"Connection", "close, etag"},
        {"X-Private", "1"},
        {"connection", "x-private"},
    };

    const SplitResponse split = split_for_record({201, headers, "body", {}});

    EXPECT_EQ(names_of(split.kept.headers), Names{"Location"});
    EXPECT_TRUE(split.passing.empty());
}

TEST(ReplayHeaders, TheFirstCallerGetsTheRestAsWell)
{
    const Response response{
        .status = 201,
        .headers =
            {{"Set-Cookie", "a=1"}, {"Location", "/a"}, {"Retry-After", "3"}, {"Set-Cookie", "b=2"}
            },
        .body = "body",
        .entity = Entity{"cliente", "1"},
    };

    const SplitResponse split = split_for_record(response);

    EXPECT_EQ(split.kept.status, 201);
    EXPECT_EQ(split.kept.body, "body");
    EXPECT_EQ(split.kept.entity, response.entity);
    EXPECT_EQ(names_of(split.kept.headers), Names{"Location"});
    EXPECT_EQ(names_of(split.passing), (Names{"Set-Cookie", "Retry-After", "Set-Cookie"}));
}

TEST(ReplayHeaders, TheProtocolsOwnHeadersAreTakenFromNobody)
{
    const SplitResponse split = split_for_record(
        {200,
         {{"idempotent-replayed", "true"},
          {"Idempotency-Guarantee", "atomic"},
          {"Idempotency-Key-Expires", "x"},
          {"Preference-Applied", "wait=1"},
          {"Transfer-Encoding", "chunked"},
          {"Content-Length", "7"},
          {"Date", "x"},
          {"Upgrade", "x"}},
         "",
         {}}
    );

    EXPECT_TRUE(split.kept.headers.empty());
    EXPECT_TRUE(split.passing.empty());
}

TEST(ReplayHeaders, HostileNamesAndValuesAreRefused)
{
    const std::vector<Header> hostile{
        {"Location", "/a\r\nSet-Cookie: a=1"},
        {"Location", "/a\n"},
        {"ETag", std::string{"a\0b", 3}},
        {"Link", "\x7f"},
        {"X-A\r\nB", "1"},
        {"X A", "1"},
        {"X:A", "1"},
        {"", "1"},
    };

    EXPECT_TRUE(replayable_headers(hostile).empty());
    const SplitResponse split = split_for_record({200, hostile, "", {}});
    EXPECT_TRUE(split.kept.headers.empty());
    EXPECT_TRUE(split.passing.empty());
    EXPECT_EQ(replayable_headers({{"Location", "/\xc3\xa9\t"}}).size(), 1u);
}

}  // namespace
}  // namespace umavez::key_protocol
