#include "database/sqlite/sqlite_error.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

namespace umavez {
namespace {

constexpr std::size_t sql_shown_max = 160;

// What an operator can do about it, or nothing.
std::string cure_of(const SqliteFailure& failure)
{
    switch (failure.code & 0xff) {
        case SQLITE_FULL:
            return fmt::format(
                "no space left for {}: free some, no restart is needed", failure.path
            );
        case SQLITE_READONLY:
            return fmt::format(
                "{} cannot be written: check its owner, its mode and the mount", failure.path
            );
        case SQLITE_CANTOPEN:
            return fmt::format("{} cannot be opened: check the path and its rights", failure.path);
        case SQLITE_IOERR:
            return fmt::format("input/output error on {}: check the disk", failure.path);
        case SQLITE_CORRUPT:
            return fmt::format("{} is damaged: stop, and restore a backup", failure.path);
        case SQLITE_NOTADB:
            return fmt::format("{} is not an SQLite database: choose another path", failure.path);
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return fmt::format("another program holds {} locked: close it", failure.path);
        case SQLITE_NOMEM: return "out of memory";
        case SQLITE_AUTH:
            return "transactions, pragmas and attached databases belong to umavez: use nested()";
        default: return {};
    }
}

Errc code_of(int code) noexcept
{
    switch (code) {
        case SQLITE_CONSTRAINT_UNIQUE:
        case SQLITE_CONSTRAINT_PRIMARYKEY:
        case SQLITE_CONSTRAINT_ROWID: return Errc::unique_violation;
        default: break;
    }
    switch (code & 0xff) {
        case SQLITE_FULL:
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
        case SQLITE_IOERR:
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
        case SQLITE_NOMEM:
        case SQLITE_PROTOCOL:
        case SQLITE_INTERRUPT: return Errc::store_unavailable;
        default: return Errc::sql;
    }
}

}  // namespace

Error to_error(const SqliteFailure& failure)
{
    std::string detail = cure_of(failure);
    if (!detail.empty()) detail += "; ";
    detail += fmt::format("SQLite says \"{}\" ({})", failure.message, failure.code);
    if (!failure.sql.empty()) {
        const bool is_cut = failure.sql.size() > sql_shown_max;
        detail +=
            fmt::format(" in: {}{}", failure.sql.substr(0, sql_shown_max), is_cut ? " …" : "");
    }
    return {code_of(failure.code), std::move(detail), std::source_location::current()};
}

bool needs_reopen(int code) noexcept
{
    switch (code & 0xff) {
        case SQLITE_IOERR:
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
        case SQLITE_PROTOCOL: return true;
        default: return false;
    }
}

}  // namespace umavez
