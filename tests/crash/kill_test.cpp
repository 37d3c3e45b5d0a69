// Kills on real files: a process that serves, SIGKILL, a restart on the same database, and an audit
// by independent means after every death and at the end.
//
// First at every named fault point by ordinal, then at random moments. Each case has a directory of
// its own.

#include "audit.hpp"
#include "child_process.hpp"
#include "scale.hpp"
#include "support/wait.hpp"
#include "temporary_directory.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <iostream>
#include <random>

namespace umavez::crash {
namespace {

using namespace std::chrono_literals;

// Leases are short, so that their end comes soon. On a machine so busy that a claim takes as long
// as that, nobody gets on: then the same is tried with long ones.
constexpr std::array leases = {Duration{200ms}, Duration{4s}};
const Duration patience = is_torture() ? Duration{10min} : Duration{test::wait_limit()};

// One database, its deaths and what was acknowledged in between.
class CrashTest : public ::testing::Test {
protected:
    void die_at(const KillAt& kill)
    {
        for (const Duration lease : leases) {
            arrivals_.killed_at = 0;
            ChildProcess child{{.directory = directory_.path(), .lease = lease, .kill = kill}};
            const Death death = child.watch(patience);
            const bool is_reached = death.signal == SIGKILL;
            if (!is_reached) expect_merely_late(death, child);
            child.kill();
            expect_in_order(child, Moment::after_death, to_text(kill));
            if (!is_reached) continue;
            EXPECT_EQ(arrivals_.killed_at.load(), 1 + static_cast<std::uint64_t>(kill.point));
            return;
        }
        FAIL() << test::not_met(to_text(kill) + " is reached");
    }

    void die_after(Duration delay)
    {
        ChildProcess child{{.directory = directory_.path()}};
        EXPECT_FALSE(child.watch(delay).is_over) << last_lines(child);
        child.kill();
        expect_in_order(child, Moment::after_death, fmt::format("after {} us", delay.count()));
    }

    // Stopped beyond every lease, then let go, then killed.
    void stop_and_die(Duration delay, Duration pause)
    {
        ChildProcess child{{.directory = directory_.path()}};
        EXPECT_FALSE(child.watch(delay).is_over) << last_lines(child);
        child.send(SIGSTOP);
        child.watch(pause);
        child.send(SIGCONT);
        EXPECT_FALSE(child.watch(delay).is_over) << last_lines(child);
        child.kill();
        expect_in_order(child, Moment::after_death, "stopped");
    }

    void finish()
    {
        for (const Duration lease : leases) {
            ChildProcess child{
                {.directory = directory_.path(), .errand = Errand::finish, .lease = lease}
            };
            const Death death = child.watch(2 * patience);
            child.kill();
            const bool is_done = death.is_over && death.signal == 0 && death.exit_code == 0;
            const bool is_last = lease == leases.back();
            const Moment moment = is_done || is_last ? Moment::at_the_end : Moment::after_death;
            expect_in_order(child, moment, "at the end");
            if (is_done) return;
            expect_merely_late(death, child);
            EXPECT_FALSE(is_last) << test::not_met("the last answer to everything") << "\n"
                                  << last_lines(child);
        }
    }

    std::uint64_t reached(std::size_t point) const { return arrivals_.counts[point].load(); }
    std::size_t reached_count() const
    {
        return static_cast<std::size_t>(std::ranges::count_if(
            arrivals_.counts, [](const auto& count) { return count.load() > 0; }
        ));
    }

    TemporaryDirectory directory_;
    Auditor auditor_{directory_.path()};
    Arrivals& arrivals_ = map_arrivals(directory_.path() + "/arrivals");
    std::size_t deaths_ = 0;

private:
    void expect_in_order(const ChildProcess& child, Moment moment, const std::string& when)
    {
        if (moment == Moment::after_death) ++deaths_;
        auditor_.hear(child.lines());
        const auto complaints = auditor_.judge(moment);
        EXPECT_TRUE(complaints.empty()) << when << ":\n" << to_text(complaints);
    }

