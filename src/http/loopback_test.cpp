#include "http/loopback.hpp"

#include <gtest/gtest.h>

namespace umavez::http {
namespace {

TEST(Loopback, ItsNames)
{
    for (const char* const name :
         {"localhost",
          "LOCALHOST:8080",
          "127.0.0.1",
          "127.0.0.1:80",
          "127.8.8.8",
          "[::1]",
          "[::1]:1"}) {
        EXPECT_TRUE(is_loopback_authority(name)) << name;
    }
    for (const char* const name :
         {"",
          "evil.example",
          "localhost.evil.example",
          "127.0.0.1.evil.example",
          "127.evil",
          "[::2]",
          "10.0.0.1",
          "evil.example:127",
          "::1"}) {
        EXPECT_FALSE(is_loopback_authority(name)) << name;
    }
}

TEST(Loopback, APageOfAnotherSiteIsAStranger)
{
    EXPECT_TRUE(speaks_to_loopback({{"Host", "localhost:8080"}}));
    EXPECT_TRUE(speaks_to_loopback({{"Host", "localhost"}, {"Origin", "http://127.0.0.1:8080"}}));
    EXPECT_FALSE(speaks_to_loopback({{"Host", "evil.example"}}));
    EXPECT_FALSE(speaks_to_loopback({{"Host", "localhost"}, {"Origin", "http://evil.example"}}));
    EXPECT_FALSE(speaks_to_loopback({{"Host", "localhost"}, {"Origin", "null"}}));
}

}  // namespace
}  // namespace umavez::http
