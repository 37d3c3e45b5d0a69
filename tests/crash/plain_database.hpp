#pragma once

// PlainDatabase: an SQLite file read with SQLite's own API and file layer, without any of our code.
// Confined to one thread.

#include <sqlite3.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace umavez::crash {

using Columns = std::vector<std::string>;

class PlainDatabase {
public:
    explicit PlainDatabase(const std::string& path)
    {
        const int code = sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE, "unix");
        if (code == SQLITE_OK) return;
        sqlite3_close(handle_);
        throw std::runtime_error{path + ": " + sqlite3_errstr(code)};
    }
    ~PlainDatabase() { sqlite3_close(handle_); }
    PlainDatabase(const PlainDatabase&) = delete;
    PlainDatabase& operator=(const PlainDatabase&) = delete;

    void each(const std::string& sql, const std::function<void(const Columns&)>& take)
    {
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
            fail(sql);
        int code = SQLITE_OK;
        while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
            Columns columns;
            for (int i = 0; i < sqlite3_column_count(statement); ++i) {
                const void* const bytes = sqlite3_column_blob(statement, i);
                const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
                columns.emplace_back(size == 0 ? "" : static_cast<const char*>(bytes), size);
            }
            take(columns);
        }
        sqlite3_finalize(statement);
        if (code != SQLITE_DONE) fail(sql);
    }

private:
    [[noreturn]] void fail(const std::string& what) const
    {
        throw std::runtime_error{what + ": " + sqlite3_errmsg(handle_)};
    }

    sqlite3* handle_ = nullptr;
};

}  // namespace umavez::crash
