#include "database/sqlite/statement.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <charconv>

namespace umavez {
namespace {

constexpr std::size_t parameters_max = 1000;

std::size_t next_slot() noexcept
{
    static std::atomic<std::size_t> slots{0};
    return slots.fetch_add(1, std::memory_order_relaxed);
}

// SQLite takes a null pointer for NULL, whatever the length.
const char* never_null(std::string_view bytes) noexcept
{
    return bytes.data() != nullptr ? bytes.data() : "";
}

void bind_value(sqlite3_stmt* handle, int index, const Value& value)
{
    if (const auto* const integer = std::get_if<std::int64_t>(&value)) {
        sqlite3_bind_int64(handle, index, *integer);
    } else if (const auto* const real = std::get_if<double>(&value)) {
        sqlite3_bind_double(handle, index, *real);
    } else if (const auto* const text = std::get_if<std::string>(&value)) {
        sqlite3_bind_text64(handle, index, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
    } else if (const auto* const blob = std::get_if<Blob>(&value)) {
        sqlite3_bind_blob64(handle, index, blob->bytes.data(), blob->bytes.size(), SQLITE_STATIC);
    } else {
        sqlite3_bind_null(handle, index);
    }
}

}  // namespace

StaticSql::StaticSql(std::string_view text) noexcept : text_(text), slot_(next_slot()) {}

Statement::~Statement()
{
    sqlite3_finalize(handle_);
}

Result<void> Statement::map_parameters()
{
    const int count = sqlite3_bind_parameter_count(handle_);
    for (int index = 1; index <= count; ++index) {
        const char* const given = sqlite3_bind_parameter_name(handle_, index);
        const std::string_view name = given == nullptr ? "?" : given;
        std::size_t number = 0;
        const auto [end, error] =
            std::from_chars(name.data() + 1, name.data() + name.size(), number);
        const bool is_number = error == std::errc{} && end == name.data() + name.size();
        if (name.front() != '$' || !is_number || number < 1 || number > parameters_max) {
            return fail(
                Errc::sql,
                fmt::format("parameters are written $1, $2 …, not {}, in: {}", name, sql())
            );
        }
        slots_.push_back(static_cast<std::uint16_t>(number - 1));
        parameters_ = std::max(parameters_, number);
    }
    return {};
}

Result<void> Statement::bind_all(const Values& parameters)
{
    if (parameters.size() != parameters_) {
        return fail(
            Errc::sql,
            fmt::format(
                "the statement takes {} parameters, {} were given, in: {}",
                parameters_,
                parameters.size(),
                sql()
            )
        );
    }
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        bind_value(handle_, static_cast<int>(i) + 1, parameters[slots_[i]]);
    }
    return {};
}

void Statement::bind_null(int position) noexcept
{
    sqlite3_bind_null(handle_, position);
}

void Statement::bind(int position, std::int64_t value) noexcept
{
    sqlite3_bind_int64(handle_, position, value);
}

void Statement::bind(int position, std::string_view text) noexcept
{
    sqlite3_bind_text64(
        handle_, position, never_null(text), text.size(), SQLITE_STATIC, SQLITE_UTF8
    );
}

void Statement::bind_blob(int position, std::string_view bytes) noexcept
{
    sqlite3_bind_blob64(handle_, position, never_null(bytes), bytes.size(), SQLITE_STATIC);
}

int Statement::step() noexcept
{
    return sqlite3_step(handle_);
}

void Statement::reset() noexcept
{
    sqlite3_reset(handle_);
    sqlite3_clear_bindings(handle_);
}

std::size_t Statement::columns() const noexcept
{
    return static_cast<std::size_t>(sqlite3_column_count(handle_));
}

bool Statement::is_null(int column) const noexcept
{
    return type(column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const noexcept
{
    return sqlite3_column_int64(handle_, column);
}

std::string_view Statement::text(int column) const noexcept
{
    const auto* const bytes = sqlite3_column_text(handle_, column);
    if (bytes == nullptr) return {};
    return {
        reinterpret_cast<const char*>(bytes),
        static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))
    };
}

std::string_view Statement::blob(int column) const noexcept
{
    const void* const bytes = sqlite3_column_blob(handle_, column);
    if (bytes == nullptr) return {};
    return {
        static_cast<const char*>(bytes),
        static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))
    };
}

int Statement::type(int column) const noexcept
{
    return sqlite3_column_type(handle_, column);
}

Row Statement::row() const
{
    Values values;
    values.reserve(columns());
    for (int column = 0; column < static_cast<int>(columns()); ++column) {
        switch (type(column)) {
            case SQLITE_INTEGER: values.emplace_back(integer(column)); break;
            case SQLITE_FLOAT: values.emplace_back(sqlite3_column_double(handle_, column)); break;
            case SQLITE_TEXT: values.emplace_back(std::string{text(column)}); break;
            case SQLITE_BLOB: values.emplace_back(Blob{std::string{blob(column)}}); break;
            default: values.emplace_back(std::monostate{}); break;
        }
    }
    return Row{std::move(values)};
}

bool Statement::is_read_only() const noexcept
{
    return sqlite3_stmt_readonly(handle_) != 0;
}

bool Statement::counts_its_changes() const noexcept
{
    const std::string_view text = sql();
    for (const std::string_view word : {"INSERT", "UPDATE", "DELETE", "REPLACE"}) {
        if (sqlite3_strnicmp(text.data(), word.data(), static_cast<int>(word.size())) == 0) {
            return true;
        }
    }
    return false;
}

std::string_view Statement::sql() const noexcept
{
    const char* const sql = sqlite3_sql(handle_);
    return sql == nullptr ? std::string_view{} : sql;
}

}  // namespace umavez
