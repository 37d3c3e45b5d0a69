// Messages without a broker: what is appended, taken, settled, held back, refused and swept. Two sources on
// one table stand for two processes.

#include "messaging/table_source.hpp"

#include "messaging/messages.hpp"
#include "messaging/messages_table.hpp"
#include "messaging/outbox.hpp"
#include "support/postgres_server.hpp"
#include "support/temporary_folder.hpp"
#include "support/wait.hpp"

#include <umavez/umavez.hpp>

#include <gtest/gtest.h>

#include <future>
#include <set>
#include <thread>

namespace umavez::messaging {
namespace {

using namespace std::chrono_literals;

// Nothing comes again for being slow.
constexpr TableSourceOptions long_hidden{.hidden = 1h, .period = 5ms};

class TableSourceTest : public testing::Test {
protected:
    void SetUp() override
    {
        auto opened = open_database(home.url(), {.durable = false});
        ASSERT_TRUE(opened) << opened.error().detail;
        database = *std::move(opened);
        const auto migrated = database->migrate(migrations(database->dialect()));
        ASSERT_TRUE(migrated) << migrated.error().detail;
        source = make_table_source(*database, "mailing", long_hidden);
    }
    void TearDown() override
    {
        source.reset();
        database.reset();
    }

    void append(const std::string& aggregate, const std::string& queue = "mailing")
    {
        const auto done = database->transact([&](Transaction& transaction) {
            return append_message(
                transaction,
                {*TenantId::parse("loja"), queue, aggregate, "mailing.processar", "{\"a\":1}"}
            );
        });
        ASSERT_TRUE(done) << done.error().detail;
    }
    void sql(const std::string& text)
    {
        const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
            const auto changed = transaction.execute(text);
            if (!changed) return std::unexpected(changed.error());
            return {};
        });
        ASSERT_TRUE(done) << done.error().detail;
    }
    std::int64_t ask(const std::string& text)
    {
        std::int64_t answer = -1;
        const auto done = database->read([&](Transaction& transaction) -> Result<void> {
            const auto rows = transaction.query(text);
            if (!rows) return std::unexpected(rows.error());
            answer = rows->front().integer(0);
            return {};
        });
        EXPECT_TRUE(done) << done.error().detail;
        return answer;
    }
    std::optional<ReceivedMessage> next(Duration wait = test::wait_limit())
    {
        auto received = source->next(wait, {});
        EXPECT_TRUE(received) << received.error().detail;
        return received ? *std::move(received) : std::nullopt;
    }
    std::int64_t in_state(const std::string& state)
    {
        return ask("SELECT count(*) FROM umavez_messages WHERE state = '" + state + "'");
    }
    void make_due() { sql("UPDATE umavez_messages SET due_at = 0"); }

    const test::TemporaryFolder folder;
    test::TestDatabase home{folder.path()};
    std::unique_ptr<Database> database;
    std::unique_ptr<MessageSource> source;
};

TEST_F(TableSourceTest, AMessageIsGivenOutOnceAndSettled)
{
    append("mailing/1");
    const auto got = next();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->tenant, "loja");
    EXPECT_EQ(got->type, "mailing.processar");
    EXPECT_EQ(got->data, "{\"a\":1}");
    EXPECT_EQ(got->message_id.size(), 36);
    EXPECT_EQ(got->deliveries, 1);
    EXPECT_FALSE(next(0s));
    ASSERT_TRUE(source->settle(*got));
    make_due();
    EXPECT_FALSE(next(0s));
    EXPECT_EQ(in_state("done"), 1);
}

TEST_F(TableSourceTest, OnlyItsOwnQueueIsRead)
{
    append("fatura/1", "events");
    EXPECT_FALSE(next(0s));
}

TEST_F(TableSourceTest, WhatIsRolledBackIsNoMessage)
{
    const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
        const auto appended = append_message(
            transaction, {*TenantId::parse("loja"), "mailing", "mailing/1", "x", "{}"}
        );
        if (!appended) return appended;
        return fail(Errc::invalid_argument, "the business says no");
    });
    EXPECT_FALSE(done);
    EXPECT_FALSE(next(0s));
}

TEST_F(TableSourceTest, PendingOnesOfAnAggregateAreCounted)
{
    append("mailing/1");
    append("mailing/1");
    append("mailing/2");
    ASSERT_TRUE(source->settle(*next()));
    const auto done = database->transact([](Transaction& transaction) -> Result<void> {
        EXPECT_EQ(*count_pending_messages(transaction, "mailing", "mailing/1"), 1);
        EXPECT_EQ(*count_pending_messages(transaction, "mailing", "mailing/2"), 1);
        EXPECT_EQ(*count_pending_messages(transaction, "events", "mailing/2"), 0);
        return {};
    });
    EXPECT_TRUE(done);
}

TEST_F(TableSourceTest, HeldBackItComesAgainWithoutAnAttempt)
{
    append("mailing/1");
    for (int i = 0; i < 30; ++i) {
        const auto got = next();
        ASSERT_TRUE(got);
        EXPECT_EQ(got->deliveries, 1);
        ASSERT_TRUE(source->hold_back(*got, i == 29 ? Duration{1h} : Duration{0}));
    }
    EXPECT_FALSE(next(0s));
    EXPECT_EQ(ask("SELECT attempts FROM umavez_messages"), 0);
    EXPECT_EQ(in_state("pending"), 1);
}

