// The tables of the database itself, and migrations: each step and its row in umavez_migrations in
// one transaction, under an advisory lock, so that several processes may start at once. Nothing is
// written where nothing is missing: a role that may not create tables can serve what another has
// prepared.

#include "database/migration_plan.hpp"
#include "database/postgres/postgres_database.hpp"

namespace umavez::pg {
namespace {

// "umavez" in ASCII.
constexpr std::string_view lock_sql = "SELECT pg_advisory_xact_lock(128533904713082)";

constexpr std::string_view are_prepared_sql =
    "SELECT count(*) FROM unnest(ARRAY['umavez_meta', 'umavez_migrations']) AS name "
    "WHERE to_regclass(name) IS NOT NULL";

// Instants are microseconds since 1970.
const std::string meta_schema = R"(
CREATE TABLE IF NOT EXISTS umavez_meta (
    id smallint PRIMARY KEY CHECK (id = 1),
    checks bigint NOT NULL
);
CREATE TABLE IF NOT EXISTS umavez_migrations (
    module text NOT NULL CHECK (length(module) BETWEEN 1 AND 100),
    version integer NOT NULL CHECK (version >= 1),
    applied_at bigint NOT NULL,
    PRIMARY KEY (module, version)
);
INSERT INTO umavez_meta (id, checks) VALUES (1, 0) ON CONFLICT DO NOTHING;
)";

RunOptions patient()
{
    RunOptions options;
    options.run_limit = tuning::migration_limit;
    options.lock_timeout = std::chrono::minutes{10};
    return options;
}

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

Result<void> apply(PostgresTransaction& transaction, const Migration& migration)
{
    if (auto locked = transaction.query(lock_sql, {}); !locked) {
        return std::unexpected(locked.error());
    }
    // Another process may have been quicker.
    const auto applied = read_applied(transaction);
    if (!applied) return std::unexpected(applied.error());
    const auto versions = applied->find(migration.module);
    if (versions != applied->end() && versions->second.contains(migration.version)) return {};
    if (auto ran = transaction.run_script(migration.sql); !ran) return ran;
    const auto noted = transaction.execute(
        "INSERT INTO umavez_migrations (module, version, applied_at) VALUES ($1, $2, $3)",
        {migration.module, std::int64_t{migration.version}, to_micros(transaction.now())}
    );
    if (!noted) return std::unexpected(noted.error());
    return {};
}

}  // namespace

Result<void> PostgresDatabase::prepare_meta(bool must_exist)
{
    std::int64_t tables = 0;
    auto looked = read([&](Transaction& transaction) -> Result<void> {
        const auto rows = transaction.query(are_prepared_sql);
        if (!rows) return std::unexpected(rows.error());
        tables = rows->at(0).integer(0);
        return {};
    });
    if (!looked || tables == 2) return looked;
    if (must_exist) {
        return fail(
            Errc::misconfigured, "there are no umavez tables here: run umavez migrate first"
        );
    }
    Closure closure = [](Transaction& transaction) -> Result<void> {
        if (auto locked = transaction.query(lock_sql); !locked) {
            return std::unexpected(locked.error());
        }
        return static_cast<PostgresTransaction&>(transaction).run_script(meta_schema);
    };
    return wait(async_run(std::move(closure), patient()));
}

Result<void> PostgresDatabase::migrate(std::span<const Migration> migrations)
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
        Closure closure = [migration](Transaction& transaction) -> Result<void> {
            return apply(static_cast<PostgresTransaction&>(transaction), *migration);
        };
        auto done = wait(async_run(std::move(closure), patient()));
        if (!done) {
            done.error().detail = "migration " + std::to_string(migration->version) + " of " +
                                  migration->module + ": " + done.error().detail;
            return done;
        }
    }
    schema_.know(migrations);
    return {};
}

Result<std::vector<MigrationState>> PostgresDatabase::migration_state(
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

}  // namespace umavez::pg
