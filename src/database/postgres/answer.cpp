#include "database/postgres/answer.hpp"

#include "database/postgres/parameters.hpp"

#include <charconv>
#include <cstdlib>
#include <libpq-fe.h>

namespace umavez::pg {
namespace {

std::string_view to_view(const char* text) noexcept
{
    return text == nullptr ? std::string_view{} : std::string_view{text};
}

std::string_view field(const pg_result* result, int code) noexcept
{
    return to_view(PQresultErrorField(result, code));
}

int digit_of(char hex) noexcept
{
    return hex <= '9' ? hex - '0' : (hex | 0x20) - 'a' + 10;
}

// "\x68656c6c6f"
Blob to_blob(std::string_view hex)
{
    Blob blob;
    if (!hex.starts_with("\\x")) return blob;
    hex.remove_prefix(2);
    blob.bytes.reserve(hex.size() / 2);
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        blob.bytes += static_cast<char>(digit_of(hex[i]) * 16 + digit_of(hex[i + 1]));
    }
    return blob;
}

std::optional<std::int64_t> to_integer(std::string_view text) noexcept
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

Value to_value(std::string_view text, Oid type)
{
    switch (type) {
        case type::boolean: return std::int64_t{text == "t"};
        case type::int2:
        case type::int4:
        case type::int8:
        case type::oid: return to_integer(text).value_or(0);
        case type::bytea: return to_blob(text);
        case type::numeric:
            // SQLite's sum() of integers is an integer, PostgreSQL's a numeric.
            if (const auto whole = to_integer(text)) return *whole;
            [[fallthrough]];
        case type::float4:
        case type::float8: return std::strtod(std::string{text}.c_str(), nullptr);
        default: return std::string{text};
    }
}

}  // namespace

void Answer::Clear::operator()(pg_result* result) const noexcept
{
    PQclear(result);
}

bool Answer::is_ok() const noexcept
{
    const ExecStatusType status = PQresultStatus(result_.get());
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

bool Answer::is_skipped() const noexcept
{
    return PQresultStatus(result_.get()) == PGRES_PIPELINE_ABORTED;
}

std::string_view Answer::sqlstate() const noexcept
{
    return field(result_.get(), PG_DIAG_SQLSTATE);
}

Remedy Answer::remedy() const noexcept
{
    // A schema that changed under a prepared statement: the same words, prepared anew, will do.
    if (sqlstate() == "0A000" &&
        field(result_.get(), PG_DIAG_SOURCE_FUNCTION) == "RevalidateCachedQuery") {
        return Remedy::reconnect;
    }
    return remedy_of(sqlstate());
}

Error Answer::error() const
{
    const pg_result* const result = result_.get();
    const PGresult* const failed = result;
    std::string_view message = field(failed, PG_DIAG_MESSAGE_PRIMARY);
    if (message.empty()) message = to_view(PQresultErrorMessage(failed));
    Error error = to_error(
        {.sqlstate = sqlstate(),
         .message = message,
         .constraint = field(failed, PG_DIAG_CONSTRAINT_NAME),
         .table = field(failed, PG_DIAG_TABLE_NAME),
         .column = field(failed, PG_DIAG_COLUMN_NAME)},
        sql_
    );
    if (remedy() != Remedy::none) error.code = Errc::store_unavailable;
    return error;
}

std::size_t Answer::rows() const noexcept
{
    return static_cast<std::size_t>(PQntuples(result_.get()));
}

std::size_t Answer::columns() const noexcept
{
    return static_cast<std::size_t>(PQnfields(result_.get()));
}

std::string_view Answer::command() const noexcept
{
    return to_view(PQcmdStatus(result_.get()));
}

std::int64_t Answer::changed() const noexcept
{
    const std::string_view tag = command();
    if (!tag.starts_with("INSERT") && !tag.starts_with("UPDATE") && !tag.starts_with("DELETE") &&
        !tag.starts_with("MERGE")) {
        return 0;
    }
    return to_integer(to_view(PQcmdTuples(result_.get()))).value_or(0);
}

bool Answer::is_null(std::size_t row, std::size_t column) const noexcept
{
    return PQgetisnull(result_.get(), static_cast<int>(row), static_cast<int>(column)) != 0;
}

std::string_view Answer::bytes(std::size_t row, std::size_t column) const noexcept
{
    const int r = static_cast<int>(row);
    const int c = static_cast<int>(column);
    return {
        PQgetvalue(result_.get(), r, c), static_cast<std::size_t>(PQgetlength(result_.get(), r, c))
    };
}

std::int64_t Answer::integer(std::size_t row, std::size_t column) const noexcept
{
    const std::string_view value = bytes(row, column);
    // A smaller integer keeps its sign.
    std::uint64_t number = !value.empty() && (value[0] & 0x80) != 0 ? ~std::uint64_t{0} : 0;
    for (const char byte : value) number = number << 8 | static_cast<std::uint8_t>(byte);
    return static_cast<std::int64_t>(number);
}

Row Answer::row(std::size_t row) const
{
    Values values;
    values.reserve(columns());
    for (std::size_t column = 0; column < columns(); ++column) {
        if (is_null(row, column)) {
            values.emplace_back();
        } else {
            values.push_back(
                to_value(bytes(row, column), PQftype(result_.get(), static_cast<int>(column)))
            );
        }
    }
    return Row{std::move(values)};
}

}  // namespace umavez::pg
