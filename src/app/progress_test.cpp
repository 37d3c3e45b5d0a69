#include "app/progress.hpp"

#include <gtest/gtest.h>

namespace umavez {
namespace {

TEST(Progress, ALineTellsHowFarHowFastAndHowLong)
{
    const ProgressState half{
        .what = "reading", .bytes = 1024 * 1024, .bytes_total = 2 * 1024 * 1024, .lines = 1200
    };

    EXPECT_EQ(
        to_progress_line(half, std::chrono::seconds{2}, 10),
        "reading [#####-----]  50%  1.0 MiB of 2.0 MiB  1200 lines, 600/s, 2 s left"
    );
}

TEST(Progress, WhatIsNotKnownIsLeftOut)
{
    EXPECT_EQ(
        to_progress_line({.what = "reading", .bytes = 10}, std::chrono::seconds{1}, 10),
        "reading  10 B"
    );
    EXPECT_EQ(
        to_progress_line(
            {.what = "reading", .bytes = 10, .bytes_total = 10}, std::chrono::seconds{1}, 4
        ),
        "reading [####] 100%  10 B of 10 B"
    );
    EXPECT_EQ(
        to_progress_line(
            {.what = "reading", .bytes = 0, .bytes_total = 10}, std::chrono::seconds{1}, 4
        ),
        "reading [----]   0%  0 B of 10 B"
    );
}

TEST(Progress, SizesHaveTheUnitThatFits)
{
    EXPECT_EQ(to_size(0), "0 B");
    EXPECT_EQ(to_size(1023), "1023 B");
    EXPECT_EQ(to_size(1536), "1.5 KiB");
    EXPECT_EQ(to_size(3LL * 1024 * 1024 * 1024), "3.0 GiB");
}

}  // namespace
}  // namespace umavez
