// A stop that takes too long is left behind, and may end whenever it does.

#include "app/mailings.hpp"
#include "support/wait.hpp"

#include <gtest/gtest.h>

#include <future>
#include <memory>

namespace umavez {
namespace {

using namespace std::chrono_literals;

TEST(StopsWithin, WhatComesToItsEnd)
{
    bool is_stopped = false;
    EXPECT_TRUE(stops_within(test::wait_limit(), [&] { is_stopped = true; }));
    EXPECT_TRUE(is_stopped);
}

TEST(StopsWithin, WhatIsLeftBehindOutlivesTheCall)
{
    struct Gate {
        std::promise<void> open;
        std::promise<void> passed;
    };
    const auto gate = std::make_shared<Gate>();
    EXPECT_FALSE(stops_within(1ms, [gate] {
        gate->open.get_future().wait();
        gate->passed.set_value();
    }));

    gate->open.set_value();

    test::wait_for("what was left behind ends", gate->passed.get_future());
}

}  // namespace
}  // namespace umavez
