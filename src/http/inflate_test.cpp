#include "http/inflate.hpp"

#include "http/test_gzip.hpp"

#include <gtest/gtest.h>

namespace umavez::http {
namespace {

// The same bytes, one by one.
std::string plain_bytewise(std::string_view packed, std::size_t bytes_max)
{
    GzipInflater inflater{bytes_max};
    std::string plain;
    const auto append = [&plain](std::string_view piece) -> std::optional<Refusal> {
        plain += piece;
        return std::nullopt;
    };
    for (std::size_t at = 0; at < packed.size(); ++at) {
        if (const auto refusal = inflater.put(packed.substr(at, 1), append))
            return std::to_string(refusal->status);
    }
    if (const auto refusal = inflater.finish()) return std::to_string(refusal->status);
    return plain;
}

std::string plain_of(std::string_view packed, std::size_t bytes_max = 1'000'000)
{
    auto result = inflate_gzip(packed, bytes_max);
    auto* const refusal = std::get_if<Refusal>(&result);
    std::string said = refusal != nullptr ? std::to_string(refusal->status)
                                          : std::get<std::string>(std::move(result));
    EXPECT_EQ(plain_bytewise(packed, bytes_max), said);
    return said;
}

TEST(Inflate, UnpacksWhatWasPacked)
{
    const std::string long_text(300'000, 'a');

    EXPECT_EQ(plain_of(gzip("hello")), "hello");
    EXPECT_EQ(plain_of(gzip("")), "");
    EXPECT_EQ(plain_of(gzip(long_text)), long_text);
    EXPECT_EQ(plain_of(gzip("one ") + gzip("") + gzip("two")), "one two");
}

TEST(Inflate, TheLimitIsExact)
{
    const std::string plain(5000, 'b');

    EXPECT_EQ(plain_of(gzip(plain), 5000), plain);
    EXPECT_EQ(plain_of(gzip(plain), 4999), "413");
    EXPECT_EQ(plain_of(gzip(""), 0), "");
    EXPECT_EQ(plain_of(gzip("x"), 0), "413");
    EXPECT_EQ(plain_of(gzip(plain.substr(2500)) + gzip(plain.substr(2500)), 4999), "413");
}

TEST(Inflate, ABombStopsAtTheLimit)
{
    const std::string bomb = gzip(std::string(100'000'000, '\0'));
    ASSERT_LT(bomb.size(), 200'000u);

    EXPECT_EQ(plain_of(bomb), "413");
}

TEST(Inflate, WhatIsNotGzipIsRefused)
{
    const std::string packed = gzip("a body that is long enough to be cut in many places");

    for (std::size_t cut = 0; cut < packed.size(); ++cut) {
        EXPECT_EQ(plain_of(std::string_view{packed}.substr(0, cut)), "400") << cut;
    }
    EXPECT_EQ(plain_of(packed + "x"), "400");
    EXPECT_EQ(plain_of(packed + packed.substr(0, 9)), "400");
    EXPECT_EQ(plain_of("plain text"), "400");
    EXPECT_EQ(plain_of(gzip("zlib, not gzip", 15)), "400");
    std::string damaged = packed;
    damaged[damaged.size() - 6] ^= 1;  // the checksum
    EXPECT_EQ(plain_of(damaged), "400");
}

}  // namespace
}  // namespace umavez::http
