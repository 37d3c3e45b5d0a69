#include "store/redis/redis_url.hpp"

#include <gtest/gtest.h>

namespace umavez {
namespace {

using namespace std::chrono_literals;

TEST(RedisUrl, NamesHostPortUserAndDatabase)
{
    const auto url = parse_redis_url("redis://ana:p%40ss%3a%2F%25@cache.example:7000/3");

    ASSERT_TRUE(url) << url.error().detail;
    EXPECT_EQ(url->host, "cache.example");
    EXPECT_EQ(url->port, 7000);
    EXPECT_EQ(url->user, "ana");
    EXPECT_EQ(url->password, "p@ss:/%");
    EXPECT_EQ(url->database, 3u);
    EXPECT_EQ(url->place(), "Redis at cache.example:7000");
}

TEST(RedisUrl, HasDefaults)
{
    const auto url = parse_redis_url("redis://localhost");

    ASSERT_TRUE(url) << url.error().detail;
    EXPECT_EQ(url->port, 6379);
    EXPECT_EQ(url->database, 0u);
    EXPECT_EQ(url->user, "");
    EXPECT_EQ(url->prefix, "umavez");
    EXPECT_EQ(url->connect_timeout, 1s);
    EXPECT_EQ(url->answer_timeout, 2s);
    EXPECT_EQ(url->on_emptied, OnEmptied::resume);
}

TEST(RedisUrl, TakesAPasswordWithoutAUserAndAnIpv6Address)
{
    const auto url = parse_redis_url("redis://:secret@[::1]:6380/");

    ASSERT_TRUE(url) << url.error().detail;
    EXPECT_EQ(url->user, "");
    EXPECT_EQ(url->password, "secret");
    EXPECT_EQ(url->host, "::1");
    EXPECT_EQ(url->place(), "Redis at [::1]:6380");
}

TEST(RedisUrl, TakesOptions)
{
    const auto url = parse_redis_url(
        "redis://"
        "h?prefix=shop:a&connections=4&connect_timeout=250ms&answer_timeout=3s&on_emptied=refuse"
    );

    ASSERT_TRUE(url) << url.error().detail;
    EXPECT_EQ(url->prefix, "shop:a");
    EXPECT_EQ(url->connections, 4u);
    EXPECT_EQ(url->connect_timeout, 250ms);
    EXPECT_EQ(url->answer_timeout, 3s);
    EXPECT_EQ(url->on_emptied, OnEmptied::refuse);
}

TEST(RedisUrl, TakesAUnixSocket)
{
    const auto url =
        parse_redis_url("redis+unix:/run/redis.sock?database=2&user=ana&password=x%26y");

    ASSERT_TRUE(url) << url.error().detail;
    EXPECT_EQ(url->socket_path, "/run/redis.sock");
    EXPECT_EQ(url->database, 2u);
    EXPECT_EQ(url->user, "ana");
    EXPECT_EQ(url->password, "x&y");
    EXPECT_EQ(url->place(), "Redis at /run/redis.sock");
}

TEST(RedisUrl, RefusesWhatItCannotReadAndNeverShowsTheSecret)
{
    for (const char* const url :
         {"",
          "redis:",
          "redis:host",
          "http://hunter2@h",
          "redis://",
          "redis://:hunter2@",
          "redis://h:0",
          "redis://h:65536",
          "redis://h:x",
          "redis://h/x",
          "redis://hunter2@h",
          "redis://u:hunter2%zz@h",
          "redis://u:hunter2%4@h",
          "redis://u:hunter2@[::1",
          "redis://u:hunter2@[::1]x",
          "redis+unix:",
          "redis://u:hunter2@h?prefix=",
          "redis://u:hunter2@h?prefix=a%20b",
          "redis://u:hunter2@h?prefix=*",
          "redis://u:hunter2@h?connections=0",
          "redis://u:hunter2@h?connect_timeout=5",
          "redis://u:hunter2@h?answer_timeout=0s",
          "redis://u:hunter2@h?on_emptied=ignore",
          "redis://u:hunter2@h?password=hunter2",
          "redis://u:hunter2@h?x",
          "rediss://u:hunter2@h"}) {
        const auto parsed = parse_redis_url(url);

        ASSERT_FALSE(parsed) << url;
        EXPECT_EQ(parsed.error().code, Errc::misconfigured) << url;
        EXPECT_EQ(parsed.error().detail.find("hunter2"), std::string::npos)
            << parsed.error().detail;
    }
}

TEST(RedisUrl, TlsIsRefusedWithACure)
{
    EXPECT_NE(parse_redis_url("rediss://h").error().detail.find("stunnel"), std::string::npos);
}

}  // namespace
}  // namespace umavez
