// The rules of sending, called by hand: no database, no mail server, no clock.

#include "modules/mailing/sending.hpp"

#include <gtest/gtest.h>

namespace umavez::mailing {
namespace {

using namespace std::chrono_literals;
using mail::Verdict;

class Halves final : public Random {
public:
    std::uint64_t next() override { return std::uint64_t{1} << 63 | std::uint64_t{1} << 52; }
};

class SendingTest : public ::testing::Test {
protected:
    // The next step, which is a T.
    template <typename T>
    T next()
    {
        const SendingStep step = sending.next(now, alive_at);
        EXPECT_TRUE(std::holds_alternative<T>(step)) << "step " << step.index();
        return std::holds_alternative<T>(step) ? std::get<T>(step) : T{};
    }
    void mark(std::initializer_list<std::int64_t> ids)
    {
        Marked marked;
        for (const std::int64_t id : ids) marked.entries.push_back({.id = id});
        sending.on_marked(marked, now);
    }
    void hand_over(Verdict verdict)
    {
        next<HandOver>();
        sending.on_delivered({.verdict = verdict, .detail = "detail"});
    }
    static std::unexpected<Error> broken(Errc code) { return umavez::fail(code, "broken"); }

    SendingRules rules{.batch = 3};
    Rate rate{0};
    Halves random;
    Duration now = 1000s;
    std::optional<Duration> alive_at = 1000s;
    Sending sending{rules, Incerteza::no_maximo_uma, rate, random};
};

TEST_F(SendingTest, ABatchIsMarkedHandedOverAndWrittenWithTheNextMark)
{
    EXPECT_TRUE(next<Mark>().step.results.empty());
    mark({1, 2});
    EXPECT_EQ(next<HandOver>().entry.id, 1);
    hand_over(Verdict::accepted);
    EXPECT_EQ(next<HandOver>().entry.id, 2);
    hand_over(Verdict::refused);
    const Mark second = next<Mark>();
    ASSERT_EQ(second.step.results.size(), 2U);
    EXPECT_EQ(second.step.results[0].status, EntryStatus::sent);
    EXPECT_EQ(second.step.results[1].status, EntryStatus::failed);
    EXPECT_EQ(second.step.batch, 3U);
    EXPECT_FALSE(second.step.collects);
    mark({});
    next<Finish>();
    sending.on_finished({}, now);
    EXPECT_EQ(next<Over>().end, SendingEnd::completed);
}

TEST_F(SendingTest, NothingIsHandedOverWhenTheLastSignOfLifeIsOld)
{
    next<Mark>();
    mark({1, 2});
    hand_over(Verdict::accepted);
    now += 900ms;
    alive_at = now - 24'999ms;
    next<HandOver>();
    alive_at = now - 25s;  // 30 s less a sixth
    const Mark again = next<Mark>();
    EXPECT_TRUE(again.step.collects);
    EXPECT_EQ(again.step.results.size(), 1U);
    alive_at = now;
    mark({2});
    EXPECT_EQ(next<HandOver>().entry.id, 2);
}

TEST_F(SendingTest, WhoeverSleptPastItsLockWritesNothing)
{
    next<Mark>();
    mark({1, 2, 3});
    hand_over(Verdict::accepted);
    now += 5min;  // stopped, and woken
    EXPECT_TRUE(next<Mark>().step.collects);
    sending.on_marked(broken(Errc::lease_lost), now);
    EXPECT_EQ(next<LeaveNow>().step.results.size(), 1U);  // fenced by the token
    sending.on_left(false, now);
    EXPECT_EQ(next<Over>().end, SendingEnd::lost);
}

TEST_F(SendingTest, WhoUnsubscribedSinceItsBatchWasMarkedGetsNothing)
{
    next<Mark>();
    mark({1, 2, 3});
    hand_over(Verdict::accepted);
    now += 2s;  // a slow server
    alive_at = now;
    const Mark again = next<Mark>();
    EXPECT_TRUE(again.step.collects);
    EXPECT_EQ(again.step.results.size(), 1U);

    mark({3});  // the ledger dropped the second

    EXPECT_EQ(next<HandOver>().entry.id, 3);
}

TEST_F(SendingTest, ALockThatIsKnownToBeLostIsNotTrusted)
{
    next<Mark>();
    mark({1});
    alive_at.reset();
    next<Mark>();
    sending.on_marked(broken(Errc::lease_lost), now);
    next<LeaveNow>();
    sending.on_left(false, now);
    EXPECT_EQ(next<Over>().end, SendingEnd::lost);
}

TEST_F(SendingTest, APauseIsFoundByTheNextMark)
{
    next<Mark>();
    mark({1});
    hand_over(Verdict::accepted);
    next<Mark>();
    sending.on_marked(broken(Errc::lease_lost), now);
    EXPECT_EQ(next<LeaveNow>().step.results.size(), 1U);
    sending.on_left(true, now);
    EXPECT_EQ(next<Over>().end, SendingEnd::left);
}

TEST_F(SendingTest, AnUnansweredMarkIsAskedForBeforeAnythingIsHandedOver)
{
    for (const Errc code : {Errc::store_unknown, Errc::store_unavailable, Errc::busy}) {
        Sending fresh{rules, Incerteza::no_maximo_uma, rate, random};
        ASSERT_TRUE(std::holds_alternative<Mark>(fresh.next(now, alive_at)));
        fresh.on_marked(broken(code), now);
        const SendingStep wait = fresh.next(now, alive_at);
        ASSERT_TRUE(std::holds_alternative<Wait>(wait));
        const SendingStep again = fresh.next(std::get<Wait>(wait).until, alive_at);
        ASSERT_TRUE(std::holds_alternative<Mark>(again));
        EXPECT_TRUE(std::get<Mark>(again).step.collects);
    }
}

TEST_F(SendingTest, ResultsAreKeptUntilTheyAreKnownToBeWritten)
{
    next<Mark>();
    mark({1});
    hand_over(Verdict::accepted);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(next<Mark>().step.results.size(), 1U);
        sending.on_marked(broken(Errc::store_unknown), now);
        now = next<Wait>().until;
    }
    EXPECT_EQ(next<Mark>().step.results.size(), 1U);
    mark({});
    next<Finish>();
}

TEST_F(SendingTest, AnUnreachableServerIsWaitedForWithNothingMarked)
{
    next<Mark>();
    mark({1, 2, 3});
    Duration longest{0};
    for (int i = 0; i < 12; ++i) {
        hand_over(Verdict::unreachable);
        const Mark step = next<Mark>();
        EXPECT_EQ(step.step.batch, 0U);  // takes back the others
        EXPECT_EQ(step.step.trouble, "detail");
        EXPECT_EQ(step.step.results.back().status, EntryStatus::pending);
        mark({});
        const Duration began = now;
        while (std::holds_alternative<Wait>(sending.next(now, alive_at)) ||
               std::holds_alternative<Look>(sending.next(now, alive_at))) {
            const SendingStep wait = sending.next(now, alive_at);
            if (std::holds_alternative<Look>(wait)) {
                sending.on_looked(true, now);
            } else {
                EXPECT_LE(std::get<Wait>(wait).until - now, 1s);  // a pause is noticed soon
                now = std::get<Wait>(wait).until;
            }
        }
        longest = std::max(longest, now - began);
        alive_at = now;  // by the heartbeats
        EXPECT_EQ(next<Mark>().step.trouble, "detail");
        mark({1, 2, 3});
    }
    EXPECT_GT(longest, 10s);
    EXPECT_LE(longest, 60s);
    hand_over(Verdict::accepted);
    EXPECT_FALSE(sending.trouble());
}

TEST_F(SendingTest, AServerThatDoesNotAnswerIsNotFedTheWholeList)
{
    next<Mark>();
    mark({1, 2, 3});
    hand_over(Verdict::unknown);
    const Mark step = next<Mark>();
    EXPECT_EQ(step.step.batch, 0U);
    EXPECT_EQ(step.step.results.at(0).status, EntryStatus::unknown);
    mark({});
    next<Wait>();
}

TEST_F(SendingTest, WhatIsDueSoonIsWaitedForAndWhatIsDueLaterIsPutAside)
{
    next<Mark>();
    sending.on_marked(Marked{.due_in = 40s}, now);
    now = next<Wait>().until;
    next<Look>();
    sending.on_looked(true, now);
    now += 40s;
    next<Mark>();
    sending.on_marked(Marked{.due_in = 30min}, now);
    EXPECT_EQ(next<LeaveNow>().step.next, Status::queued);
    sending.on_left(true, now);
    const Over over = next<Over>();
    EXPECT_EQ(over.end, SendingEnd::put_aside);
    EXPECT_EQ(over.later, 5min);
}

TEST_F(SendingTest, AStopWritesWhatIsInHandAndGivesBack)
{
    next<Mark>();
    mark({1, 2});
    hand_over(Verdict::accepted);
    sending.stop();
    const LeaveNow step = next<LeaveNow>();
    EXPECT_EQ(step.step.results.size(), 1U);
    EXPECT_EQ(step.step.next, Status::queued);
    sending.on_left(broken(Errc::store_unavailable), now);
    now = next<Wait>().until;
    next<LeaveNow>();
    sending.on_left(true, now);
    EXPECT_EQ(next<Over>().end, SendingEnd::stopped);
}

TEST_F(SendingTest, AStopThatGivesUpAHandOverIsNotTheServersTrouble)
{
    next<Mark>();
    mark({1, 2});
    next<HandOver>();
    sending.stop();
    sending.on_delivered({.verdict = Verdict::unreachable, .detail = "the sender stops"});
    const LeaveNow step = next<LeaveNow>();
    EXPECT_FALSE(step.step.error);
    ASSERT_EQ(step.step.results.size(), 1U);
    EXPECT_FALSE(step.step.results[0].error);
}

TEST_F(SendingTest, AnErrorThatCannotPassEndsTheMailing)
{
    next<Mark>();
    sending.on_marked(broken(Errc::sql), now);
    const LeaveNow step = next<LeaveNow>();
    EXPECT_EQ(step.step.next, Status::failed);
    EXPECT_EQ(step.step.error, store_failure_sentence);  // nothing of the inside
    sending.on_left(true, now);
    EXPECT_EQ(next<Over>().end, SendingEnd::failed);
}

TEST_F(SendingTest, AnEntryThatCannotBeReadIsFailedAndTheOthersGoOn)
{
    next<Mark>();
    mark({1, 2});
    next<HandOver>();
    sending.on_unreadable("why");
    EXPECT_EQ(next<HandOver>().entry.id, 2);
    hand_over(Verdict::accepted);
    const Mark step = next<Mark>();
    EXPECT_EQ(step.step.results.at(0).status, EntryStatus::failed);
    EXPECT_EQ(step.step.results.at(0).error, "why");
}

TEST_F(SendingTest, TheRateIsKept)
{
    Rate one_a_second{1};
    Sending slow{rules, Incerteza::no_maximo_uma, one_a_second, random};
    ASSERT_TRUE(std::holds_alternative<Mark>(slow.next(now, alive_at)));
    slow.on_marked(Marked{.entries = {{.id = 1}, {.id = 2}}}, now);
    ASSERT_TRUE(std::holds_alternative<HandOver>(slow.next(now, alive_at)));
    slow.on_delivered({.verdict = Verdict::accepted});
    const SendingStep wait = slow.next(now, alive_at);
    ASSERT_TRUE(std::holds_alternative<Wait>(wait));
    EXPECT_EQ(std::get<Wait>(wait).until, now + 1s);
    // The second is asked for again first: it was marked a second ago.
    ASSERT_TRUE(std::holds_alternative<Mark>(slow.next(now + 1s, alive_at)));
    slow.on_marked(Marked{.entries = {{.id = 2}}}, now + 1s);
    EXPECT_TRUE(std::holds_alternative<HandOver>(slow.next(now + 1s, alive_at)));
}

}  // namespace
}  // namespace umavez::mailing
