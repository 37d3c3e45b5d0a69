#pragma once

// Opened: a database, an engine and the market on it, inside the test's own process.
// Thread-safe after construction.

#include "market.hpp"
#include "support/patiently.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace umavez::crash {

struct Places {
    std::string database_directory;
    std::string ledger_directory;  // elsewhere where the database's disk is made to fail
};

class Opened {
public:
    explicit Opened(const Places& places, Timing timing = {}, EngineOptions options = quick())
        : market_({
              .directory = places.ledger_directory,
              .timing = timing,
              .on_broken = [](const std::string& what) { ADD_FAILURE() << what; },
          })
    {
        database_ = get(open_database("sqlite:" + places.database_directory + "/crash.db"));
        check(test::patiently("the tables are made", [&] { return Market::prepare(*database_); }));
        engine_ = get(open_engine(*database_, std::move(options)));
        check(market_.declare(*engine_));
        check(engine_->start());
    }

    // No worker, and little patience with a disk that fails.
    static EngineOptions quick()
    {
        return {
            .worker_period = std::nullopt,
            .store_patience = std::chrono::milliseconds{300},
        };
    }

    Engine& engine() noexcept { return *engine_; }
    Database& database() noexcept { return *database_; }
    Market& market() noexcept { return market_; }
    Answer call(const Intent& intent) { return market_.call(*engine_, intent); }

    // Retries until the last answer.
    Answer call_until_last(const Intent& intent)
    {
        Answer answer;
        test::wait_until("the last answer to " + intent.key(), [&] {
            answer = call(intent);
            return answer.is_last;
        });
        return answer;
    }

private:
    template <typename T>
    static T get(Result<T> result)
    {
        if (!result) throw std::runtime_error{result.error().detail};
        return *std::move(result);
    }
    static void check(const Result<void>& result)
    {
        if (!result) throw std::runtime_error{result.error().detail};
    }

    Market market_;
    std::unique_ptr<Database> database_;
    std::unique_ptr<Engine> engine_;
};

}  // namespace umavez::crash
