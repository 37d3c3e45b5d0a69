// A real PostgreSQL behind a proxy that cuts, delays and half-closes, a server that is killed under
// load, an owner that is stopped beyond its lease. Whatever happens, an effect is there once or not
// at all, and nobody is told otherwise (hazards S-03, S-04, S-07, L).

#include "faults/shop.hpp"
#include "support/postgres_server.hpp"
#include "support/text_cutter.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace umavez::faults {
namespace {

using namespace std::chrono_literals;

class PostgresFaults : public ::testing::Test {
protected:
    static test::PostgresServer& server()
    {
        static test::PostgresServer one{{.durable = true, .listens = true}};
        return one;
    }
    void SetUp() override { server().run("DROP SCHEMA public CASCADE; CREATE SCHEMA public"); }

    std::string url(const std::string& parameters = {}) const
    {
        return server().url_of("127.0.0.1", proxy.port(), parameters);
    }

    // One run that is so quick is enough: that the machine stood still says nothing of the program.
    // That it did so in each of many, for as long as a wait lasts, is not believed.
    template <typename Run>
    static void wait_for_quick(std::string_view what, Duration limit, const Run& run)
    {
        const Duration until = system_clock().boottime() + test::wait_limit();
        for (int i = 0; i < tries_max || system_clock().boottime() < until; ++i) {
            const Duration began_at = system_clock().boottime();
            run();
            if (system_clock().boottime() - began_at < limit) return;
        }
        ADD_FAILURE() << what << ": in none of the tries";
    }

    // With a key of its own each time, until the answer is another than that the store is away: a
    // connection that takes longer to make again than the program waits for is told, too. Whoever
    // is refused was told the truth. `effects()` are those of the last try.
    template <typename Try, typename Effects>
    Result<Outcome> until_executed(Try attempt, Effects effects)
    {
        for (int i = 0; i < tries_max; ++i) {
            strikes_before = proxy.strikes();
            key = "k" + std::to_string(++keys);
            const Result<Outcome> outcome = attempt();
            const auto* const told = outcome ? std::get_if<Unavailable>(&*outcome) : nullptr;
            if (told == nullptr) return outcome;
            EXPECT_LE(effects(), told->effect == Effect::none ? 0 : 1) << key;
        }
        ADD_FAILURE() << "refused " << tries_max << " times";
        return InProgress{};
    }
    // The same where the effect is a row; looked at again in the end, when nothing is under way.
    template <typename Try>
    Result<Outcome> until_inserted(Shop& shop, Try attempt)
    {
        const auto outcome = until_executed(attempt, [&] { return count_of_last(shop); });
        EXPECT_EQ(shop.count("SELECT count(*) - count(DISTINCT item) FROM pedidos"), 0);
        return outcome;
    }
    int strikes() const { return proxy.strikes() - strikes_before; }  // of the last try
    std::int64_t count_of_last(Shop& shop) const
    {
        return shop.count("SELECT count(*) FROM pedidos WHERE item = '" + key + "'");
    }

    static constexpr int tries_max = 5;  // nothing stands still that often

