#include "app/readiness.hpp"

#include "support/wait.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>

namespace umavez {
namespace {

using namespace std::chrono_literals;

// A database that can only tell how it is, and takes its time when it is told to.
class FakeDatabase final : public Database {
public:
    DatabaseHealth health() override
    {
        ++asked;
        begun.release();
        if (hangs) answered.acquire();
        return {.reachable = !fails, .detail = fails ? "no disk" : "ok"};
    }

    Task<Result<void>> async_transact(Closure) override { co_return Result<void>{}; }
    Task<Result<void>> async_read(Closure) override { co_return Result<void>{}; }
    Result<void> migrate(std::span<const Migration>) override { return {}; }
    Result<std::vector<MigrationState>> migration_state(std::span<const Migration>) override
    {
        return std::vector<MigrationState>{};
    }
    Dialect dialect() const noexcept override { return Dialect::sqlite; }
    const std::string& url() const noexcept override { return url_; }
    LaneStats lane_stats() const override { return {}; }
    Result<void> backup(const std::string&, std::stop_token) override { return {}; }
    bool step() override { return false; }

    std::atomic<int> asked = 0;
    std::atomic<bool> fails = false;
    std::atomic<bool> hangs = false;
    std::counting_semaphore<> begun{0};
    std::binary_semaphore answered{0};

private:
    std::string url_;
};

TEST(Readiness, AnOutcomeCountsForAWhile)
{
    FakeDatabase database;
    const FileWatch files{""};
    Readiness readiness{database, files, {.kept = 1h, .limit = 1h}};

    EXPECT_TRUE(readiness.check().is_ready());
    database.fails = true;
    EXPECT_TRUE(readiness.check().is_ready());
    EXPECT_EQ(database.asked, 1);
}

TEST(Readiness, AStoreThatFailsIsToldWithItsCause)
{
    FakeDatabase database;
    database.fails = true;
    const FileWatch files{""};
    Readiness readiness{database, files, {.kept = 0ms, .limit = 1h}};

    const ReadinessReport report = readiness.check();

    EXPECT_TRUE(report.files);
    EXPECT_EQ(report.store, false);
    EXPECT_EQ(report.detail, "no disk");
    database.fails = false;
    EXPECT_TRUE(readiness.check().is_ready());
}

TEST(Readiness, AStoreThatDoesNotAnswerIsNotReadyAndIsAskedOnce)
{
    FakeDatabase database;
    database.hangs = true;
    const FileWatch files{""};
    Readiness readiness{database, files, {.kept = 1h, .limit = 10ms}};

    EXPECT_EQ(readiness.check().detail, "the store did not answer within 10 ms");
    EXPECT_FALSE(readiness.check().is_ready());
    // A busy machine asks later than it gives up.
    const bool is_asked =
        test::is_met("the store is asked", [&] { return database.begun.try_acquire(); });
    EXPECT_TRUE(is_asked);
    EXPECT_EQ(database.asked, 1);
    database.hangs = false;
    database.answered.release();
}

}  // namespace
}  // namespace umavez
