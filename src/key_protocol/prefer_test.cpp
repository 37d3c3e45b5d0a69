#include "key_protocol/prefer.hpp"

#include <gtest/gtest.h>

namespace umavez::key_protocol {
namespace {

using namespace std::chrono_literals;

// "wait=5", or "" where nothing is applied.
std::string applied(std::vector<std::string> lines, Duration wait_max = 30s)
{
    std::vector<Header> headers;
    for (std::string& line : lines) headers.push_back({"PREFER", std::move(line)});
    const std::optional<Wait> wait = read_wait(headers, wait_max);
    return wait ? to_preference(*wait) : "";
}

TEST(Prefer, WaitIsReadInEverySpelling)
{
    for (const char* const line :
         {"wait=5",
          "Wait=5",
          "wait = 5",
          "wait=\"5\"",
          "wait=005",
          "wait=5; x=y",
          "respond-async, wait=5",
          "return=minimal;foo=\"a,b\", wait=5"}) {
        EXPECT_EQ(applied({line}), "wait=5") << line;
    }
    EXPECT_EQ(applied({"respond-async", "handling=lenient, wait=5"}), "wait=5");
}

TEST(Prefer, WaitIsCappedInWholeSeconds)
{
    EXPECT_EQ(applied({"wait=30"}), "wait=30");
    EXPECT_EQ(applied({"wait=31"}), "wait=30");
    EXPECT_EQ(applied({"wait=99999999999999999999999"}), "wait=30");
    EXPECT_EQ(applied({"wait=5"}, 2500ms), "wait=2");
    EXPECT_EQ(applied({"wait=5"}, 0s), "");
    EXPECT_EQ(applied({"wait=0"}), "wait=0");
}

TEST(Prefer, JunkIsIgnored)
{
    for (const char* const line :
         {"",
          "wait",
          "wait=",
          "wait=x",
          "wait=-1",
          "wait=1.5",
          "wait=+1",
          "waits=5",
          "wait=5 s",
          "wait=\"5",
          "x=\"wait=5\"",
          ",,;;,",
          "=5",
          "wait=\"\""}) {
        EXPECT_EQ(applied({line}), "") << line;
    }
}

TEST(Prefer, OfTwoWaitsTheFirstCounts)
{
    EXPECT_EQ(applied({"wait=5, wait=9"}), "wait=5");
    EXPECT_EQ(applied({"wait=7", "wait=9"}), "wait=7");
    EXPECT_EQ(applied({"wait=x, wait=9"}), "");
}

}  // namespace
}  // namespace umavez::key_protocol
