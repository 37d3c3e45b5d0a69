#include "webhook/inbox/test_post_office.hpp"

#include <atomic>
#include <thread>
#include <vector>

namespace umavez::webhook {
namespace {

using namespace std::chrono_literals;

constexpr const char* state = "SELECT state FROM umavez_inbox WHERE event_id = 'e1'";

TEST(Processor, AppliesAnEventOnceHoweverOftenItIsDelivered)
{
    PostOffice office;
    office.open(PostOffice::effect());
    office.add("acct_1", "loja");
    std::vector<std::jthread> senders;
    for (int i = 0; i < 8; ++i) {
        senders.emplace_back([&] {
            for (int n = 0; n < 20; ++n) office.send("e" + std::to_string(n), PostOffice::paid());
        });
    }
    senders.clear();
    office.await("SELECT count(*) FROM umavez_inbox WHERE state = 'done'", "20");
    EXPECT_EQ(office.ask("SELECT count(*) FROM effects"), "20");
    EXPECT_EQ(office.ask("SELECT count(DISTINCT event) FROM effects WHERE tenant = 'loja'"), "20");
    EXPECT_EQ(office.ask("SELECT count(*) FROM umavez_inbox WHERE tenant_id = 'loja'"), "20");
}

TEST(Processor, WaitsForATenantAndGoesOnWhenTheAccountAppears)
{
    PostOffice office;
    office.open(PostOffice::effect());
    EXPECT_EQ(office.send("e1", PostOffice::paid()).status, 200);
    office.await(state, "waiting");
    EXPECT_EQ(office.ask("SELECT attempts FROM umavez_inbox"), "0");
    office.add("another", "loja");
    EXPECT_EQ(office.ask(state), "waiting");
    office.add("acct_1", "loja");
    office.await(state, "done");
    EXPECT_EQ(office.ask("SELECT tenant FROM effects"), "loja");
}

// The account was written by somebody else, or between the look and the mark of an event.
TEST(Processor, FindsAnAccountThatNobodyToldItOf)
{
    PostOffice office;
    office.open(PostOffice::effect());
    EXPECT_EQ(office.send("e1", PostOffice::paid()).status, 200);
    office.await(state, "waiting");
    const auto written = office.database->transact([](Transaction& transaction) -> Result<void> {
        const auto done =
            transaction.execute("INSERT INTO provider_accounts VALUES ('own', 'acct_1', 'loja', 0)"
            );
        if (!done) return std::unexpected(done.error());
        return {};
    });
    ASSERT_TRUE(written);
    office.await(state, "done");
}

TEST(Processor, KeepsWhatNobodyHandles)
{
    PostOffice office;
    office.open(PostOffice::effect());
    office.add("acct_1", "loja");
    EXPECT_EQ(office.send("e1", R"({"type":"unheard.of","account":"acct_1"})").status, 200);
    office.await(state, "ignored");
    EXPECT_EQ(office.ask("SELECT count(*) FROM effects"), "0");
}

TEST(Processor, RetriesThenGivesUpWithTheReasonAndRunsAgainWhenDriven)
{
    PostOffice office;
    std::atomic<bool> is_well = false;
    std::atomic<int> runs = 0;
    const EventHandler effect = PostOffice::effect();
    office.open(
        [&](Transaction& transaction, const ReceivedEvent& event) -> Result<Handled> {
            ++runs;
            if (!is_well) return Failed{"no such invoice"};
            return effect(transaction, event);
        },
        {.first = 1ms, .longest = 2ms, .attempts_max = 3}
    );
    office.add("acct_1", "loja");
    office.send("e1", PostOffice::paid());
    office.await(state, "dead");
    EXPECT_EQ(office.ask("SELECT attempts FROM umavez_inbox"), "3");
    EXPECT_EQ(office.ask("SELECT last_error FROM umavez_inbox"), "no such invoice");
    EXPECT_EQ(office.send("e1", PostOffice::paid()).status, 200);  // a redelivery does not wake it
    EXPECT_EQ(office.ask(state), "dead");
    is_well = true;
    const auto driven = office.database->transact([](Transaction& transaction) -> Result<void> {
        const auto again = work::drive_again(transaction, inbox_work, 1);
        if (!again) return std::unexpected(again.error());
        return {};
    });
    ASSERT_TRUE(driven);
    office.await(state, "done");
    EXPECT_EQ(office.ask("SELECT count(*) FROM effects"), "1");
}

// An SQL error undoes what the handler did, and is counted: it would come again for ever.
TEST(Processor, AnErrorOfTheHandlersSqlIsAFailedAttempt)
{
    PostOffice office;
    office.open(
        [](Transaction& transaction, const ReceivedEvent& event) -> Result<Handled> {
            auto done = PostOffice::effect()(transaction, event);
            if (!done) return done;
            const auto wrong = transaction.execute("INSERT INTO no_such_table VALUES (1)");
            if (!wrong) return std::unexpected(wrong.error());
            return Applied{};
        },
        {.first = 1ms, .longest = 2ms, .attempts_max = 2}
    );
    office.add("acct_1", "loja");
    office.send("e1", PostOffice::paid());
    office.await(state, "dead");
    EXPECT_EQ(office.ask("SELECT count(*) FROM effects"), "0");
}

// On PostgreSQL they share transactions; what is true of each is as if they did not.
TEST(Processor, ABacklogOfAllKindsEndsAsEachOfThemWould)
{
    PostOffice office;
    const EventHandler effect = PostOffice::effect();
    office.open(
        [&](Transaction& transaction, const ReceivedEvent& event) -> Result<Handled> {
            auto done = effect(transaction, event);
            if (!done) return done;
            if (event.event_id == "e7") return Refused{"paid twice"};
            if (event.event_id != "e30") return done;
            const auto wrong = transaction.execute("INSERT INTO no_such_table VALUES (1)");
            return std::unexpected(wrong.error());
        },
        {.first = 1ms, .longest = 2ms, .attempts_max = 2},
        0
    );
    office.add("acct_1", "loja");
    for (int n = 0; n < 120; ++n) {
        const std::string account = n % 40 == 5 ? "stranger" : "acct_1";
        office.send("e" + std::to_string(n), PostOffice::paid(account));
    }
    office.send("e120", R"({"type":"unheard.of","account":"acct_1"})");
    office.work(2);
    office.await("SELECT count(*) FROM umavez_inbox WHERE state = 'pending'", "0");
    const auto count = [&](const std::string& in) {
        return office.ask("SELECT count(*) FROM umavez_inbox WHERE state = '" + in + "'");
    };
    EXPECT_EQ(count("done"), "115");
    EXPECT_EQ(count("waiting"), "3");
    EXPECT_EQ(count("ignored"), "1");
    EXPECT_EQ(count("dead"), "2");
    EXPECT_EQ(office.ask("SELECT count(*) FROM effects"), "116");
    EXPECT_EQ(office.ask("SELECT count(DISTINCT event) FROM effects"), "116");
    EXPECT_EQ(office.ask("SELECT count(*) FROM umavez_inbox WHERE tenant_id = 'loja'"), "117");
}

TEST(Processor, StaleAndRefusedEventsSaySo)
{
    PostOffice office;
    office.open([](Transaction&, const ReceivedEvent& event) -> Result<Handled> {
        if (event.event_id == "e1") return Stale{"a later one was applied"};
        return Refused{"paid twice"};
    });
    office.add("acct_1", "loja");
    office.send("e1", PostOffice::paid());
    office.send("e2", PostOffice::paid());
    office.await(state, "stale");
    office.await("SELECT state FROM umavez_inbox WHERE event_id = 'e2'", "dead");
    EXPECT_EQ(
        office.ask("SELECT last_error FROM umavez_inbox WHERE event_id = 'e2'"), "paid twice"
    );
}

TEST(Processor, TheSweepKeepsWhatSomebodyMustSee)
{
    PostOffice office;
    office.open([](Transaction&, const ReceivedEvent& event) -> Result<Handled> {
        if (event.event_id == "e1") return Applied{};
        return Refused{"no"};
    });
    office.add("acct_1", "loja");
    office.send("e1", PostOffice::paid());
    office.send("e2", PostOffice::paid());
    office.await("SELECT count(*) FROM umavez_inbox WHERE state IN ('done', 'dead')", "2");
    const auto sweep = [&](Duration retention) {
        std::int64_t swept = -1;
        const auto done = office.database->transact([&](Transaction& transaction) -> Result<void> {
            const auto removed = sweep_inbox(transaction, retention, 100);
            if (!removed) return std::unexpected(removed.error());
            swept = *removed;
            return {};
        });
        EXPECT_TRUE(done);
        return swept;
    };
    EXPECT_EQ(sweep(1h), 0);
    EXPECT_EQ(sweep(-1h), 1);  // an hour from now
    EXPECT_EQ(office.ask("SELECT event_id FROM umavez_inbox"), "e2");
}

}  // namespace
}  // namespace umavez::webhook
