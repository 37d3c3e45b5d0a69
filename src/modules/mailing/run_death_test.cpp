// Processes that die, sleep and lose answers. The sink counts, not we.

#include "modules/mailing/recover.hpp"
#include "modules/mailing/test_process.hpp"

namespace umavez::mailing {
namespace {

using mail::Verdict;

TEST_F(RunTest, ADeathAtAnyPoint)
{
    for (const Incerteza incerteza : {Incerteza::no_maximo_uma, Incerteza::ao_menos_uma}) {
        bool died = true;
        for (int point = 1; died; ++point) {
            SCOPED_TRACE(std::string{to_text(incerteza)} + " point " + std::to_string(point));
            ASSERT_LT(point, 100);
            constexpr int entries = 7;
            const std::string uuid = add_mailing({.incerteza = incerteza, .entries = entries});
            Sink sink{[](const std::string& to, int time) -> mail::Delivered {
                if (to == address(2) && time == 1) return {.verdict = Verdict::put_off};
                return {.verdict = Verdict::accepted};
            }};
            TestProcess mortal{*database, clock, sink, point};
            static_cast<void>(mortal.receive(uuid));
            died = mortal.life.is_dead();
            clock.advance(31s);
            work_to_the_end(uuid, sink);

            EXPECT_EQ(status_of(uuid), "COMPLETED");
            expect_exact_counts(uuid);
            int uncertain = 0;
            for (int i = 0; i < entries; ++i) {
                const std::string status = entry(uuid, i, "status");
                const bool is_uncertain = !entry(uuid, i, "uncertain_at").empty();
                uncertain += is_uncertain ? 1 : 0;
                const int taken = sink.taken(address(i));
                if (!is_uncertain) {
                    EXPECT_EQ(taken, 1) << i;
                    EXPECT_EQ(status, "SENT") << i;
                } else if (incerteza == Incerteza::no_maximo_uma) {
                    EXPECT_LE(taken, 1) << i;
                    EXPECT_EQ(status, "UNKNOWN") << i;
                } else {
                    EXPECT_GE(taken, 1) << i;
                    EXPECT_LE(taken, 2) << i;
                    EXPECT_EQ(status, "SENT") << i;
                }
            }
            EXPECT_LE(uncertain, 4);  // a batch
            if (!died) {
                EXPECT_EQ(uncertain, 0);
            }
        }
    }
}

TEST_F(RunTest, AnswersAreLostAtAnyCommit)
{
    for (const Fate fate : {Fate::lost_before, Fate::lost_after, Fate::unavailable}) {
        for (int call = 1; call <= 6; ++call) {
            SCOPED_TRACE("fate " + std::to_string(int(fate)) + " call " + std::to_string(call));
            const std::string uuid = add_mailing({.entries = 9});
            Sink sink;
            TestProcess process{*database, clock, sink, 0, [&](int number) {
                                    return number == call ? fate : Fate::answered;
                                }};
            const auto disposal = process.receive(uuid);
            if (call > 1 || fate != Fate::unavailable) {
                EXPECT_TRUE(is_settled(disposal));  // an unanswered COMMIT is no lost lock
                EXPECT_FALSE(std::get<MailingEnded>(process.events.back()).was_lost);
            } else {
                work_to_the_end(uuid, sink);
            }
            expect_each_once(uuid, sink, 9);
        }
    }
}

TEST_F(RunTest, AProcessThatSleptPastItsLockHandsOverNothingMore)
{
    const std::string uuid = add_mailing({.entries = 8});
    bool sleeps = true;
    std::function<void()> meanwhile;
    Sink sink{[&](const std::string& to, int) -> mail::Delivered {
        if (to == address(1) && std::exchange(sleeps, false)) meanwhile();
        return {.verdict = Verdict::accepted};
    }};
    std::string after_the_other;
    meanwhile = [&] {
        clock.advance(60s);
        work_to_the_end(uuid, sink);
        EXPECT_EQ(status_of(uuid), "COMPLETED");
        after_the_other = ask_mailing("updated_at", uuid);
    };
    TestProcess sleeper{*database, clock, sink};
    EXPECT_EQ(held_back(sleeper.receive(uuid)), 30s);
    EXPECT_TRUE(std::get<MailingEnded>(sleeper.events.back()).was_lost);
    for (int i = 0; i < 8; ++i) EXPECT_LE(sink.taken(address(i)), 1) << i;
    EXPECT_EQ(count_entries(uuid, "status = 'UNKNOWN' AND uncertain_at IS NOT NULL"), "4");
    EXPECT_EQ(ask_mailing("updated_at", uuid), after_the_other);
    EXPECT_EQ(ask_mailing("sent", uuid), "4");
    expect_exact_counts(uuid);
}

TEST_F(RunTest, AProcessThatSleptAndStillHoldsItsLockGoesOn)
{
    const std::string uuid = add_mailing({.entries = 8});
    bool sleeps = true;
    Sink sink{[&](const std::string& to, int) -> mail::Delivered {
        if (to == address(1) && std::exchange(sleeps, false)) clock.advance(60s);
        return {.verdict = Verdict::accepted};
    }};
    TestProcess sleeper{*database, clock, sink};
    EXPECT_TRUE(is_settled(sleeper.receive(uuid)));
    expect_each_once(uuid, sink, 8);
}

TEST_F(RunTest, Cenario3MensagemDuplicada)
{
    const std::string uuid = add_mailing({.entries = 4});
    Sink unused;
    TestProcess second{*database, clock, unused};
    std::optional<Duration> delay;
    Sink sink{[&](const std::string& to, int) -> mail::Delivered {
        if (to == address(1)) delay = held_back(second.receive(uuid));
        return {.verdict = Verdict::accepted};
    }};
    TestProcess first{*database, clock, sink};
    EXPECT_TRUE(is_settled(first.receive(uuid)));
    EXPECT_EQ(delay, 30s);
    EXPECT_EQ(unused.all_taken(), 0);
    EXPECT_TRUE(is_settled(second.receive(uuid)));  // it comes again, and there is nothing to do
    expect_each_once(uuid, sink, 4);
}

TEST_F(RunTest, Cenario4CrashDuranteProcessamento)
{
    const std::string uuid = add_mailing({.entries = 8});
    Sink sink;
    // Lock, mark, four hand-overs: each passes two points. Dies when half of it is written down.
    TestProcess first{*database, clock, sink, 2 + 2 + 8 + 2};
    static_cast<void>(first.receive(uuid));
    EXPECT_TRUE(first.life.is_dead());
    EXPECT_EQ(status_of(uuid), "PROCESSING");
    EXPECT_EQ(sink.all_taken(), 4);

    clock.advance(5min);
    const auto recovered = transact<Recovered>([](Transaction& transaction) {
        return recover(transaction, 30s, 15min, 10);
    });
    ASSERT_TRUE(recovered);
    EXPECT_EQ(status_of(uuid), "PENDING");
    EXPECT_EQ(wake_ups(uuid), "1");

    work_to_the_end(uuid, sink);
    EXPECT_EQ(status_of(uuid), "COMPLETED");
    for (int i = 0; i < 4; ++i) EXPECT_EQ(sink.taken(address(i)), 1) << i;
    // The second half was marked and never handed over, but nobody can know.
    EXPECT_EQ(count_entries(uuid, "status = 'UNKNOWN'"), "4");
    expect_exact_counts(uuid);
}

}  // namespace
}  // namespace umavez::mailing
