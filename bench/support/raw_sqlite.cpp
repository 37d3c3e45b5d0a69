#include "support/raw_sqlite.hpp"

#include "database/sqlite/tuning.hpp"
#include "support/requests.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>

namespace umavez::bench {

RawSqlite::RawSqlite(const std::string& path)
{
    constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path.c_str(), &database_, flags, nullptr) != SQLITE_OK) {
        give_up("cannot open " + path);
    }
    execute("PRAGMA journal_mode = WAL");
    execute("PRAGMA synchronous = FULL");
    execute("PRAGMA temp_store = MEMORY");
    execute("PRAGMA foreign_keys = ON");
    const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
    execute(fmt::format("PRAGMA cache_size = -{}", tuning::lane_cache_kib(bytes)));
    execute(fmt::format("PRAGMA wal_autocheckpoint = {}", tuning::checkpoint_pages(bytes)));
    begin_ = prepare("BEGIN IMMEDIATE");
    commit_ = prepare("COMMIT");
}

RawSqlite::~RawSqlite()
{
    for (sqlite3_stmt* const statement : statements_) sqlite3_finalize(statement);
    sqlite3_close(database_);
}

void RawSqlite::execute(const std::string& sql)
{
    if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        give_up(fmt::format("{}: {}", sql, sqlite3_errmsg(database_)));
    }
}

sqlite3_stmt* RawSqlite::prepare(const char* sql)
{
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_, sql, -1, &statement, nullptr) != SQLITE_OK) {
        give_up(fmt::format("{}: {}", sql, sqlite3_errmsg(database_)));
    }
    statements_.push_back(statement);
    return statement;
}

void RawSqlite::step(sqlite3_stmt* statement)
{
    if (sqlite3_step(statement) != SQLITE_DONE) give_up(sqlite3_errmsg(database_));
    sqlite3_reset(statement);
}

std::int64_t RawSqlite::last_row() const
{
    return sqlite3_last_insert_rowid(database_);
}

int RawSqlite::changes() const
{
    return sqlite3_changes(database_);
}

void RawSqlite::begin_fill()
{
    execute("PRAGMA synchronous = OFF");
    execute("PRAGMA cache_size = -2000000");
}

void RawSqlite::end_fill()
{
    execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

void bind(sqlite3_stmt* statement, int position, std::string_view text)
{
    sqlite3_bind_text64(statement, position, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void bind(sqlite3_stmt* statement, int position, std::int64_t number)
{
    sqlite3_bind_int64(statement, position, number);
}

void bind_blob(sqlite3_stmt* statement, int position, std::string_view bytes)
{
    sqlite3_bind_blob64(statement, position, bytes.data(), bytes.size(), SQLITE_STATIC);
}

}  // namespace umavez::bench
