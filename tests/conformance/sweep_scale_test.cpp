// A hundred thousand expired records are swept in bounded batches while claims run (hazards T-01, T-04).
//
// Every fortieth of them is claimed again, by two rivals, just when the sweep comes along: the sweeper and
// the rivals wait for each other so that all are at about the same record. The rivals have the first ones to
// themselves and come late for the last ones, so both ways to a key are met; in between they race. Every
// expired record must end in exactly one way: swept, or replaced by a new claim.

#include "base/limits.hpp"
#include "conformance/store_conformance.hpp"
#include "support/wait.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <iostream>
#include <latch>
#include <mutex>
#include <thread>

namespace umavez::test {
namespace {

constexpr std::size_t expired_count = UMAVEZ_SWEEP_SCALE_RECORDS;
constexpr std::size_t live_count = 2'000;
constexpr std::size_t contested_every = 40;
constexpr std::size_t sweep_batch = 500;
constexpr std::size_t apart_max = 700;   // records between the sweeper and the slower rival
constexpr std::size_t head_start = 400;  // of the rivals
constexpr std::size_t late_from =
    expired_count - expired_count / 10;  // there the sweep comes first
constexpr std::size_t rivals_count = 2;

RecordId expired_id(std::size_t i)
{
    return id_of(fmt::format("expired-{:06}", i));
}

std::size_t number_of(const RecordId& id)
{
    return std::stoul(id.key.text().substr(id.key.text().size() - 6));
}

bool is_contested(std::size_t i)
{
    return i % contested_every == 0;
}

// Where everybody is, in the order in which records expire.
class Places {
public:
    void swept_to(std::size_t place) { set(sweeper_, place); }
    void claimed_to(std::size_t rival, std::size_t place) { set(rivals_[rival], place); }

    // False: the others did not come in time.
    bool sweeper_may_go_on(std::size_t place)
    {
        return comes("the rivals go on", [&] {
            return std::ranges::all_of(rivals_, [&](std::size_t at) {
                return at + apart_max >= place;
            });
        });
    }
    bool are_rivals_done()
    {
        const std::lock_guard guard{mutex_};
        return std::ranges::all_of(rivals_, [](std::size_t at) { return at == expired_count; });
    }
    bool sweeper_may_begin()
    {
        return comes("the rivals come", [&] {
            return std::ranges::all_of(rivals_, [](std::size_t at) { return at >= head_start; });
        });
    }
    bool rival_may_go_on(std::size_t place)
    {
        return comes("the sweeper goes on", [&] {
            return place < late_from ? sweeper_ + apart_max >= place : sweeper_ > place;
        });
    }

private:
    void set(std::size_t& mine, std::size_t place)
    {
        const std::lock_guard guard{mutex_};
        mine = place;
        changed_.notify_all();
    }
    template <typename Ready>
    bool comes(std::string_view what, const Ready& ready)
    {
        std::unique_lock lock{mutex_};
        return is_met(what, changed_, lock, ready);
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t sweeper_ = 0;
    std::array<std::size_t, rivals_count> rivals_{};
};

class SweepAtScale : public StoreConformance {
protected:
    // Completed, `expires_in` from now, as the atomic mode writes it: at once.
    static Insertion completed(const RecordId& id, Duration expires_in)
    {
        Draft draft = StoreDriver::claim(leased_policy(), 9);
        draft.status = Status::succeeded;
        draft.final = true;
        draft.lease.reset();
        draft.response = stored();
        draft.expires_in = expires_in;
        return {id, std::move(draft), std::nullopt};
    }

    void fill(std::size_t count, const std::function<Insertion(std::size_t)>& make)
    {
        std::vector<Insertion> batch;
        for (std::size_t i = 0; i < count; ++i) {
            batch.push_back(make(i));
            if (batch.size() < limits::batch_members_max && i + 1 < count) continue;
            for (const Found& found : must(wait(store().insert_or_get(std::exchange(batch, {}))))) {
                ASSERT_TRUE(found.inserted);
            }
        }
    }

    // Until nothing is left and nobody claims any more.
    void sweep_all()
    {
        StoreDriver driver = this->driver();
        ASSERT_TRUE(places_.sweeper_may_begin()) << "the rivals do not come";
        std::size_t taken = 0;
        while (true) {
            // What rivals replaced does not come to the sweeper.
            const std::size_t gone = taken + replaced_count_;
            places_.swept_to(gone);
            ASSERT_TRUE(places_.sweeper_may_go_on(gone)) << "the rivals stand still";
            const bool is_last = places_.are_rivals_done();
            const std::vector<RecordId> ids = driver.sweep(sweep_batch);
            ASSERT_LE(ids.size(), sweep_batch);
            ++sweeps_;
            for (const RecordId& id : ids) {
                ASSERT_TRUE(id.key.text().starts_with("expired-")) << id.key.text();
                ++swept_[number_of(id)];
            }
            taken += ids.size();
            if (ids.empty() && is_last) break;
        }
    }