TEST_F(TableSourceTest, RefusedItIsDeadWithTheReason)
{
    append("mailing/1");
    ASSERT_TRUE(source->refuse(*next(), "the mailing is unreadable"));
    EXPECT_EQ(
        ask("SELECT count(*) FROM umavez_messages WHERE state = 'dead' "
            "AND last_error = 'the mailing is unreadable'"),
        1
    );
}

TEST_F(TableSourceTest, AMessageThatKillsItsWorkersIsDeadInTheEnd)
{
    append("mailing/1");
    append("mailing/2");
    sql("UPDATE umavez_messages SET due_at = due_at - 1 WHERE aggregate = 'mailing/1'");
    for (int i = 1; i <= 20; ++i) {
        const auto got = next();
        ASSERT_TRUE(got);
        EXPECT_EQ(got->deliveries, i);
        sql("UPDATE umavez_messages SET due_at = 0 WHERE aggregate = 'mailing/1'");
    }
    const auto other = next();
    ASSERT_TRUE(other);
    EXPECT_EQ(other->deliveries, 1);
    EXPECT_EQ(
        ask("SELECT count(*) FROM umavez_messages WHERE state = 'dead' AND aggregate = 'mailing/1'"
        ),
        1
    );
}

TEST_F(TableSourceTest, WhoeverWasOvertakenSettlesNothing)
{
    append("mailing/1");
    const auto late = next();
    make_due();
    const auto mine = next();
    ASSERT_TRUE(late && mine);
    EXPECT_EQ(mine->deliveries, 2);
    EXPECT_TRUE(source->settle(*late));
    EXPECT_EQ(in_state("pending"), 1);
    EXPECT_TRUE(source->refuse(*late, "no"));
    EXPECT_EQ(in_state("pending"), 1);
    // Held back, the count begins again: the first one still has no say.
    EXPECT_TRUE(source->hold_back(*mine, 0s));
    const auto again = next();
    ASSERT_TRUE(again);
    EXPECT_EQ(again->deliveries, 1);
    EXPECT_TRUE(source->settle(*late));
    EXPECT_EQ(in_state("pending"), 1);
    EXPECT_TRUE(source->settle(*again));
    EXPECT_EQ(in_state("done"), 1);
}

TEST_F(TableSourceTest, AWakeIsHeardAtOnce)
{
    const auto slow = make_table_source(*database, "mailing", {.period = 1h});
    std::stop_source stop;
    auto asking = std::async(std::launch::async, [&] { return slow->next(1h, stop.get_token()); });
    append("mailing/1");
    slow->wake();
    if (!test::is_met("the wake is heard", asking)) stop.request_stop();
    const auto got = asking.get();
    ASSERT_TRUE(got && *got);
}

TEST_F(TableSourceTest, AStopEndsTheWait)
{
    const auto slow = make_table_source(*database, "mailing", {.period = 1h});
    std::stop_source stop;
    std::jthread stopper{[&] { stop.request_stop(); }};
    const auto got = slow->next(1h, stop.get_token());
    ASSERT_TRUE(got);
    EXPECT_FALSE(*got);
}

TEST_F(TableSourceTest, ManyWorkersGetEachMessageOnce)
{
    constexpr int count = 40;
    for (int i = 0; i < count; ++i) append("mailing/" + std::to_string(i));
    const auto second = make_table_source(*database, "mailing", long_hidden);
    std::mutex mutex;
    std::multiset<std::string> seen;
    std::vector<std::jthread> workers;
    for (int i = 0; i < 6; ++i) {
        workers.emplace_back([&, own = i % 2 == 0 ? source.get() : second.get()] {
            for (;;) {
                const auto got = own->next(0s, {});
                ASSERT_TRUE(got) << got.error().detail;
                // A row that another one locks is passed over: only the table tells that all is done.
                if (!*got && in_state("pending") == 0) return;
                if (!*got) continue;
                const auto settled = own->settle(**got);
                ASSERT_TRUE(settled) << settled.error().detail;
                const std::lock_guard guard{mutex};
                seen.insert((*got)->message_id);
            }
        });
    }
    workers.clear();
    EXPECT_EQ(seen.size(), count);
    EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), count);
}

TEST_F(TableSourceTest, OnlyWhatIsOverAndOldIsSwept)
{
    for (const char* const state : {"published", "done", "dead", "pending"}) {
        append("mailing/1");
        sql("UPDATE umavez_messages SET state = '" + std::string{state} +
            "' WHERE id = (SELECT "
            "max(id) FROM umavez_messages)");
    }
    std::size_t swept = 0;
    const auto sweep = [&](Transaction& transaction) -> Result<void> {
        const auto removed = sweep_messages(transaction, 1h, 10);
        if (!removed) return std::unexpected(removed.error());
        swept = *removed;
        return {};
    };
    ASSERT_TRUE(database->transact(sweep));
    EXPECT_EQ(swept, 0);
    sql("UPDATE umavez_messages SET changed_at = changed_at - 7200000000");
    ASSERT_TRUE(database->transact(sweep));
    EXPECT_EQ(swept, 2);
    EXPECT_EQ(in_state("dead") + in_state("pending"), 2);
}

}  // namespace
}  // namespace umavez::messaging
