#pragma once

// SQLite's result codes sorted by what has to happen next. Thread-safe.

#include <umavez/result.hpp>

#include <string>
#include <string_view>

namespace umavez {

// The names of the statement and of the cause, never a parameter's value.
struct SqliteFailure {
    int code = 0;              // extended result code
    std::string_view message;  // sqlite3_errmsg
    std::string_view sql;      // may be empty
    std::string_view path;     // of the database
};

Error to_error(const SqliteFailure& failure);

// The handle cannot be believed any more: what it wrote may be half there. Close and reopen.
bool needs_reopen(int code) noexcept;

}  // namespace umavez