    // One of two who want the same keys.
    void claim_contested(std::size_t rival)
    {
        StoreDriver driver = this->driver();
        for (std::size_t i = 0; i < expired_count; i += contested_every) {
            ASSERT_TRUE(places_.rival_may_go_on(i)) << "the sweeper stands still";
            claim_one(driver, i, static_cast<std::uint8_t>(rival + 1));
            places_.claimed_to(rival, i);
        }
        places_.claimed_to(rival, expired_count);
    }

    void claim_one(StoreDriver& driver, std::size_t i, std::uint8_t execution)
    {
        const RecordId id = expired_id(i);
        while (true) {
            const Found found = driver.insert(id, execution);
            if (found.inserted) {
                ++inserted_[i];
                winner_[i] = execution;
                return;
            }
            if (found.record.status == Status::processing) return;  // the other one was faster
            const Replaced replaced = driver.take(id, found.record, execution);
            if (replaced.done) {
                ++replaced_[i];
                ++replaced_count_;
                winner_[i] = execution;
                return;
            }
            if (replaced.record) return;
            // Swept between the look and the claim: the key is free.
        }
    }

    Places places_;
    std::size_t sweeps_ = 0;
    std::atomic<std::size_t> replaced_count_{0};
    std::vector<std::atomic<std::uint8_t>> swept_ =
        std::vector<std::atomic<std::uint8_t>>(expired_count);
    std::vector<std::atomic<std::uint8_t>> inserted_ =
        std::vector<std::atomic<std::uint8_t>>(expired_count);
    std::vector<std::atomic<std::uint8_t>> replaced_ =
        std::vector<std::atomic<std::uint8_t>>(expired_count);
    std::vector<std::atomic<std::uint8_t>> winner_ =
        std::vector<std::atomic<std::uint8_t>>(expired_count);
};

TEST_P(SweepAtScale, TakesAllThatExpiredAndNothingThatLivesWhileClaimsRun)
{
    fill(expired_count, [](std::size_t i) {
        return completed(expired_id(i), 1h + Duration{static_cast<std::int64_t>(i)});
    });
    fill(live_count, [](std::size_t i) {
        return completed(id_of(fmt::format("live-{}", i)), 48h);
    });
    clock_.advance(2h);

    std::atomic<bool> is_over{false};
    std::size_t fresh = 0;
    std::latch has_come{1};
    {
        std::jthread newcomer{[&] {
            StoreDriver driver = this->driver();
            do {
                EXPECT_TRUE(driver.insert(id_of(fmt::format("fresh-{}", fresh))).inserted);
                ++fresh;
                has_come.count_down(has_come.try_wait() ? 0 : 1);
            } while (!is_over);
        }};
        has_come.wait();
        {
            std::vector<std::jthread> racers;
            racers.emplace_back([&] { sweep_all(); });
            for (std::size_t i = 0; i < rivals_count; ++i) {
                racers.emplace_back([&, i] { claim_contested(i); });
            }
        }
        is_over = true;
    }
    // Redis looks again, a second later, at records that were written while it swept.
    clock_.advance(2s);
    EXPECT_EQ(driver().sweep(sweep_batch).size(), 0u);

    StoreDriver driver = this->driver();
    std::size_t by_insert = 0;
    std::size_t by_replace = 0;
    for (std::size_t i = 0; i < expired_count; ++i) {
        ASSERT_EQ(swept_[i] + replaced_[i], 1) << i << " was swept " << int{swept_[i]} << " times";
        ASSERT_EQ(inserted_[i] + replaced_[i], is_contested(i) ? 1 : 0) << i;
        by_insert += inserted_[i];
        by_replace += replaced_[i];
        if (!is_contested(i)) continue;
        const std::optional<Record> record = driver.find(expired_id(i));
        ASSERT_TRUE(record) << i << ": a claim was swept";
        ASSERT_EQ(record->status, Status::processing) << i;
        ASSERT_EQ(record->token.execution, execution_of(winner_[i])) << i;
    }
    std::array<std::size_t, 4> by_status{};
    for (const auto& each : driver.count().by_status) {
        by_status[static_cast<std::size_t>(each.status)] = each.records;
    }
    EXPECT_EQ(by_status[static_cast<std::size_t>(Status::succeeded)], live_count);
    EXPECT_EQ(
        by_status[static_cast<std::size_t>(Status::processing)], by_insert + by_replace + fresh
    );
    EXPECT_GE(sweeps_, (expired_count - by_replace) / sweep_batch);
    // Otherwise nobody raced.
    EXPECT_GT(by_insert, 0u);
    EXPECT_GT(by_replace, 0u);
    EXPECT_GT(fresh, 0u);
    std::cerr << fmt::format(
        "{} sweeps; claimed again: {} after, {} before the sweep; {} new claims meanwhile\n",
        sweeps_,
        by_insert,
        by_replace,
        fresh
    );
}

INSTANTIATE_TEST_SUITE_P(Stores, SweepAtScale, testing::ValuesIn(store_factories()), factory_name);

}  // namespace
}  // namespace umavez::test
