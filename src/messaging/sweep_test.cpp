// The end of events, and what keeps them.

#include "messaging/sweep.hpp"

#include "messaging/dispatch.hpp"
#include "messaging/test_station.hpp"

namespace umavez::messaging {
namespace {

class SweepTest : public Station {
protected:
    std::size_t sweep(Duration retention, std::size_t limit = 100)
    {
        std::size_t swept = 0;
        const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
            const auto removed = sweep_outbox(transaction, retention, limit);
            if (!removed) return std::unexpected(removed.error());
            swept = *removed;
            return {};
        });
        EXPECT_TRUE(done) << done.error().detail;
        return swept;
    }
    void dispatch()
    {
        const auto done = database->transact([](Transaction& transaction) -> Result<void> {
            const auto events = dispatch_once(transaction, 100);
            if (!events) return std::unexpected(events.error());
            return {};
        });
        ASSERT_TRUE(done) << done.error().detail;
    }
    void age() { sql("UPDATE umavez_outbox SET dispatched_at = dispatched_at - 3600000000"); }
};

TEST_F(SweepTest, OnlyWhatIsSettledAndOldGoes)
{
    open(quick());
    register_url("http://127.0.0.1:1/");
    for (int i = 1; i <= 4; ++i) happen("fatura/" + std::to_string(i), i);
    dispatch();
    age();
    const std::pair<int, const char*> states[] = {{1, "delivered"}, {2, "dead"}, {3, "cancelled"}};
    for (const auto& [number, state] : states) {
        sql("UPDATE umavez_deliveries SET state = '" + std::string{state} +
            "' WHERE aggregate = 'fatura/" + std::to_string(number) + "'");
    }
    happen("fatura/5", 5);  // not given out
    EXPECT_EQ(sweep(2h), 0);
    EXPECT_EQ(sweep(30min), 2);
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_outbox"), 3);
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_deliveries WHERE state IN ('pending', 'dead')"), 2);
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_deliveries"), 2);
    EXPECT_EQ(
        ask("SELECT count(*) FROM umavez_outbox WHERE aggregate IN ('fatura/2', 'fatura/4', "
            "'fatura/5')"),
        3
    );
}

TEST_F(SweepTest, ADestinationThatWasRemovedGoesWithItsLastDelivery)
{
    open(quick());
    const auto [id, secret] = register_url("http://127.0.0.1:1/");
    const auto [other, other_secret] = register_url("http://127.0.0.1:2/");
    happen("fatura/1", 1);
    dispatch();
    age();
    ASSERT_EQ(send("DELETE", "/api/v1/destinos/" + std::to_string(id)).status, 204);
    sql("UPDATE umavez_destinations SET removed_at = removed_at - 3600000000");
    EXPECT_EQ(sweep(30min), 0);  // the other one still waits for the event
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_destinations"), 2);
    sql("UPDATE umavez_deliveries SET state = 'delivered' WHERE state = 'pending'");
    EXPECT_EQ(sweep(30min), 1);
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_deliveries"), 0);
    EXPECT_EQ(ask("SELECT id FROM umavez_destinations"), other);
}

TEST_F(SweepTest, NoMoreThanTheLimit)
{
    open(quick());
    for (int i = 1; i <= 5; ++i) happen("fatura/1", i);  // for nobody
    dispatch();
    age();
    EXPECT_EQ(sweep(30min, 3), 3);
    EXPECT_EQ(sweep(30min, 3), 2);
    EXPECT_EQ(ask("SELECT count(*) FROM umavez_outbox"), 0);
}

TEST_F(SweepTest, TheRelaySweepsByItself)
{
    RelayOptions options = quick();
    options.retention = 0s;
    options.sweep_period = 1ms;
    open(options);
    happen("fatura/1", 1);
    Relay relay{*engine, *database, options};
    await("SELECT count(*) FROM umavez_outbox", 0);
}

}  // namespace
}  // namespace umavez::messaging
