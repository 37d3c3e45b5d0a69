// A claim that the store answers only after its lease is over: nothing may run under it, and what
// was in doubt before is in doubt after.

#include "opened.hpp"
#include "temporary_directory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>

namespace umavez::crash {
namespace {

using namespace std::chrono_literals;

class LateClaimTest : public ::testing::Test {
protected:
    // Calls while the lane stands still: until the claim waits for it, and for longer than the
    // lease then. That may be too long for the closure that holds it, which is no matter.
    Answer call_with_slow_store(const Intent& intent)
    {
        std::promise<void> standing;
        const auto hold = [&](Transaction&) -> Result<void> {
            standing.set_value();
            static_cast<void>(test::is_met("the claim waits for the lane", [&] {
                return opened_.database().lane_stats().queue_length > 0;
            }));
            const Duration until = system_clock().boottime() + 2 * timing.lease;
            static_cast<void>(test::is_met("the lease is over", [&] {
                return system_clock().boottime() > until;
            }));
            return {};
        };
        auto stall =
            std::async(std::launch::async, [&] { return opened_.database().transact(hold); });
        test::wait_for("the lane stands", standing.get_future());
        Answer answer = opened_.call(intent);
        static_cast<void>(stall.get());
        return answer;
    }

    std::size_t effects() const
    {
        const auto lines = read_ledger(directory_.path() + "/ledger");
        return static_cast<std::size_t>(
            std::ranges::count(lines, std::string{"effect"}, &LedgerLine::event)
        );
    }

    static constexpr Timing timing{.lease = 300ms, .settle = 1ms};
    TemporaryDirectory directory_;
    Opened opened_{{directory_.path(), directory_.path()}, timing};
};

TEST_F(LateClaimTest, FreeKeyIsGivenBack)
{
    const Intent plain{Kind::payment, 0, 0};

    const Answer late = call_with_slow_store(plain);

    EXPECT_TRUE(late.note.starts_with("unavailable none")) << late.note;
    EXPECT_EQ(effects(), 0u);
    EXPECT_TRUE(opened_.call_until_last(plain).response);
    EXPECT_EQ(effects(), 1u);
}

TEST_F(LateClaimTest, DoubtSurvivesAndIsReconciledNotRunAgain)
{
    Intent breaks_after_effect{Kind::payment, 0, 4};
    Answer broken;
    // A disk that takes as long as the lease makes this claim late, too: then another key is tried.
    test::wait_until("the effect happens", [&] {
        ++breaks_after_effect.generation;
        broken = opened_.call(breaks_after_effect);
        return effects() > 0;
    });
    EXPECT_TRUE(broken.note.starts_with("exception")) << broken.note;
    ASSERT_EQ(effects(), 1u);

    const Answer late = call_with_slow_store(breaks_after_effect);

    EXPECT_TRUE(late.note.starts_with("in_progress")) << late.note;
    EXPECT_TRUE(opened_.call_until_last(breaks_after_effect).response);
    EXPECT_EQ(effects(), 1u);
}

}  // namespace
}  // namespace umavez::crash
