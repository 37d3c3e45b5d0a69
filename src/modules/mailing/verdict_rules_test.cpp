#include "modules/mailing/verdict_rules.hpp"

#include <gtest/gtest.h>

namespace umavez::mailing {
namespace {

using namespace std::chrono_literals;
using mail::Verdict;

const work::RetryRule rule{.first = 30s, .longest = 1h, .attempts_max = 3};

EntryResult after(Verdict verdict, std::int64_t attempts, Incerteza incerteza)
{
    return to_result(
        {.id = 7, .attempts = attempts},
        {.verdict = verdict, .code = 0, .detail = "what it said", .external_id = "Q7"},
        incerteza,
        rule,
        0.5
    );
}

constexpr Incerteza most_once = Incerteza::no_maximo_uma;
constexpr Incerteza least_once = Incerteza::ao_menos_uma;

TEST(VerdictRules, AcceptedIsSentUnderTheServersName)
{
    const EntryResult result = after(Verdict::accepted, 0, most_once);
    EXPECT_EQ(result.entry_id, 7);
    EXPECT_EQ(result.status, EntryStatus::sent);
    EXPECT_EQ(result.external_id, "Q7");
    EXPECT_TRUE(result.counts);
    EXPECT_FALSE(result.error);
}

TEST(VerdictRules, RefusedIsFailedForGood)
{
    const EntryResult result = after(Verdict::refused, 0, least_once);
    EXPECT_EQ(result.status, EntryStatus::failed);
    EXPECT_EQ(result.error, "what it said");
    EXPECT_FALSE(result.is_uncertain);
}

TEST(VerdictRules, PutOffIsTriedAgainUntilItHadItsAttempts)
{
    EXPECT_EQ(after(Verdict::put_off, 0, most_once).status, EntryStatus::pending);
    EXPECT_EQ(after(Verdict::put_off, 0, most_once).due_in, 15s);
    EXPECT_EQ(after(Verdict::put_off, 1, most_once).due_in, 30s);
    EXPECT_EQ(after(Verdict::put_off, 2, most_once).status, EntryStatus::failed);
}

TEST(VerdictRules, UnreachableIsNoAttempt)
{
    const EntryResult result = after(Verdict::unreachable, 2, most_once);
    EXPECT_EQ(result.status, EntryStatus::pending);
    EXPECT_FALSE(result.counts);
    EXPECT_FALSE(result.is_uncertain);
    EXPECT_EQ(result.due_in, 1s);  // behind the others
}

TEST(VerdictRules, UnknownIsWhatThePolicySays)
{
    const EntryResult left = after(Verdict::unknown, 0, most_once);
    EXPECT_EQ(left.status, EntryStatus::unknown);
    EXPECT_TRUE(left.is_uncertain);
    const EntryResult again = after(Verdict::unknown, 0, least_once);
    EXPECT_EQ(again.status, EntryStatus::pending);
    EXPECT_TRUE(again.is_uncertain);
    EXPECT_EQ(again.due_in, 15s);
    EXPECT_EQ(after(Verdict::unknown, 2, least_once).status, EntryStatus::unknown);
}

TEST(VerdictRules, OnlySomeAreTheServersTrouble)
{
    EXPECT_TRUE(is_server_trouble(Verdict::unreachable));
    EXPECT_TRUE(is_server_trouble(Verdict::unknown));
    EXPECT_FALSE(is_server_trouble(Verdict::put_off));
    EXPECT_FALSE(is_server_trouble(Verdict::refused));
    EXPECT_FALSE(is_server_trouble(Verdict::accepted));
}

}  // namespace
}  // namespace umavez::mailing
