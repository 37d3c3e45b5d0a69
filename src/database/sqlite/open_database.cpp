// open_database: the one place that knows which databases there are.

#include "database/sqlite/sqlite_database.hpp"

namespace umavez {

Result<std::unique_ptr<Database>> open_database(
    std::string_view url, const DatabaseOptions& options
)
{
    const auto parsed = parse_database_url(url);
    if (!parsed) return std::unexpected(parsed.error());
    return SqliteDatabase::open(*parsed, options);
}

}  // namespace umavez
