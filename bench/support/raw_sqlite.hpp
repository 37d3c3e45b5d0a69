#pragma once

// RawSqlite: a SQLite file as a program without umavez would use it, with the settings that the lane
// uses. For the hand-written sides of comparisons; a mistake ends the program. Confined to its thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace umavez::bench {

class RawSqlite {
public:
    // The file and its tables are there already.
    explicit RawSqlite(const std::string& path);
    ~RawSqlite();
    RawSqlite(const RawSqlite&) = delete;
    RawSqlite& operator=(const RawSqlite&) = delete;

    void execute(const std::string& sql);
    sqlite3_stmt* prepare(const char* sql);  // valid as long as this object
    void step(sqlite3_stmt* statement);      // of a statement that gives no rows
    void begin() { step(begin_); }
    void commit() { step(commit_); }
    std::int64_t last_row() const;
    int changes() const;  // of the last statement

    // From here on fast, and without a flush; end_fill() copies the log into the file.
    void begin_fill();
    void end_fill();

private:
    sqlite3* database_ = nullptr;
    std::vector<sqlite3_stmt*> statements_;
    sqlite3_stmt* begin_ = nullptr;
    sqlite3_stmt* commit_ = nullptr;
};

// Not copied: what is bound outlives the step.
void bind(sqlite3_stmt* statement, int position, std::string_view text);
void bind(sqlite3_stmt* statement, int position, std::int64_t number);
void bind_blob(sqlite3_stmt* statement, int position, std::string_view bytes);

}  // namespace umavez::bench
