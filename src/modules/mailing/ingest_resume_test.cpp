// An ingestion that ends in the middle, for every reason there is, is gone on with: each address is in
// once, and counted once.

#include "modules/mailing/ingest.hpp"
#include "modules/mailing/ingest_test_support.hpp"

#include <algorithm>
#include <sys/wait.h>
#include <unistd.h>

// Freed memory goes back at once: what is left grows only if something is kept.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options()
{
    return "quarantine_size_mb=1";
}

namespace umavez::mailing {
namespace {

const IngestOptions by_ten{.rows_max = 10};
using Commit = std::function<Result<void>()>;

// 105 rows: 95 addresses, 5 of them twice, 5 invalid lines; so 11 batches of ten, the last one of five.
// Records of more than one line are among them.
class IngestResume : public IngestTest {
protected:
    void upload_rows() { upload(rows()); }
    static std::string rows()
    {
        std::string csv = "email;nome\n";
        for (int i = 0; i < 95; ++i) {
            csv += "a" + std::to_string(i) + "@x.example;\"nome\n" + std::to_string(i) + "\"\n";
            if (i % 20 == 7) csv += "A" + std::to_string(i) + "@X.EXAMPLE;outra vez\n";
            if (i % 20 == 11) csv += "nenhum endereço;" + std::to_string(i) + "\n";
        }
        return csv;
    }
    void expect_all()
    {
        expect_counts(95, 5, 5);
        std::vector<std::string> all = emails();
        EXPECT_EQ(all.size(), 95u);
        std::ranges::sort(all);
        EXPECT_TRUE(std::ranges::adjacent_find(all) == all.end());
        EXPECT_EQ(query("SELECT id FROM mailing_invalid_lines").size(), 5u);
        EXPECT_EQ(mailing().read_bytes, mailing().content_bytes);
        EXPECT_EQ(mailing().read_lines, 1 + 2 * 95 + 10);
        EXPECT_EQ(mailing().status, Status::processing);
        EXPECT_TRUE(mailing().is_ingested);
    }
    Result<Ingested> ingest_watched(
        const WatchedDatabase::Watch& watch, const std::stop_token& stop = {}
    )
    {
        WatchedDatabase watched{*database, watch};
        return ingest(watched, lock(), file(), stop, by_ten);
    }
    void set_status(std::string_view status)
    {
        const auto set = database->transact([&](Transaction& transaction) -> Result<void> {
            const auto changed = transaction.execute(
                "UPDATE mailings SET status = $1 WHERE uuid = $2", {std::string{status}, uuid}
            );
            if (!changed) return std::unexpected(changed.error());
            return {};
        });
        ASSERT_TRUE(set) << set.error().detail;
    }
};

TEST_F(IngestResume, StoppedAfterAnyNumberOfClosuresItGoesOnAtTheSavedLine)
{
    upload_rows();
    std::int64_t lines_before = 0;
    for (int round = 0; round < 5; ++round) {
        std::stop_source stop;
        const auto stop_after_two = [&](int number, const Commit& run) {
            if (number == 2) stop.request_stop();
            return run();
        };
        ASSERT_TRUE(ends_as<Stopped>(ingest_watched(stop_after_two, stop.get_token())));
        EXPECT_GT(mailing().read_lines, lines_before);
        lines_before = mailing().read_lines;
        const Counts counts = mailing().counts;
        EXPECT_EQ(counts.entries + counts.duplicates + counts.invalid, 20 * (round + 1));
    }
    ASSERT_TRUE(completes(by_ten));
    expect_all();
}

TEST_F(IngestResume, ACommitWithoutAnAnswerIsNeitherDoubledNorSkipped)
{
    upload_rows();
    // Every third commit gets no answer, in turn after it happened and before. Those in between are the
    // questions.
    const auto ingested = ingest_watched([&](int number, const Commit& run) -> Result<void> {
        if (number % 3 != 1) return run();
        if (number % 2 == 0) {
            const auto ran = run();
            EXPECT_TRUE(ran);
        }
        return fail(Errc::store_unknown, "no answer");
    });
    ASSERT_TRUE(ends_as<Complete>(ingested));
    expect_all();
}

TEST_F(IngestResume, ALastCommitWithoutAnAnswerIsFoundToBeIn)
{
    for (const bool happened : {true, false}) {
        SetUp();
        upload_rows();
        const auto ingested = ingest_watched([&](int number, const Commit& run) -> Result<void> {
            if (number != 11) return run();
            if (happened) {
                EXPECT_TRUE(run());
            }
            return fail(Errc::store_unknown, "no answer");
        });
        ASSERT_TRUE(ends_as<Complete>(ingested));
        expect_all();
        TearDown();
    }
    SetUp();
}

TEST_F(IngestResume, AnUnavailableDatabaseLeavesAPlaceToGoOnFrom)
{
    upload_rows();
    const auto ingested = ingest_watched([&](int number, const Commit& run) -> Result<void> {
        if (number < 4) return run();
        return fail(Errc::store_unavailable, "gone");
    });
    ASSERT_FALSE(ingested);
    EXPECT_EQ(ingested.error().code, Errc::store_unavailable);
    ASSERT_TRUE(completes(by_ten));
    expect_all();
}

TEST_F(IngestResume, AFailedQuestionIsUnknownAndAnotherOwnerGoesOn)
{
    upload_rows();
    const auto ingested = ingest_watched([&](int number, const Commit& run) -> Result<void> {
        if (number < 4) return run();
        if (number == 4) {
            EXPECT_TRUE(run());
        }
        return fail(number == 4 ? Errc::store_unknown : Errc::store_unavailable, "gone");
    });
    ASSERT_FALSE(ingested);
    ASSERT_TRUE(completes(by_ten));
    expect_all();
}

TEST_F(IngestResume, APauseStopsItAndItGoesOnAfterwards)
{
    upload_rows();
    const auto ingested = ingest_watched([&](int number, const Commit& run) -> Result<void> {
        if (number == 4) set_status("PAUSED");
        return run();
    });
    ASSERT_TRUE(ends_as<Lost>(ingested));
    EXPECT_EQ(mailing().status, Status::paused);
    const Counts counts = mailing().counts;
    EXPECT_EQ(counts.entries + counts.duplicates + counts.invalid, 30);
    set_status("QUEUED");
    ASSERT_TRUE(completes(by_ten));
    expect_all();
}

TEST_F(IngestResume, WhoeverLostTheLockWritesNothingMore)
{
    upload_rows();
    const auto ingested = ingest_watched([&](int number, const Commit& run) -> Result<void> {
        if (number == 4) {
            EXPECT_TRUE(completes(by_ten));  // by somebody else
        }
        return run();
    });
    ASSERT_TRUE(ends_as<Lost>(ingested));
    expect_all();
}

TEST_F(IngestResume, AnOwnerWhoseCommitIsInDoubtFindsThatTheLockIsGone)
{
    upload_rows();
    const auto ingested = ingest_watched([&](int number, const Commit& run) -> Result<void> {
        if (number != 4) return run();
        EXPECT_TRUE(completes(by_ten));
        return fail(Errc::store_unknown, "no answer");
    });
    ASSERT_TRUE(ends_as<Lost>(ingested));
    expect_all();
}

TEST_F(IngestResume, AProcessKilledBetweenClosuresLosesNothing)
{
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        upload_rows();
        static_cast<void>(ingest_watched([](int number, const Commit& run) -> Result<void> {
            if (number == 5) ::_exit(9);
            return run();
        }));
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(WEXITSTATUS(status), 9);
    open();
    EXPECT_EQ(mailing().status, Status::ingesting);
    EXPECT_GT(mailing().read_bytes, 0);
    ASSERT_TRUE(completes(by_ten));
    expect_all();
}

std::int64_t resident_bytes()
{
    std::ifstream statm{"/proc/self/statm"};
    std::int64_t size = 0;
    std::int64_t resident = 0;
    statm >> size >> resident;
    return resident * ::sysconf(_SC_PAGESIZE);
}

// Most rows are of the same addresses, which keeps the test short.
TEST_F(IngestTest, MemoryDoesNotGrowWithTheFile)
{
    constexpr std::int64_t megabyte = 1024 * 1024;
    std::string csv = "email;nome\n";
    const std::string name(300, 'x');
    for (int i = 0; i < 200'000; ++i)
        csv += "a" + std::to_string(i % 100) + "@x.example;" + name + "\n";
    ASSERT_GT(csv.size(), 60 * megabyte);
    upload(csv);
    csv = {};
    std::int64_t early = 0;
    WatchedDatabase watched{*database, [&](int number, const Commit& run) -> Result<void> {
                                auto ran = run();
                                if (number == 20) early = resident_bytes();
                                return ran;
                            }};
    ASSERT_TRUE(ends_as<Complete>(ingest(watched, lock(), file(), {})));
    expect_counts(100, 199'900, 0);
    EXPECT_LT(resident_bytes() - early, 16 * megabyte);
}

}  // namespace
}  // namespace umavez::mailing
