#include "simulation/postgres_ground.hpp"

#include "simulation/clocks.hpp"
#include "simulation/ledger_table.hpp"
#include "store/postgres/postgres_store.hpp"

#include <utility>

namespace umavez::simulation {
namespace {

// Only a database of ours may be emptied.
Result<void> check_ours(Database& database)
{
    bool has_records = false;
    bool has_ledger = false;
    auto read = database.read([&](Transaction& transaction) -> Result<void> {
        const auto rows = transaction.query(
            "SELECT to_regclass('umavez_records') IS NOT NULL, to_regclass('sim_ledger') IS NOT NULL"
        );
        if (!rows) return std::unexpected(rows.error());
        has_records = rows->front().integer(0) != 0;
        has_ledger = rows->front().integer(1) != 0;
        return {};
    });
    if (!read) return read;
    if (!has_records || has_ledger) return {};
    return fail(
        Errc::misconfigured,
        database.url() + ": holds records of umavez that a simulation would delete; give it a database of "
                         "its own"
    );
}

}  // namespace

Instant PostgresGround::GroundClock::realtime() const
{
    return world_began + boottime();
}

Result<std::unique_ptr<PostgresGround>> PostgresGround::open(const std::string& url)
{
    std::unique_ptr<PostgresGround> ground{new PostgresGround};
    // One event at a time: nobody waits for a second connection.
    auto database = open_database(
        url, {.clock = &ground->clock_, .durable = false, .readers = 1, .connections = 1}
    );
    if (!database) return std::unexpected(database.error());
    ground->database_ = *std::move(database);
    if (auto ours = check_ours(*ground->database_); !ours) return std::unexpected(ours.error());
    // Before the records: whoever is interrupted here leaves what check_ours() knows.
    if (auto made = make_ledger_table(*ground->database_); !made) return std::unexpected(made.error());
    auto store = open_postgres_store(*ground->database_);
    if (!store) return std::unexpected(store.error());
    ground->store_ = *std::move(store);
    return ground;
}

Result<void> PostgresGround::empty()
{
    return database_->transact([](Transaction& transaction) -> Result<void> {
        const auto done = transaction.execute(
            "TRUNCATE umavez_records, umavez_audit, umavez_swept, sim_ledger RESTART IDENTITY"
        );
        if (!done) return std::unexpected(done.error());
        return {};
    });
}

}  // namespace umavez::simulation
