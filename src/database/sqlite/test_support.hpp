#pragma once

// What the tests of the SQLite database share: a directory that goes away, a clock that is set by
// hand, a scheduler that runs when told, and shorthands for closures.

#include "database/sqlite/sqlite_database.hpp"
#include "support/calm_clock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <string>

namespace umavez::test {

class Directory {
public:
    Directory()
    {
        std::string pattern = std::filesystem::temp_directory_path() / "umavez-XXXXXX";
        if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
    }
    ~Directory()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;

    std::string file(const std::string& name) const { return path_ / name; }
    std::string url() const { return "sqlite:" + file("test.db"); }

private:
    std::filesystem::path path_;
};

class HandClock final : public Clock {
public:
    Instant realtime() const override { return from_micros(realtime_.load()); }
    Duration boottime() const override { return Duration{boottime_ += tick_.load()}; }
    void advance(Duration by)
    {
        realtime_ += by.count();
        boottime_ += by.count();
    }
    // Time that passes with every look at it: for code that waits for it to pass.
    void set_tick(Duration tick) { tick_ = tick.count(); }
    void set_realtime(Instant at) { realtime_ = to_micros(at); }

private:
    std::atomic<std::int64_t> realtime_{1'700'000'000'000'000};
    mutable std::atomic<std::int64_t> boottime_{1'000'000};
    std::atomic<std::int64_t> tick_{0};
};

// For databases without threads: tasks go on when run() is called.
class HandScheduler final : public Scheduler {
public:
    void resume_soon(std::coroutine_handle<> handle) override { ready_.push_back(handle); }
    void run()
    {
        while (!ready_.empty()) {
            const std::coroutine_handle<> handle = ready_.front();
            ready_.pop_front();
            handle.resume();
        }
    }

private:
    std::deque<std::coroutine_handle<>> ready_;
};

// Without a clock of its own: one on which no closure takes too long.
inline std::unique_ptr<SqliteDatabase> open_or_fail(
    const std::string& url, DatabaseOptions options = {}
)
{
    if (options.clock == nullptr) options.clock = &calm_clock();
    const auto parsed = parse_database_url(url);
    auto opened = SqliteDatabase::open(*parsed, options);
    EXPECT_TRUE(opened) << opened.error().detail;
    return opened ? std::move(*opened) : nullptr;
}

// A closure of one statement.
inline Closure sql(std::string text, Values parameters = {})
{
    return [text = std::move(text), parameters = std::move(parameters)](Transaction& transaction) {
        const auto done = transaction.execute(text, parameters);
        return done ? Result<void>{} : Result<void>{std::unexpected(done.error())};
    };
}

inline std::int64_t read_integer(Database& database, const std::string& text)
{
    std::int64_t value = -1;
    const auto done = database.read([&](Transaction& transaction) -> Result<void> {
        const auto rows = transaction.query(text);
        if (!rows) return std::unexpected(rows.error());
        value = rows->at(0).integer(0);
        return {};
    });
    EXPECT_TRUE(done) << done.error().detail;
    return value;
}

// A work and the task that waits for it, for tests that choose how it is run.
inline Task<Result<void>> run_on_lane(SqliteDatabase& database, Work& work)
{
    Result<void> done = co_await database.on_lane(work);
    co_return done;
}

}  // namespace umavez::test