    test::TextCutter proxy{static_cast<std::uint16_t>(server().port())};
    std::string key;  // of the last try
    int keys = 0;
    int strikes_before = 0;
};

TEST_F(PostgresFaults, AtomicRunWhoseCommitGotNoAnswerFindsItself)
{
    Shop shop{url()};

    const auto outcome = until_inserted(shop, [&] {
        shop.calls = 0;
        proxy.cut_answer_with(std::string{"COMMIT\0", 7});
        return shop.engine->atomically(request("pedidos.criar", key), shop.inserting(key));
    });

    EXPECT_EQ(get<Executed>(outcome).response.body, "made " + key);
    EXPECT_EQ(strikes(), 1);
    EXPECT_EQ(shop.calls, 1);
    EXPECT_EQ(count_of_last(shop), 1);
}

TEST_F(PostgresFaults, AtomicRunWhoseCommitNeverArrivedRunsAgain)
{
    // Without named statements COMMIT is seen in the request.
    Shop shop{url("umavez_pooler=transaction")};

    const auto outcome = until_inserted(shop, [&] {
        shop.calls = 0;
        proxy.cut_request_with(std::string{"COMMIT\0", 7});
        return shop.engine->atomically(request("pedidos.criar", key), shop.inserting(key));
    });

    EXPECT_EQ(get<Executed>(outcome).response.body, "made " + key);
    EXPECT_EQ(strikes(), 1);
    EXPECT_EQ(shop.calls, 2);
    EXPECT_EQ(count_of_last(shop), 1);
}

TEST_F(PostgresFaults, UnkeyedTransactionWithoutAnAnswerIsUnknownAndNotRepeated)
{
    Shop shop{url()};
    Request unkeyed = request("pedidos.criar", "k1");
    unkeyed.key.reset();
    proxy.cut_answer_with(std::string{"COMMIT\0", 7});

    const auto outcome = shop.engine->atomically(unkeyed, shop.inserting("a"));

    EXPECT_EQ(get<Unavailable>(outcome).effect, Effect::unknown);
    EXPECT_EQ(shop.calls, 1);
    EXPECT_EQ(shop.count(), 1);
}

TEST_F(PostgresFaults, ClaimWhoseAnswerIsLostIsRecognised)
{
    Shop shop{url()};
    int effects = 0;
    const auto send = [&](Lease&) {
        ++effects;
        return Response{.status = 202, .headers = {}, .body = "sent"};
    };
    static_cast<void>(until_told([&] {
        return shop.engine->leased(request("enviar", "warm"), send);
    }));

    const auto claim = [&] {
        effects = 0;
        proxy.cut_answer_with("SELECT 1");  // the tag of the statement that inserted one record
        return shop.engine->leased(request("enviar", key), send);
    };
    const auto outcome = until_executed(claim, [&] { return effects; });

    EXPECT_EQ(get<Executed>(outcome).response.body, "sent");
    EXPECT_EQ(strikes(), 1);
    EXPECT_EQ(effects, 1);
}

TEST_F(PostgresFaults, CompletionWhoseAnswerIsLostIsWrittenOnce)
{
    Shop shop{url()};
    int effects = 0;
    const auto send = [&](Lease&) {
        ++effects;
        proxy.cut_answer_with("SELECT 1");
        return Response{.status = 202, .headers = {}, .body = "sent"};
    };

    const auto run = [&] {
        effects = 0;
        return shop.engine->leased(request("enviar", key), send);
    };
    const auto first = until_executed(run, [&] { return effects; });
    const int struck = strikes();
    const auto second =
        until_told([&] { return shop.engine->leased(request("enviar", key), send); });

    EXPECT_EQ(get<Executed>(first).response.body, "sent");
    EXPECT_EQ(get<Replayed>(second).response.body, "sent");
    EXPECT_EQ(struck, 1);
    EXPECT_EQ(effects, 1);
}

TEST_F(PostgresFaults, SlowAnswersAndHalfClosedConnectionsChangeNothing)
{
    Shop shop{url()};
    const auto insert = [&](const char* name) {
        static_cast<void>(until_told([&] {
            return shop.engine->atomically(request("pedidos.criar", name), shop.inserting(name));
        }));
    };
    proxy.delay(50);
    insert("slow");
    proxy.delay(0);
    proxy.half_close_next();
    insert("half");
    insert("after");

    EXPECT_EQ(shop.count(), 3);
}

TEST_F(PostgresFaults, WherePacketsVanishCallersAreToldInTime)
{
    Shop shop{url("connect_timeout=5"), 30s, Policy{}};
    proxy.swallow_all(true);
    // Those that were under way when it began wait for their limit.
    static_cast<void>(shop.engine->atomically(request("pedidos.criar", "k0"), shop.inserting("a")));
    wait_for_quick("callers are told before a connection is given up", 4s, [&] {
        const auto outcome =
            shop.engine->atomically(request("pedidos.criar", "k1"), shop.inserting("a"));
        EXPECT_EQ(get<Unavailable>(outcome).effect, Effect::none);
    });
    proxy.swallow_all(false);
}

// libpq's own connect_timeout, which would go on to the next host, holds for its blocking calls alone.
TEST_F(PostgresFaults, AHostThatSwallowsPacketsIsPassedOver)
{
    {
        const Shop prepared{server().url()};
    }
    proxy.swallow_all(true);
    int opened = 0;

    // One connection found out, and the others went where it arrived.
    wait_for_quick("only one connection finds out", 3s, [&] {
        Shop shop{
            "postgres://postgres@127.0.0.1:" + std::to_string(proxy.port()) +
            ",127.0.0.1:" + std::to_string(server().port()) + "/postgres?connect_timeout=1"
        };
        const std::string name = std::to_string(++opened);
        static_cast<void>(until_told([&] {
            return shop.engine->atomically(request("pedidos.criar", name), shop.inserting(name));
        }));
    });
}

TEST_F(PostgresFaults, ServerKilledUnderLoadKeepsEveryAcknowledgedEffectOnce)
{
    Shop shop{server().url()};
    constexpr int callers = 8;
    constexpr int each = 40;
    std::atomic<int> done{0};
    std::atomic<bool> is_over{false};
    struct Ending {  // even if the server does not come back
        std::atomic<bool>& is_over;
        ~Ending() { is_over = true; }
    };
    std::vector<std::jthread> threads;
    const Ending ending{is_over};
    for (int caller = 0; caller < callers; ++caller) {
        threads.emplace_back([&, caller] {
            for (int i = 0; i < each; ++i) {
                const std::string name = std::to_string(caller) + "-" + std::to_string(i);
                // As a client does: again until somebody answers.
                while (!is_over) {
                    const auto outcome = shop.engine->atomically(
                        request("pedidos.criar", name), shop.inserting(name)
                    );
                    if (!outcome) continue;
                    if (std::holds_alternative<Executed>(*outcome)) break;
                    if (std::holds_alternative<Replayed>(*outcome)) break;
                }
                ++done;
            }
        });
    }
    for (const int moment : {40, 120, 200}) {
        test::wait_until("callers get on", [&] { return done >= moment; });
        server().kill();
        server().start();
    }
    test::wait_until("everybody is answered", [&] { return done >= callers * each; });
    threads.clear();

    EXPECT_EQ(shop.count(), callers * each);
    EXPECT_EQ(shop.count("SELECT count(DISTINCT item) FROM pedidos"), callers * each);
}

// Lanes commit at the end of their trip, where a deferred constraint says no.
TEST_F(PostgresFaults, ACommitThatIsRefusedAtTheEndOfTheTripIsNotTakenForDone)
{
    // A claim that is refused each time is asked again for so long.
    Shop shop{server().url(), 30s, Shop::patient(), EngineOptions{}.store_patience};
    server().run(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION "
        "''no''; END'; "
        "CREATE CONSTRAINT TRIGGER late AFTER INSERT ON umavez_records DEFERRABLE INITIALLY "
        "DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION refuse()"
    );
    int calls = 0;

    const auto outcome = shop.engine->leased(request("enviar", "refused"), [&](Lease&) {
        ++calls;
        return Response{.status = 202};
    });
    server().run("DROP TRIGGER late ON umavez_records; DROP FUNCTION refuse()");

    EXPECT_FALSE(outcome && std::holds_alternative<Executed>(*outcome));
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(shop.count("SELECT count(*) FROM umavez_records WHERE key = 'refused'"), 0);
}

// What a function writes is undone with the rest, although the statement looks like a read.
TEST_F(PostgresFaults, AFunctionThatWritesIsUndoneWhereTheHandlerRefuses)
{
    Shop shop{server().url()};
    server().run(
        "CREATE FUNCTION reserve(what text) RETURNS bigint LANGUAGE sql AS "
        "'INSERT INTO pedidos (item) VALUES (what) RETURNING id'"
    );

    const auto outcome = shop.engine->atomically(
        request("pedidos.criar", "reserved"),
        [](Transaction& transaction) -> Result<Response> {
            const auto rows = transaction.query("SELECT reserve($1)", {std::string{"reserved"}});
            if (!rows) return std::unexpected(rows.error());
            return Response{.status = 422};
        }
    );
    server().run("DROP FUNCTION reserve(text)");

    EXPECT_TRUE(outcome) << outcome.error().detail;
    EXPECT_EQ(shop.count("SELECT count(*) FROM pedidos WHERE item = 'reserved'"), 0);
}

// The child claims and tells so; stopped, it loses its lease; woken, its word comes too late.
TEST_F(PostgresFaults, OwnerStoppedBeyondItsLeaseIsFenced)
{
    // Its threads are gone before the fork: a child of a process with threads may not even allocate.
    {
        const Shop prepared{server().url()};
    }
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const std::string address = server().url();
    const pid_t child = ::fork();
    if (child == 0) {
        Shop shop{address, 300ms};
        bool has_run = false;
        Result<Outcome> outcome;
        // Where the claim takes as long as its lease nothing runs under it.
        while (!has_run) {
            outcome = shop.engine->leased(request("enviar", "k1"), [&](Lease&) {
                has_run = true;
                static_cast<void>(::write(told[1], "c", 1));
                ::raise(SIGSTOP);
                return Response{.status = 202, .headers = {}, .body = "the first"};
            });
        }
        const bool is_executed = outcome && std::holds_alternative<Executed>(*outcome);
        static_cast<void>(::write(told[1], is_executed ? "e" : "f", 1));
        ::_exit(0);
    }
    char said = 0;
    ASSERT_EQ(::read(told[0], &said, 1), 1);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
    Shop shop{address};
    const auto second = until_told([&] {
        return shop.engine->leased(request("enviar", "k1"), [](Lease&) {
            return Response{.status = 202, .headers = {}, .body = "the second"};
        });
    });
    ::kill(child, SIGCONT);
    ASSERT_EQ(::read(told[0], &said, 1), 1);
    ::waitpid(child, &status, 0);
    ::close(told[0]);
    ::close(told[1]);

    EXPECT_EQ(body_told(second), "the second");
    EXPECT_EQ(said, 'f');
    const auto retry = until_told([&] {
        return shop.engine->leased(request("enviar", "k1"), [](Lease&) { return Response{}; });
    });
    EXPECT_EQ(get<Replayed>(retry).response.body, "the second");
}

}  // namespace
}  // namespace umavez::faults
