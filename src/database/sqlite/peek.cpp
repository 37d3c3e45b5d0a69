#include "database/sqlite/peek.hpp"

#include "database/sqlite/file_id.hpp"

#include <sqlite3.h>

#include <memory>

namespace umavez {
namespace {

struct CloseHandle {
    void operator()(sqlite3* handle) const noexcept { sqlite3_close(handle); }
};
struct EndStatement {
    void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};

// What a URI would take for its own.
std::string to_uri_path(const std::string& path)
{
    std::string text;
    for (const char c : path) {
        if (c == '%') text += "%25";
        else if (c == '?') text += "%3f";
        else if (c == '#') text += "%23";
        else text += c;
    }
    return text;
}

}  // namespace

std::optional<std::int64_t> peek_integer(const std::string& path, const std::string& sql)
{
    // With a log somebody is at work, and what was written last is in there; without one nobody is,
    // and the file is all. A log without its index would be given a new one, by the wrong owner.
    const bool has_log = find_file_id(path + "-wal").has_value();
    if (has_log && !find_file_id(path + "-shm")) return std::nullopt;
    const std::string uri =
        "file:" + to_uri_path(path) + (has_log ? "?mode=ro" : "?mode=ro&immutable=1");
    sqlite3* opened = nullptr;
    const int code =
        sqlite3_open_v2(uri.c_str(), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
    const std::unique_ptr<sqlite3, CloseHandle> handle{opened};
    if (code != SQLITE_OK) return std::nullopt;
    sqlite3_db_config(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(opened, sql.c_str(), -1, &prepared, nullptr) != SQLITE_OK)
        return std::nullopt;
    const std::unique_ptr<sqlite3_stmt, EndStatement> statement{prepared};
    if (sqlite3_step(prepared) != SQLITE_ROW) return std::nullopt;
    return sqlite3_column_int64(prepared, 0);
}

}  // namespace umavez
