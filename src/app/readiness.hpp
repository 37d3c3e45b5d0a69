#pragma once

// Readiness: whether the server can do its work now, found out by doing some.
//
// A store that only looks well may be locked by another process, full or damaged; so a small write
// is committed and read. Its outcome counts for a second, so that polling costs nothing, and it has
// a limit: a store that does not answer is not ready. Thread-safe.

#include "database/sqlite/file_watch.hpp"

#include <umavez/time.hpp>
#include <umavez/transaction.hpp>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace umavez {

struct ReadinessOptions {
    Duration kept = std::chrono::seconds{1};   // an outcome counts for so long
    Duration limit = std::chrono::seconds{2};  // for the store to answer
};

// What was found, for operators: details name files and statements.
struct ReadinessReport {
    bool files = true;               // are the ones that were opened
    std::optional<bool> store = {};  // can be written and read; nullopt: was not asked
    std::string detail = {};

    bool is_ready() const noexcept { return files && store.value_or(false); }
};

class Readiness {
public:
    // Both outlive it.
    Readiness(Database& database, const FileWatch& files, const ReadinessOptions& options = {});
    ~Readiness();  // waits for a check that runs
    Readiness(const Readiness&) = delete;
    Readiness& operator=(const Readiness&) = delete;

    // Blocks for at most the limit.
    ReadinessReport check();

private:
    DatabaseHealth check_store();
    void run();

    Database& database_;
    const FileWatch& files_;
    const ReadinessOptions options_;
    std::mutex mutex_;
    std::condition_variable changed_;
    DatabaseHealth last_;                  // guarded by mutex_, as all that follows
    std::optional<Duration> last_at_;      // boottime; nullopt: nothing was found out yet
    std::optional<Duration> asked_since_;  // boottime; nullopt: no check is wanted
    bool stopping_ = false;
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace umavez
