#pragma once

// PostgresGround: one PostgreSQL database under the processes of a simulated shop, opened once and emptied
// for every seed.
//
// Its time is the simulated world's: it is set before every command, because lanes read it from threads of
// their own. Confined to the simulation's thread.

#include "simulation/evidence.hpp"
#include "store/transactional_store.hpp"

#include <umavez/time.hpp>
#include <umavez/transaction.hpp>

#include <atomic>
#include <memory>
#include <string>

namespace umavez::simulation {

class PostgresGround {
public:
    // Refuses a database with tables of umavez that no simulation made: they would be emptied.
    static Result<std::unique_ptr<PostgresGround>> open(const std::string& url);

    PostgresGround(const PostgresGround&) = delete;
    PostgresGround& operator=(const PostgresGround&) = delete;

    // Nothing of an earlier seed is left.
    Result<void> empty();

    // `since` the world began, by the clock of its store.
    void set_time(Duration since) noexcept { clock_.since = since.count(); }

    Database& database() noexcept { return *database_; }
    TransactionalStore& store() noexcept { return *store_; }

private:
    struct GroundClock final : Clock {
        Instant realtime() const override;
        Duration boottime() const override { return Duration{since.load()}; }
        std::atomic<Duration::rep> since{0};
    };

    PostgresGround() = default;

    GroundClock clock_;
    std::unique_ptr<Database> database_;
    std::unique_ptr<TransactionalStore> store_;
};

}  // namespace umavez::simulation
