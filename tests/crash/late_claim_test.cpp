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

constexpr auto wait_limit = 20s;

class LateClaimTest : public ::testing::Test {
protected:
    // Calls while the lane stands still for longer than the lease.
    Answer call_with_slow_store(const Intent& intent)
    {
        std::promise<void> standing;
        auto stall = std::async(std::launch::async, [&] {
            return opened_.database().transact([&](Transaction&) -> Result<void> {
                standing.set_value();
                std::promise<void> never;
                never.get_future().wait_for(2 * timing.lease);
                return {};
            });
        });
        EXPECT_EQ(standing.get_future().wait_for(wait_limit), std::future_status::ready);
        Answer answer = opened_.call(intent);
        EXPECT_TRUE(stall.get());
        return answer;
    }

    std::size_t effects() const
    {
        const auto lines = read_ledger(directory_.path() + "/ledger");
        return static_cast<std::size_t>(
            std::ranges::count(lines, std::string{"effect"}, &LedgerLine::event)
        );
    }

    static constexpr Timing timing{.lease = 100ms, .settle = 1ms};
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
    Answer broken = opened_.call(breaks_after_effect);
    // A disk that takes as long as the lease makes this claim late, too: then another key is tried.
    while (effects() == 0 && ++breaks_after_effect.generation < 50) {
        broken = opened_.call(breaks_after_effect);
    }
    EXPECT_TRUE(broken.note.starts_with("exception")) << broken.note;
    ASSERT_EQ(effects(), 1u);

    const Answer late = call_with_slow_store(breaks_after_effect);

    EXPECT_TRUE(late.note.starts_with("in_progress")) << late.note;
    EXPECT_TRUE(opened_.call_until_last(breaks_after_effect).response);
    EXPECT_EQ(effects(), 1u);
}

}  // namespace
}  // namespace umavez::crash