    static void expect_merely_late(const Death& death, const ChildProcess& child)
    {
        const bool is_late =
            !death.is_over || (death.signal == 0 && death.exit_code == exit_code_late);
        EXPECT_TRUE(is_late) << "signal " << death.signal << ", exit code " << death.exit_code
                             << "\n"
                             << last_lines(child);
    }

    static std::string last_lines(const ChildProcess& child)
    {
        const auto& lines = child.lines();
        const auto count = std::min<std::ptrdiff_t>(5, std::ssize(lines));
        return to_text(std::vector(lines.end() - count, lines.end()));
    }
};

TEST_F(CrashTest, WorkloadReachesEveryFaultPoint)
{
    for (const Duration lease : leases) {
        ChildProcess child{{.directory = directory_.path(), .lease = lease}};
        child.watch(patience, [this] { return reached_count() == fault_points_count; });
        child.kill();
        auditor_.hear(child.lines());
        if (reached_count() == fault_points_count) break;
    }
    EXPECT_EQ(reached_count(), fault_points_count) << test::not_met("every point is reached");

    for (std::size_t i = 0; i < fault_points_count; ++i) {
        const auto point = static_cast<FaultPoint>(i);
        std::cout << fmt::format("{:>8} arrivals at {}\n", reached(i), umavez::to_text(point));
        EXPECT_GT(reached(i), 0u) << umavez::to_text(point);
    }
    std::cout << fmt::format(
        "{} of {} fault points reached\n", reached_count(), fault_points_count
    );
    EXPECT_GT(auditor_.acknowledged_count(), 0u);
    finish();
}

class FaultPointTest : public CrashTest, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(FaultPointTest, KilledThereAndRestartedKeepsEveryPromise)
{
    const auto point = static_cast<FaultPoint>(GetParam());
    const std::uint64_t last = is_torture() ? 20 : is_sanitized ? 1 : 5;

    // 1, 2, 5; in torture all of them.
    for (std::uint64_t arrival = 1; arrival <= last;
         arrival += is_torture() ? 1 : arrival * 2 - 1) {
        ASSERT_NO_FATAL_FAILURE(die_at({point, arrival}));
    }
    finish();

    std::cout << fmt::format(
        "{} kills, {} keys acknowledged\n", deaths_, auditor_.acknowledged_count()
    );
}

INSTANTIATE_TEST_SUITE_P(
    Every,
    FaultPointTest,
    ::testing::Range(std::size_t{0}, fault_points_count),
    [](const auto& each) {
        return std::string{umavez::to_text(static_cast<FaultPoint>(each.param))};
    }
);

class RandomKillTest : public CrashTest, public ::testing::WithParamInterface<unsigned> {
protected:
    void die_somehow(std::mt19937_64& dice)
    {
        const auto draw = [&dice](std::uint64_t bound) { return dice() % bound; };
        const Duration delay{draw(400'000)};
        switch (draw(4)) {
            case 0: return die_at({static_cast<FaultPoint>(draw(fault_points_count)), 1 + draw(9)});
            case 1: return stop_and_die(delay / 2, 300ms);
            default: return die_after(delay);
        }
    }
};

TEST_P(RandomKillTest, DeathsAtAnyMomentKeepEveryPromise)
{
    const std::uint64_t seed = seed_of_run() + GetParam();
    std::cout << fmt::format("seed: UMAVEZ_SEED={} for chain {}\n", seed - GetParam(), GetParam());
    std::mt19937_64 dice{seed};
    const int deaths = is_torture() ? 500 : is_sanitized ? 3 : 10;

    for (int i = 0; i < deaths && !HasFailure(); ++i) die_somehow(dice);
    finish();

    std::cout << fmt::format(
        "{} kills, {} keys acknowledged\n", deaths_, auditor_.acknowledged_count()
    );
}

INSTANTIATE_TEST_SUITE_P(Chain, RandomKillTest, ::testing::Range(0u, 4u));

}  // namespace
}  // namespace umavez::crash
