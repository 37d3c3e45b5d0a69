// Migrations: each step and its row in umavez_migrations in one transaction, shared with nobody.

#include "database/migration_plan.hpp"
#include "database/sqlite/sqlite_database.hpp"

namespace umavez {
namespace {

// Nobody waits for a migration but the start of the program.
constexpr auto migration_limit = std::chrono::hours{24};

Result<AppliedMigrations> read_applied(Transaction& transaction)
{
    const auto rows = transaction.query("SELECT module, version FROM umavez_migrations");
    if (!rows) return std::unexpected(rows.error());
    AppliedMigrations applied;
    for (const Row& row : *rows) {
        applied[row.text(0)].insert(static_cast<int>(row.integer(1)));
    }
    return applied;
}

class MigrationWork final : public Work {
public:
    explicit MigrationWork(const Migration& migration) noexcept : migration_(migration)
    {
        is_alone = true;
        run_limit = migration_limit;
    }

    Result<void> run(SqliteTransaction& transaction) override
    {
        if (auto ran = transaction.run_script(migration_.sql); !ran) return ran;
        const auto noted = transaction.execute(
            "INSERT INTO umavez_migrations (module, version, applied_at) VALUES ($1, $2, $3)",
            {migration_.module, std::int64_t{migration_.version}, to_micros(transaction.now())}
        );
        if (!noted) return std::unexpected(noted.error());
        return {};
    }

private:
    const Migration& migration_;
};

Task<Result<void>> run_migration(Lane& lane, const Migration& migration)
{
    MigrationWork work{migration};
    Result<void> done = co_await lane.run(work);
    co_return done;
}

}  // namespace

Result<void> SqliteDatabase::migrate(std::span<const Migration> migrations)
{
    AppliedMigrations applied;
    const auto have_read = read([&applied](Transaction& transaction) -> Result<void> {
        auto found = read_applied(transaction);
        if (!found) return std::unexpected(found.error());
        applied = std::move(*found);
        return {};
    });
    if (!have_read) return have_read;
    const auto missing = plan_migrations(migrations, applied);
    if (!missing) return std::unexpected(missing.error());
    for (const Migration* const migration : *missing) {
        auto done = wait(run_migration(*lane_, *migration));
        if (!done) {
            done.error().detail = "migration " + std::to_string(migration->version) + " of " +
                                  migration->module + ": " + done.error().detail;
            return done;
        }
    }
    return {};
}

Result<std::vector<MigrationState>> SqliteDatabase::migration_state(
    std::span<const Migration> migrations
)
{
    std::vector<MigrationState> states;
    const auto have_read = read([&](Transaction& transaction) -> Result<void> {
        const auto applied = read_applied(transaction);
        if (!applied) return std::unexpected(applied.error());
        states = state_of_migrations(migrations, *applied);
        return {};
    });
    if (!have_read) return std::unexpected(have_read.error());
    return states;
}

}  // namespace umavez
