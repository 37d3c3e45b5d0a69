// The same promises with real threads: whoever comes at the same instant, one wins (hazards C-01, C-02,
// L-06, T-02). Runs under the thread sanitizer too.

#include "conformance/store_conformance.hpp"

#include <array>
#include <atomic>
#include <barrier>
#include <functional>
#include <thread>

namespace umavez::test {
namespace {

class StoreUnderThreads : public StoreConformance {
protected:
    // Runs every body on a thread of its own; all start together, in each of `rounds` rounds.
    static void together(
        std::size_t threads, std::size_t rounds, const std::function<void(std::size_t, std::size_t)>& body
    )
    {
        std::barrier start{static_cast<std::ptrdiff_t>(threads)};
        std::vector<std::jthread> running;
        for (std::size_t thread = 0; thread < threads; ++thread) {
            running.emplace_back([&, thread] {
                for (std::size_t round = 0; round < rounds; ++round) {
                    start.arrive_and_wait();
                    body(thread, round);
                }
            });
        }
    }
    static RecordId id_in(std::size_t round) { return id_of("round-" + std::to_string(round)); }
    static std::uint8_t execution_in(std::size_t thread) { return static_cast<std::uint8_t>(thread + 1); }
};

constexpr std::size_t rounds = 100;

TEST_P(StoreUnderThreads, ConcurrentClaimsHaveOneOwner)
{
    std::vector<std::atomic<int>> owners(rounds);
    std::vector<std::atomic<int>> agreeing(rounds);

    together(8, rounds, [&](std::size_t thread, std::size_t round) {
        StoreDriver driver = this->driver();
        const Found found = driver.insert(id_in(round), execution_in(thread));
        owners[round] += found.inserted ? 1 : 0;
        const bool is_mine = found.record.token.execution == execution_of(execution_in(thread));
        agreeing[round] += is_mine == found.inserted ? 1 : 0;
    });

    for (std::size_t round = 0; round < rounds; ++round) {
        EXPECT_EQ(owners[round], 1);
        EXPECT_EQ(agreeing[round], 8);
    }
}

TEST_P(StoreUnderThreads, ConcurrentTakersHaveOneOwner)
{
    StoreDriver driver = this->driver();
    std::vector<Record> abandoned;
    for (std::size_t round = 0; round < rounds; ++round) {
        abandoned.push_back(driver.insert(id_in(round), 100).record);
    }
    clock_.advance(1min);
    std::vector<std::atomic<int>> owners(rounds);

    together(8, rounds, [&](std::size_t thread, std::size_t round) {
        StoreDriver mine = this->driver();
        const bool done = mine.take(id_in(round), abandoned[round], execution_in(thread)).done;
        owners[round] += done ? 1 : 0;
    });

    for (std::size_t round = 0; round < rounds; ++round) {
        EXPECT_EQ(owners[round], 1);
        EXPECT_EQ(driver.find(id_in(round))->takeovers, 1u);
    }
}

TEST_P(StoreUnderThreads, OneOfTakeoverHeartbeatAndCompletionComesFirst)
{
    StoreDriver driver = this->driver();
    std::vector<Record> abandoned;
    for (std::size_t round = 0; round < rounds; ++round) {
        abandoned.push_back(driver.insert(id_in(round), 100).record);
    }
    clock_.advance(1min);
    std::vector<std::array<bool, 3>> done(rounds);

    together(3, rounds, [&](std::size_t thread, std::size_t round) {
        StoreDriver mine = this->driver();
        const Record& read = abandoned[round];
        bool& mine_done = done[round][thread];
        if (thread == 0) mine_done = mine.take(id_in(round), read, 1).done;
        if (thread == 1) mine_done = mine.heartbeat(id_in(round), read.token).done;
        if (thread == 2) mine_done = mine.finish(id_in(round), read).done;
    });

    for (std::size_t round = 0; round < rounds; ++round) {
        const auto [taken, beaten, finished] = done[round];
        EXPECT_NE(taken, finished) << "exactly one of them has the record";
        EXPECT_FALSE(taken && beaten) << "a heartbeat after the takeover is refused, one before it wins";
        const Status expected = taken ? Status::processing : Status::succeeded;
        EXPECT_EQ(driver.find(id_in(round))->status, expected);
    }
}

TEST_P(StoreUnderThreads, RepeatedCompletionsAreAcceptedOnce)
{
    StoreDriver driver = this->driver();
    std::vector<Record> owned;
    for (std::size_t round = 0; round < rounds; ++round) {
        owned.push_back(driver.insert(id_in(round), 100).record);
    }
    std::vector<std::atomic<int>> accepted(rounds);

    together(4, rounds, [&](std::size_t thread, std::size_t round) {
        StoreDriver mine = this->driver();
        const auto answer = stored(201, "by " + std::to_string(thread));
        const Replaced replaced = mine.finish(id_in(round), owned[round], answer);
        accepted[round] += replaced.done ? 1 : 0;
        EXPECT_TRUE(replaced.done || is_intact(*replaced.record->response)) << "never half a response";
    });

    for (std::size_t round = 0; round < rounds; ++round) EXPECT_EQ(accepted[round], 1);
}

TEST_P(StoreUnderThreads, SweepNeverTakesWhatWasClaimedAgain)
{
    StoreDriver driver = this->driver();
    std::vector<Record> spent;
    for (std::size_t round = 0; round < rounds; ++round) {
        const Record owned = driver.insert(id_in(round), 100).record;
        driver.finish(id_in(round), owned);
        spent.push_back(*driver.find(id_in(round)));
    }
    clock_.advance(48h);
    std::vector<std::atomic<bool>> claimed(rounds);
    std::vector<std::atomic<bool>> swept(rounds);

    together(3, rounds, [&](std::size_t thread, std::size_t round) {
        StoreDriver mine = this->driver();
        if (thread == 0) {
            claimed[round] = mine.take(id_in(round), spent[round], 1).done;
        } else if (thread == 1) {
            for (const RecordId& id : mine.sweep(1)) {
                swept[std::stoul(id.key.text().substr(std::string("round-").size()))] = true;
            }
        } else {
            const std::optional<Record> seen = mine.find(id_in(round));
            EXPECT_TRUE(!seen || !seen->response || is_intact(*seen->response));
        }
    });

    for (std::size_t round = 0; round < rounds; ++round) {
        const bool is_there = driver.find(id_in(round)).has_value();
        EXPECT_FALSE(claimed[round] && swept[round]) << round;
        EXPECT_EQ(is_there, !swept[round]) << round;
    }
}

TEST_P(StoreUnderThreads, ReadersSeeWholeRecordsWhileWritersWrite)
{
    std::atomic<bool> is_over = false;
    std::jthread reader{[&] {
        StoreDriver mine = this->driver();
        while (!is_over) {
            for (const NamedRecord& named : mine.scan({})) {
                EXPECT_TRUE(!named.record.response || is_intact(*named.record.response));
                EXPECT_EQ(named.record.response.has_value(), is_completed(named.record));
            }
            mine.due({.abandoned = {id_in(0).operation}, .in_doubt = {}});
            mine.count();
            mine.timeline(id_in(0));
        }
    }};

    together(4, rounds / 2, [&](std::size_t thread, std::size_t round) {
        StoreDriver mine = this->driver();
        const RecordId id = id_of(std::to_string(thread) + "-" + std::to_string(round));
        const Record owned = mine.insert(id, 1).record;
        store().note(id_in(0), {AuditEvent::replayed, ""});
        EXPECT_TRUE(mine.finish(id, owned, stored(201, std::string(2'000, 'b'))).done);
    });
    is_over = true;
}

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreUnderThreads, ::testing::ValuesIn(store_factories()), factory_name
);

}  // namespace
}  // namespace umavez::test
