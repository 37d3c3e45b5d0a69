// open_database: the one place that knows which databases there are.

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
    const auto parsed = parse_database_url(url);
    if (!parsed) return std::unexpected(parsed.error());
    return SqliteDatabase::open(*parsed, options);
}

}  // namespace umavez
