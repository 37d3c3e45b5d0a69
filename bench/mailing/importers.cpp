#include "mailing/importers.hpp"

#include "mailing/mailing_side.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace umavez::bench {
namespace {

double seconds_of(const std::string& command)
{
    const auto begin = std::chrono::steady_clock::now();
    if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void check(std::size_t found, const ListFiles& files)
{
    if (found != files.rows) throw std::runtime_error(fmt::format("{} rows came in", found));
}

}  // namespace

double sqlite_import(const std::string& database, const ListFiles& files)
{
    {
        const MailingSide made{"sqlite:" + database};
    }
    const std::string script = database + ".sql";
    std::ofstream{script} << "PRAGMA synchronous = FULL;\n.import --csv " << files.sqlite
                          << " mailing_entries\n";
    const double seconds =
        seconds_of(fmt::format("sqlite3 -bail {} < {} > /dev/null", database, script));
    MailingSide side{"sqlite:" + database};
    check(side.count_entries("PENDING"), files);
    return static_cast<double>(files.rows) / seconds;
}

double postgres_copy(test::PostgresServer& server, const ListFiles& files)
{
    const test::PostgresSchema schema{server};
    MailingSide side{schema.url("umavez_connections=4")};
    const double seconds = seconds_of(fmt::format(
        "{}/psql -qX -v ON_ERROR_STOP=1 '{}' -c \"\\copy mailing_entries ({}) FROM '{}' CSV\"",
        test::PostgresServer::binaries(),
        schema.url(),
        copied_columns,
        files.postgres
    ));
    check(side.count_entries("PENDING"), files);
    return static_cast<double>(files.rows) / seconds;
}

}  // namespace umavez::bench
