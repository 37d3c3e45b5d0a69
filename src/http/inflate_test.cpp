#include "http/inflate.hpp"

#include <gtest/gtest.h>

#include <zlib.h>

namespace umavez::http {
namespace {

std::string gzip(std::string_view plain, int window = 15 + 16)
{
    z_stream stream{};
    deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, plain.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(packed.size() - stream.avail_out);
    deflateEnd(&stream);
    return packed;
}

std::string plain_of(std::string_view packed, std::size_t bytes_max = 1'000'000)
{
    auto result = inflate_gzip(packed, bytes_max);
    if (auto* const refusal = std::get_if<Refusal>(&result)) return std::to_string(refusal->status);
    return std::get<std::string>(std::move(result));
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
