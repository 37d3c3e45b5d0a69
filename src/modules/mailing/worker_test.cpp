// Workers with their threads, over the table of messages. Time is the system's.

#include "modules/mailing/worker.hpp"

#include "messaging/table_source.hpp"
#include "modules/mailing/test_depot.hpp"
#include "modules/mailing/wake_up.hpp"

namespace umavez::mailing {
namespace {

using mail::Verdict;

class WorkerTest : public Depot {
protected:
    const Clock* store_clock() const override { return nullptr; }

    void wake_up(const std::string& uuid)
    {
        const auto written = database->transact([&](Transaction& transaction) {
            return write_wake_up(transaction, tenant, uuid);
        });
        ASSERT_TRUE(written) << written.error().detail;
    }
    MailingWorkerOptions options(Sink& sink)
    {
        MailingWorkerOptions options;
        options.sending.batch = 4;
        options.sending.lock_timeout = 10min;  // nobody loses it for being slow
        options.ingest = [](const Locked&, const std::stop_token&) -> Result<Ingested> {
            return Complete{};
        };
        options.make_transport = [&sink]() -> Result<std::unique_ptr<mail::Transport>> {
            return std::make_unique<SinkTransport>(sink);
        };
        return options;
    }
    std::unique_ptr<messaging::MessageSource> make_source()
    {
        return messaging::make_table_source(*database, "mailing", {.hidden = 1h, .period = 5ms});
    }
    void await_completion(const std::string& uuid)
    {
        test::wait_until("the mailing is completed", [&] {
            return status_of(uuid) == "COMPLETED";
        });
    }
    void expect_each_once(const std::string& uuid, int times, Sink& sink, int entries)
    {
        for (int i = 0; i < entries; ++i) EXPECT_EQ(sink.taken(address(i)), times) << i;
        EXPECT_EQ(count_entries(uuid, "status = 'SENT'"), std::to_string(entries));
        EXPECT_EQ(count_entries(uuid, "uncertain_at IS NOT NULL"), "0");
        expect_exact_counts(uuid);
    }
};

TEST_F(WorkerTest, ThreeWorkersOverOneMailing)
{
    const std::string uuid = add_mailing({.entries = 40});
    for (int i = 0; i < 4; ++i) wake_up(uuid);  // and one message delivered four times
    Sink sink;
    const auto source = make_source();
    MailingWorker one{*database, *source, options(sink)};
    MailingWorker two{*database, *source, options(sink)};
    MailingWorker three{*database, *source, options(sink)};
    await_completion(uuid);
    expect_each_once(uuid, 1, sink, 40);
}

TEST_F(WorkerTest, ThreeWorkersOverFiveMailings)
{
    std::vector<std::string> uuids;
    for (int i = 0; i < 5; ++i) uuids.push_back(add_mailing({.entries = 10}));
    Sink sink;
    const auto source = make_source();
    MailingWorker one{*database, *source, options(sink)};
    MailingWorker two{*database, *source, options(sink)};
    MailingWorker three{*database, *source, options(sink)};
    for (const std::string& uuid : uuids) wake_up(uuid);
    source->wake();
    for (const std::string& uuid : uuids) await_completion(uuid);
    for (const std::string& uuid : uuids) expect_each_once(uuid, 5, sink, 10);
}

// Answers for the second address when it was told to stop, not before.
class AnswersWhenStopped final : public mail::Transport {
public:
    AnswersWhenStopped(Sink& sink, std::atomic<bool>& is_at_it) : sink_(sink), is_at_it_(is_at_it)
    {
    }
    mail::Delivered send(
        const mail::Envelope& envelope, std::string_view content, std::stop_token stop
    ) override
    {
        if (envelope.to == address(1)) {
            std::atomic<bool> is_told = false;
            const std::stop_callback told{stop, [&] {
                                              is_told = true;
                                              is_told.notify_all();
                                          }};
            is_at_it_ = true;
            is_told.wait(false);
        }
        return sink_.take(envelope, content);
    }

private:
    Sink& sink_;
    std::atomic<bool>& is_at_it_;
};

TEST_F(WorkerTest, AStopEndsTheMailInHandAndAnotherWorkerGoesOnAtOnce)
{
    const std::string uuid = add_mailing({.entries = 8});
    wake_up(uuid);
    Sink sink;
    std::atomic<bool> is_at_it = false;
    MailingWorkerOptions waiting = options(sink);
    waiting.make_transport = [&]() -> Result<std::unique_ptr<mail::Transport>> {
        return std::make_unique<AnswersWhenStopped>(sink, is_at_it);
    };
    const auto source = make_source();
    MailingWorker first{*database, *source, waiting};
    test::wait_until("the second mail is in hand", [&] { return is_at_it.load(); });
    first.stop();
    EXPECT_EQ(status_of(uuid), "QUEUED");
    EXPECT_EQ(ask_mailing("lock_token", uuid), "");
    EXPECT_EQ(count_entries(uuid, "status = 'SENT'"), "2");
    EXPECT_EQ(count_entries(uuid, "status = 'SENDING'"), "0");
    EXPECT_EQ(wake_ups(uuid), "1");
    MailingWorker second{*database, *source, options(sink)};
    await_completion(uuid);
    expect_each_once(uuid, 1, sink, 8);
}

TEST_F(WorkerTest, AMailingThatThrowsDoesNotStopTheThread)
{
    const std::string poison = add_mailing({.entries = 1, .is_ingested = false});
    const std::string healthy = add_mailing({.entries = 3});
    Sink sink;
    MailingWorkerOptions one_thread = options(sink);
    one_thread.threads = 1;
    one_thread.ingest = [](const Locked&, const std::stop_token&) -> Result<Ingested> {
        throw std::runtime_error{"poison"};
    };
    wake_up(poison);
    const auto source = make_source();
    MailingWorker worker{*database, *source, one_thread};
    std::optional<std::string> trouble;
    test::wait_until("the trouble is told", [&] {
        trouble = worker.take_trouble();
        return trouble.has_value();
    });
    EXPECT_NE(trouble->find("poison"), std::string::npos);
    wake_up(healthy);
    worker.wake();
    await_completion(healthy);
    EXPECT_EQ(status_of(poison), "INGESTING");
    EXPECT_EQ(wake_ups(poison), "1");
}

TEST_F(WorkerTest, AMessageThatCannotBeReadIsDead)
{
    const std::string uuid = add_mailing({.entries = 1});
    wake_up(uuid);
    sql("UPDATE umavez_messages SET data = '{\"mailingId\":\"?\"}'");
    Sink sink;
    const auto source = make_source();
    MailingWorker worker{*database, *source, options(sink)};
    test::wait_until("the message is dead", [&] {
        return ask("SELECT count(*) FROM umavez_messages WHERE state = 'dead'") == "1";
    });
}

TEST_F(WorkerTest, TheScanFindsWhatADeadWorkerLeft)
{
    const std::string uuid = add_mailing({.entries = 6});
    must_lock(uuid, "dead");
    sql("UPDATE mailings SET last_attempt = 1");
    Sink sink;
    std::atomic<std::size_t> recovered = 0;
    std::atomic<int> swept = 0;
    MailingWorkerOptions quick = options(sink);
    quick.on_event = [&](const MailingEvent& event) {
        if (const auto* const found = std::get_if<MailingsRecovered>(&event)) {
            recovered += found->stale;
        }
    };
    quick.sweep_files = [&](const std::stop_token&) -> Result<void> {
        ++swept;
        return {};
    };
    const auto source = make_source();
    MailingWorker worker{*database, *source, quick};
    await_completion(uuid);
    expect_each_once(uuid, 1, sink, 6);
    // After the scan, and what it tells.
    test::wait_until("files are swept", [&] { return swept > 0; });
    EXPECT_EQ(recovered, 1U);
}

// Locks grow old by a clock that the test moves.
class HandClockWorkerTest : public WorkerTest {
protected:
    const Clock* store_clock() const override { return &clock; }
};

// Somebody shows that he is alive, however long one hand-over takes.
TEST_F(HandClockWorkerTest, SignsOfLifeAreGivenDuringAHandOver)
{
    const std::string uuid = add_mailing({.entries = 2});
    wake_up(uuid);
    Sink sink{[&](const std::string& to, int) -> mail::Delivered {
        if (to != address(0)) return {.verdict = Verdict::accepted};
        std::string last = ask_mailing("last_attempt", uuid);
        for (int i = 0; i < 3; ++i) {
            clock.advance(1ms);
            std::string now = last;
            const bool is_given = test::is_met("a sign of life", [&] {
                now = ask_mailing("last_attempt", uuid);
                return now != last;
            });
            if (!is_given) break;
            EXPECT_GT(std::stoll(now), std::stoll(last));
            last = now;
        }
        return {.verdict = Verdict::accepted};
    }};
    MailingWorkerOptions brief = options(sink);
    brief.clock = &clock;
    brief.threads = 1;
    brief.sending.lock_timeout = 600ms;
    const auto source = make_source();
    MailingWorker worker{*database, *source, brief};
    await_completion(uuid);
    expect_each_once(uuid, 1, sink, 2);
}

// The whole process stood still for longer than its lock lasts, and the scan comes before the heartbeats.
TEST_F(HandClockWorkerTest, AScanDoesNotTakeWhatItsOwnProcessHolds)
{
    for (const char* const status : {"PROCESSING", "PAUSED", "CANCELLED"}) {
        SCOPED_TRACE(status);
        const std::string uuid = add_mailing({.entries = 3});
        wake_up(uuid);
        std::atomic<int> scans = 0;
        Sink sink{[&](const std::string& to, int) -> mail::Delivered {
            if (to == address(0)) {
                sql("UPDATE mailings SET status = '" + std::string{status} + "' WHERE uuid = '" +
                    uuid + "'");
                clock.advance(60s);
                const int before = scans;
                static_cast<void>(test::is_met("two scans", [&] { return scans > before + 1; }));
            }
            return {.verdict = Verdict::accepted};
        }};
        MailingWorkerOptions quick = options(sink);
        quick.clock = &clock;
        quick.threads = 1;
        quick.sending.lock_timeout = 30s;
        quick.recovery_period = 5ms;
        quick.sweep_files = [&](const std::stop_token&) -> Result<void> {
            ++scans;
            return {};
        };
        const auto source = make_source();
        MailingWorker worker{*database, *source, quick};
        test::wait_until("the message is settled", [&] { return wake_ups(uuid) == "0"; });
        EXPECT_NE(count_entries(uuid, "status = 'SENT'"), "0");
        EXPECT_EQ(entry(uuid, 0, "status"), "SENT");
        EXPECT_EQ(count_entries(uuid, "uncertain_at IS NOT NULL"), "0");
        expect_exact_counts(uuid);
    }
}

}  // namespace
}  // namespace umavez::mailing
