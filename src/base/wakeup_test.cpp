#include "base/wakeup.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace umavez {
namespace {

using namespace std::chrono_literals;

TEST(Wakeup, ALimitThatIsOverWaitsForNothing)
{
    const Wakeup wakeup;
    wakeup.wait({}, -5ms);  // for ever, if poll() were given it
    wakeup.wait({}, Duration::min());
    wakeup.wait({}, 0ms);
}

TEST(Wakeup, AWakeBetweenTwoWaitsEndsTheNextOne)
{
    const Wakeup wakeup;
    wakeup.wake();
    wakeup.wait({}, Duration::max());
}

TEST(Wakeup, AnotherThreadEndsTheLongestWait)
{
    const Wakeup wakeup;
    const std::jthread waker{[&] { wakeup.wake(); }};
    wakeup.wait({-1}, 24h * 365);
}

}  // namespace
}  // namespace umavez
