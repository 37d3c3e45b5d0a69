#pragma once

// RawWriter: the rows the engine writes, written by hand: plain SQLite statements on the same tables and
// indexes, with the same settings and audit, in transactions of a chosen size. No rules, no queue, one
// thread that never waits for anybody. Confined to its thread.

#include "support/raw_sqlite.hpp"

#include <umavez/names.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace umavez::bench {

class RawWriter {
public:
    // The file must have the engine's tables already.
    explicit RawWriter(const std::string& path);

    // One transaction of `batch` claims, one of `batch` completions, and so on; pairs per second.
    double pairs(std::chrono::milliseconds window, int batch);

    // Adds that many completed records with their audit, fast and without a flush.
    void fill(std::uint64_t records);

private:
    void claim(std::uint64_t number);
    void finish(std::uint64_t number);
    void audit(std::int64_t record, const std::string& key, const char* event);

    const TenantId tenant_id_;
    const Operation operation_;
    RawSqlite file_;
    sqlite3_stmt* insert_ = nullptr;
    sqlite3_stmt* find_ = nullptr;
    sqlite3_stmt* update_ = nullptr;
    sqlite3_stmt* audit_ = nullptr;
    std::uint64_t next_ = std::uint64_t{1} << 40;  // keys no engine of ours makes
};

}  // namespace umavez::bench
