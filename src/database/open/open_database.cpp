// open_database: the one place that knows which databases there are.

#include "database/postgres/postgres_database.hpp"
#include "database/sqlite/sqlite_database.hpp"

namespace umavez {

Result<std::unique_ptr<Database>> open_database(
    std::string_view url, const DatabaseOptions& options
)
{
    // Each is a thread and a connection.
    constexpr std::size_t readers_max = 64;
    if (options.readers > readers_max) {
        return fail(
            Errc::misconfigured,
            "readers: " + std::to_string(options.readers) + " is too many; at most 64"
        );
    }
    if (pg::is_postgres_url(url)) {
        const auto postgres = pg::parse_postgres_url(url);
        if (!postgres) return std::unexpected(postgres.error());
        return pg::PostgresDatabase::open(*postgres, options);
    }
    const auto parsed = parse_database_url(url);
    if (!parsed) return std::unexpected(parsed.error());
    return SqliteDatabase::open(*parsed, options);
}

}  // namespace umavez
