#pragma once

// Statement: one prepared statement of one connection, and StatementUse, the right to run it once.
//
// Portable SQL names its parameters $1, $2 …; SQLite numbers names in order of appearance, so each
// statement keeps a table from one to the other. Our own statements say ?1, ?2 … and bind by that
// number.
//
// Confined to the thread of the connection.

#include <umavez/transaction.hpp>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace umavez {

// A statement of our own: its text lives as long as the program, and every connection finds its
// prepared form by `slot` instead of by hashing the text. Only ever a global.
class StaticSql {
public:
    explicit StaticSql(std::string_view text) noexcept;

    std::string_view text() const noexcept { return text_; }
    std::size_t slot() const noexcept { return slot_; }

private:
    std::string_view text_;
    std::size_t slot_;
};

class Statement {
public:
    // `handle` is not null; it is finalized with this object.
    explicit Statement(sqlite3_stmt* handle) noexcept : handle_(handle) {}
    ~Statement();
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    // Reads the names of the parameters; refuses others than $1, $2 ….
    Result<void> map_parameters();
    Result<void> bind_all(const Values& parameters);

    // `position` is the number after the question mark, from 1. Texts and blobs are not copied:
    // they outlive the use.
    void bind_null(int position) noexcept;
    void bind(int position, std::int64_t value) noexcept;
    void bind(int position, std::string_view text) noexcept;
    void bind_blob(int position, std::string_view bytes) noexcept;

    int step() noexcept;  // SQLite's result code
    void reset() noexcept;

    std::size_t columns() const noexcept;
    bool is_null(int column) const noexcept;
    std::int64_t integer(int column) const noexcept;
    std::string_view text(int column) const noexcept;
    std::string_view blob(int column) const noexcept;
    int type(int column) const noexcept;  // SQLITE_INTEGER …
    Row row() const;

    bool is_read_only() const noexcept;
    // INSERT, UPDATE, DELETE or REPLACE: what it did shows in the connection's count of changes.
    bool counts_its_changes() const noexcept;
    std::string_view sql() const noexcept;

    std::uint64_t used_at = 0;  // for the cache

private:
    sqlite3_stmt* handle_;
    std::vector<std::uint16_t> slots_;  // index of SQLite - 1 → index into the parameters
    std::size_t parameters_ = 0;
};

// Resets the statement and forgets its bindings when it goes.
class StatementUse {
public:
    explicit StatementUse(Statement& statement) noexcept : statement_(&statement) {}
    StatementUse(StatementUse&& other) noexcept
        : statement_(std::exchange(other.statement_, nullptr))
    {
    }
    StatementUse& operator=(StatementUse&&) = delete;
    ~StatementUse()
    {
        if (statement_ != nullptr) statement_->reset();
    }

    Statement* operator->() const noexcept { return statement_; }
    Statement& operator*() const noexcept { return *statement_; }

private:
    Statement* statement_;
};

}  // namespace umavez
