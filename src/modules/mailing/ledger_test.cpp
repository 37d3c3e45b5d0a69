// The ledger: what is marked, what is written, and that counts are those of the entries.

#include "modules/mailing/ledger.hpp"

#include "modules/mailing/test_depot.hpp"

#include <random>

namespace umavez::mailing {
namespace {

class LedgerTest : public Depot {
protected:
    Result<Marked> step(const Owner& owner, const Advance& advance_by)
    {
        return transact<Marked>([&](Transaction& transaction) {
            return advance(transaction, owner, advance_by);
        });
    }
    Marked must_step(const Owner& owner, const Advance& advance_by)
    {
        auto marked = step(owner, advance_by);
        EXPECT_TRUE(marked) << marked.error().detail;
        return marked ? *std::move(marked) : Marked{};
    }
    void suppress(int number)
    {
        sql("INSERT INTO mailing_suppressions (tenant_id, email, reason, created_at) VALUES "
            "('default', '" +
            address(number) + "', 'asked', 1) ON CONFLICT DO NOTHING");
    }
};

TEST_F(LedgerTest, ResultsAndMarksAreOneTransaction)
{
    const std::string uuid = add_mailing({.entries = 3});
    const Owner owner = must_lock(uuid, "a").owner;
    const Marked first = must_step(owner, {.batch = 2});
    ASSERT_EQ(first.entries.size(), 2U);
    EXPECT_EQ(first.entries[0].email, address(0));
    EXPECT_EQ(first.entries[0].token, "tok0");
    EXPECT_EQ(first.entries[0].fields, R"({"nome":"N0"})");
    const Marked second = must_step(
        owner,
        {.results =
             {{.entry_id = first.entries[0].id, .external_id = "Q1"},
              {.entry_id = first.entries[1].id, .status = EntryStatus::failed, .error = "550"}},
         .batch = 2,
         .trouble = "slow"}
    );
    ASSERT_EQ(second.entries.size(), 1U);
    EXPECT_EQ(entry(uuid, 0, "status || external_id"), "SENTQ1");
    EXPECT_EQ(entry(uuid, 0, "attempts"), "1");
    EXPECT_EQ(entry(uuid, 1, "status || error"), "FAILED550");
    EXPECT_EQ(entry(uuid, 2, "status"), "SENDING");
    EXPECT_EQ(ask_mailing("error", uuid), "slow");
    expect_exact_counts(uuid);
    const Marked third = must_step(owner, {.results = {{.entry_id = second.entries[0].id}}});
    EXPECT_TRUE(third.entries.empty());
    EXPECT_FALSE(third.due_in);
    EXPECT_EQ(ask_mailing("error", uuid), "");
}

// Its COMMIT got no answer and had succeeded: the same call finds what it marked, and counts nothing twice.
TEST_F(LedgerTest, ACallThatIsMadeAgainFindsItsMarksAndCountsOnce)
{
    const std::string uuid = add_mailing({.entries = 5});
    const Owner owner = must_lock(uuid, "a").owner;
    const Marked first = must_step(owner, {.batch = 2});
    Advance unanswered{
        .results = {{.entry_id = first.entries[0].id}, {.entry_id = first.entries[1].id}},
        .batch = 2,
    };
    const Marked second = must_step(owner, unanswered);
    unanswered.collects = true;
    const Marked again = must_step(owner, unanswered);
    ASSERT_EQ(again.entries.size(), 2U);
    EXPECT_EQ(again.entries[0].id, second.entries[0].id);
    EXPECT_EQ(again.entries[1].id, second.entries[1].id);
    EXPECT_EQ(ask_mailing("sent", uuid), "2");
    EXPECT_EQ(entry(uuid, 0, "attempts"), "1");
    EXPECT_EQ(count_entries(uuid, "status = 'SENDING'"), "2");
    expect_exact_counts(uuid);
}

TEST_F(LedgerTest, ResultsOfALostLockAreNotWritten)
{
    const std::string uuid = add_mailing({.entries = 2});
    const Owner old = must_lock(uuid, "a").owner;
    const Marked marked = must_step(old, {.batch = 1});
    clock.advance(31s);
    const Owner owner = must_lock(uuid, "b").owner;
    ASSERT_EQ(must_step(owner, {.batch = 1}).entries.size(), 1U);
    const std::vector<EntryResult> results{{.entry_id = marked.entries[0].id}};
    const auto written = step(old, {.results = results});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, Errc::lease_lost);
    const auto left = transact<bool>([&](Transaction& transaction) {
        return leave(transaction, old, {.results = results});
    });
    ASSERT_TRUE(left);
    EXPECT_FALSE(*left);
    EXPECT_EQ(entry(uuid, 0, "status"), "UNKNOWN");
    EXPECT_EQ(entry(uuid, 1, "status"), "SENDING");  // the new owner's mark
    EXPECT_EQ(ask_mailing("lock_token", uuid), owner.token);
    expect_exact_counts(uuid);
}

// The new owner has marked the same entry again: the old one's result is not for this hand-over.
TEST_F(LedgerTest, ResultsOfALostLockAreNotWrittenToTheNewOwnersMarks)
{
    const std::string uuid = add_mailing({.incerteza = Incerteza::ao_menos_uma, .entries = 1});
    const Owner old = must_lock(uuid, "a").owner;
    const Marked marked = must_step(old, {});
    clock.advance(31s);
    const Owner owner = must_lock(uuid, "b").owner;
    ASSERT_EQ(must_step(owner, {}).entries.size(), 1U);
    const auto left = transact<bool>([&](Transaction& transaction) {
        return leave(transaction, old, {.results = {{.entry_id = marked.entries[0].id}}});
    });
    ASSERT_TRUE(left);
    EXPECT_FALSE(*left);
    EXPECT_EQ(entry(uuid, 0, "status"), "SENDING");
    EXPECT_EQ(ask_mailing("sent", uuid), "0");
}

// Its COMMIT got no answer and had succeeded: it left, and did not lose the lock.
TEST_F(LedgerTest, WhoeverLeftOrFinishedAndAsksAgainIsToldSo)
{
    const std::string uuid = add_mailing({.entries = 2});
    const Owner owner = must_lock(uuid, "a").owner;
    const Marked marked = must_step(owner, {.batch = 1});
    const auto leave_once = [&](const Owner& who) {
        const Leave step{.results = {{.entry_id = marked.entries[0].id}}};
        return *transact<bool>([&](Transaction& transaction) {
            return leave(transaction, who, step);
        });
    };
    EXPECT_TRUE(leave_once(owner));
    EXPECT_TRUE(leave_once(owner));
    EXPECT_EQ(ask_mailing("sent", uuid), "1");

    const Owner second = must_lock(uuid, "b").owner;
    EXPECT_TRUE(leave_once(owner));  // it had left all the same
    EXPECT_EQ(ask_mailing("lock_token", uuid), "b");
    for (int i = 0; i < 2; ++i) {
        EXPECT_TRUE(database->transact([&](Transaction& transaction) {
            return finish(transaction, second);
        }));
        EXPECT_EQ(status_of(uuid), "COMPLETED");
    }
    EXPECT_FALSE(leave_once(owner));  // too long ago to be told
    expect_exact_counts(uuid);
}

TEST_F(LedgerTest, WhatWasMarkedAndNotHandedOverIsTakenBack)
{
    const std::string uuid = add_mailing({.entries = 3});
    const Owner owner = must_lock(uuid, "a").owner;
    const Marked marked = must_step(owner, {.batch = 3});
    ASSERT_TRUE(*transact<bool>([&](Transaction& transaction) {
        return leave(transaction, owner, {.results = {{.entry_id = marked.entries[0].id}}});
    }));
    EXPECT_EQ(count_entries(uuid, "status = 'PENDING' AND attempts = 0"), "2");
    EXPECT_EQ(count_entries(uuid, "uncertain_at IS NOT NULL"), "0");
    EXPECT_EQ(status_of(uuid), "QUEUED");
    expect_exact_counts(uuid);
}

TEST_F(LedgerTest, SuppressedAddressesAreFailedBeforeTheyAreSent)
{
    const std::string uuid = add_mailing({.entries = 4});
    const Owner owner = must_lock(uuid, "a").owner;
    suppress(0);
    suppress(1);
    const Marked first = must_step(owner, {.batch = 2});
    EXPECT_TRUE(first.entries.empty());
    EXPECT_EQ(first.dropped, 2);
    EXPECT_EQ(entry(uuid, 1, "status || error"), "FAILEDsuprimido");
    suppress(3);
    const Marked second = must_step(owner, {.batch = 2});
    ASSERT_EQ(second.entries.size(), 1U);
    EXPECT_EQ(second.entries[0].email, address(2));
    expect_exact_counts(uuid);
}

TEST_F(LedgerTest, AnotherTenantsSuppressionsDoNotCount)
{
    const Owner owner = must_lock(add_mailing({.entries = 1}), "a").owner;
    sql("INSERT INTO mailing_suppressions (tenant_id, email, reason, created_at) VALUES ('other', "
        "'" +
        address(0) + "', 'asked', 1)");
    EXPECT_EQ(must_step(owner, {}).entries.size(), 1U);
}

TEST_F(LedgerTest, WhatHadItsAttemptsIsGivenUp)
{
    const std::string uuid = add_mailing({.entries = 2});
    const Owner owner = must_lock(uuid, "a").owner;
    sql("UPDATE mailing_entries SET attempts = 8");
    sql("UPDATE mailing_entries SET uncertain_at = 1 WHERE email = '" + address(0) + "'");
    EXPECT_EQ(must_step(owner, {}).dropped, 2);
    EXPECT_EQ(entry(uuid, 0, "status"), "UNKNOWN");
    EXPECT_EQ(entry(uuid, 1, "status"), "FAILED");
    expect_exact_counts(uuid);
}

TEST_F(LedgerTest, WhatIsDueLaterIsNotMarkedBefore)
{
    const std::string uuid = add_mailing({.entries = 1});
    const Owner owner = must_lock(uuid, "a").owner;
    const Marked marked = must_step(owner, {});
    const Marked later = must_step(
        owner,
        {.results =
             {{.entry_id = marked.entries[0].id, .status = EntryStatus::pending, .due_in = 20s}}}
    );
    EXPECT_TRUE(later.entries.empty());
    EXPECT_EQ(later.due_in, 20s);
    clock.advance(20s);
    EXPECT_EQ(must_step(owner, {}).entries.size(), 1U);
}

// Whatever happens in whatever order, the counts of the row are those of the entries.
TEST_F(LedgerTest, CountsAreExactAfterRandomHistories)
{
    for (unsigned seed = 1; seed <= 6; ++seed) {
        std::mt19937 random{seed};
        const auto draw = [&](int below) { return static_cast<int>(random() % unsigned(below)); };
        const std::string uuid = add_mailing(
            {.incerteza = seed % 2 == 0 ? Incerteza::no_maximo_uma : Incerteza::ao_menos_uma,
             .entries = 20}
        );
        int token = 0;
        Owner owner = must_lock(uuid, "t0").owner;
        std::vector<EntryResult> results;
        for (int i = 0; i < 40; ++i) {
            switch (draw(6)) {
                case 0:  // it dies, and another takes over
                    clock.advance(31s);
                    owner = must_lock(uuid, "t" + std::to_string(++token)).owner;
                    results.clear();
                    break;
                case 1:  // it leaves, and another comes
                    ASSERT_TRUE(transact<bool>([&](Transaction& transaction) {
                        return leave(transaction, owner, {.results = results});
                    }));
                    owner = must_lock(uuid, "t" + std::to_string(++token)).owner;
                    results.clear();
                    break;
                case 2: suppress(draw(20)); break;
                default: {
                    const Advance by{
                        .results = results,
                        .batch = static_cast<std::size_t>(draw(4)),
                        .collects = draw(2) == 0,
                    };
                    if (draw(4) == 0) must_step(owner, by);  // unanswered
                    const Marked marked =
                        must_step(owner, {.results = results, .batch = by.batch, .collects = true});
                    results.clear();
                    constexpr std::array ends{
                        EntryStatus::sent,
                        EntryStatus::failed,
                        EntryStatus::unknown,
                        EntryStatus::pending,
                    };
                    for (const MarkedEntry& one : marked.entries) {
                        if (draw(5) == 0) continue;  // not handed over yet
                        const EntryStatus end = ends.at(static_cast<std::size_t>(draw(4)));
                        results.push_back(
                            {.entry_id = one.id,
                             .status = end,
                             .is_uncertain = end == EntryStatus::unknown}
                        );
                    }
                }
            }
            expect_exact_counts(uuid);
        }
    }
}

}  // namespace
}  // namespace umavez::mailing
