#include "database/postgres/failure.hpp"

#include <fmt/format.h>

namespace umavez::pg {
namespace {

constexpr std::size_t sql_shown_max = 160;

Errc code_of(std::string_view sqlstate) noexcept
{
    if (sqlstate == "23505") return Errc::unique_violation;
    if (remedy_of(sqlstate) != Remedy::none) return Errc::store_unavailable;
    if (sqlstate == "57014") return Errc::store_unavailable;  // statement_timeout, or cancelled
    const std::string_view family = sqlstate.substr(0, 2);
    // Out of space, memory or connections; trouble of the machine.
    if (family == "53" || family == "58") return Errc::store_unavailable;
    return Errc::sql;
}

// Its own words may repeat values of the statement.
bool may_hold_values(std::string_view sqlstate) noexcept
{
    const std::string_view family = sqlstate.substr(0, 2);
    return family == "22" || family == "23" || family == "P0";
}

}  // namespace

Remedy remedy_of(std::string_view sqlstate) noexcept
{
    if (sqlstate.empty()) return Remedy::reconnect;
    if (sqlstate == "40001" || sqlstate == "40P01") return Remedy::run_again;
    if (sqlstate == "08P01") return Remedy::none;       // too few parameters, say
    if (sqlstate == "26000") return Remedy::reconnect;  // a prepared statement that is not there
    if (sqlstate == "55P03") return Remedy::wait_more;
    if (sqlstate == "25006") return Remedy::reconnect;  // read-only: it became a standby
    if (sqlstate == "25P03") return Remedy::reconnect;  // idle in a transaction for too long
    if (sqlstate.starts_with("08") || sqlstate.starts_with("57P")) return Remedy::reconnect;
    return Remedy::none;
}

Errc code_of_refusal(std::string_view sqlstate) noexcept
{
    // Who we are, which database, a parameter it does not know; not "starting up", "too many clients".
    if (sqlstate == "08P01") return Errc::misconfigured;
    const std::string_view family = sqlstate.substr(0, 2);
    const bool is_lasting = family == "28" || family == "3D" || family == "42" || family == "22" ||
                            family == "0A";
    return is_lasting ? Errc::misconfigured : Errc::store_unavailable;
}

Error to_error(const ServerFailure& failure, std::string_view sql)
{
    std::string detail;
    if (failure.sqlstate.starts_with("42501")) {
        detail = "the database role lacks a right (docs/operating/postgres.md lists them); ";
    } else if (failure.sqlstate == "53100") {
        detail = "the database server has no space left: free some, no restart is needed; ";
    } else if (failure.sqlstate == "53300") {
        detail =
            "the database server has no connection left: raise max_connections or lower "
            "umavez_connections; ";
    }
    detail += "PostgreSQL says ";
    if (may_hold_values(failure.sqlstate)) {
        detail += fmt::format("{}", failure.sqlstate);
    } else {
        detail += fmt::format("\"{}\" ({})", failure.message, failure.sqlstate);
    }
    if (!failure.table.empty()) detail += fmt::format(", table {}", failure.table);
    if (!failure.column.empty()) detail += fmt::format(", column {}", failure.column);
    if (!failure.constraint.empty()) detail += fmt::format(", constraint {}", failure.constraint);
    if (!sql.empty()) {
        const bool is_cut = sql.size() > sql_shown_max;
        detail += fmt::format(" in: {}{}", sql.substr(0, sql_shown_max), is_cut ? " …" : "");
    }
    return {code_of(failure.sqlstate), std::move(detail), std::source_location::current()};
}

}  // namespace umavez::pg
