#pragma once

// SchemaWatch: keeps a program from writing once a newer one has migrated the database under it.
//
// Versions are compared before a write, at most once in tuning::schema_look, so a write may still pass for
// that long after the migration. Thread-safe.

#include "database/postgres/connection.hpp"

#include <umavez/transaction.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <span>

namespace umavez::pg {

class SchemaWatch {
public:
    // What this program has found or made.
    void know(std::span<const Migration> migrations);

    // store_unavailable: another program's schema is newer, or the connection is lost. Nothing was written.
    Result<void> check(Connection& connection);

private:
    Result<void> verdict() const;
    Result<void> look(Connection& connection);

    std::atomic<Duration::rep> next_look_{0};  // boottime
    mutable std::mutex mutex_;
    std::map<std::string, std::int64_t, std::less<>> known_;  // guarded by mutex_, as is what follows
    std::string newer_;                                       // a module, if there is one
};

}  // namespace umavez::pg
