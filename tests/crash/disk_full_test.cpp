// A full disk (S-01): the database is on a small tmpfs of a private mount namespace, a filler file
// takes the rest. The ledger is elsewhere. Needs root; skipped without.

#include "audit.hpp"
#include "opened.hpp"
#include "temporary_directory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sched.h>
#include <sys/mount.h>
#include <thread>
#include <unistd.h>

namespace umavez::crash {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class DiskFullTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        fs::create_directory(disk_);
        // Threads made from here on are in the namespace too.
        const bool is_mounted = ::unshare(CLONE_NEWNS) == 0 &&
                                ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                                ::mount("tmpfs", disk_.c_str(), "tmpfs", 0, "size=2m") == 0;
        if (!is_mounted)
            GTEST_SKIP() << "no small disk: " << std::strerror(errno) << "; run as root";
        is_mounted_ = true;
    }
    void TearDown() override
    {
        if (is_mounted_) ::umount2(disk_.c_str(), MNT_DETACH);
    }

    void fill() const
    {
        const std::string path = disk_ + "/filler";
        const int filler = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        const std::array<char, 4096> zeroes{};
        while (::write(filler, zeroes.data(), zeroes.size()) > 0) continue;
        EXPECT_EQ(errno, ENOSPC);
        ::close(filler);
    }
    void free() const { fs::remove(disk_ + "/filler"); }

    // The log has some room of its own when the disk has none: that must be gone too.
    void fill_log(Database& database) const
    {
        for (int i = 0; i < 10'000; ++i) {
            const auto done = database.transact([](Transaction& transaction) -> Result<void> {
                const auto touched =
                    transaction.execute("UPDATE umavez_meta SET clock_mark = clock_mark");
                if (!touched) return std::unexpected(touched.error());
                return {};
            });
            if (done) continue;
            EXPECT_EQ(done.error().code, Errc::store_unavailable) << done.error().detail;
            return;
        }
        ADD_FAILURE() << "the log is never full";
    }

    // Calls with new keys until the disk has no room for one more. What was answered before is
    // kept. A leased run whose claim was the last for which there was room is unknown.
    Intent call_until_refused(Opened& opened, Kind kind, Answer& answer)
    {
        for (unsigned i = 100; i < 1000; ++i) {
            const Intent intent{kind, i, 0};
            answer = opened.call(intent);
            if (kind != Kind::order && answer.note.starts_with("unavailable unknown")) continue;
            if (!answer.response) return intent;
            acknowledge(intent, answer);
        }
        ADD_FAILURE() << "the disk is never full";
        return {};
    }
    void acknowledge(const Intent& intent, const Answer& answer)
    {
        ASSERT_TRUE(answer.response) << intent.key() << ": " << answer.note;
        auditor_.acknowledge(intent.key(), answer.response->status, answer.response->body);
    }

    std::size_t runs_of(const Intent& intent) const
    {
        const auto lines = read_ledger(directory_.path() + "/ledger");
        return static_cast<std::size_t>(std::ranges::count(lines, intent.key(), &LedgerLine::key));
    }

    void expect_in_order()
    {
        const auto complaints = auditor_.judge(Moment::after_death);
        EXPECT_TRUE(complaints.empty()) << to_text(complaints);
    }

    TemporaryDirectory directory_;
    const std::string disk_ = directory_.path() + "/disk";
    const Places places_{.database_directory = disk_, .ledger_directory = directory_.path()};
    Auditor auditor_{directory_.path(), disk_};
    bool is_mounted_ = false;
};

TEST_F(DiskFullTest, ClaimsAndAtomicRunsAreRefusedUntilThereIsSpace)
{
    Opened opened{places_, {.lease = 1min}};  // longer than any stall
    acknowledge({Kind::order, 0, 0}, opened.call({Kind::order, 0, 0}));
    acknowledge({Kind::payment, 0, 0}, opened.call({Kind::payment, 0, 0}));
    fill();

    for (const Kind kind : {Kind::order, Kind::payment, Kind::notice}) {
        Answer refused;
        const Intent intent = call_until_refused(opened, kind, refused);
        EXPECT_TRUE(refused.note.starts_with("unavailable none")) << refused.note;
        EXPECT_NE(refused.note.find("no space left for " + disk_), std::string::npos)
            << refused.note;
        EXPECT_EQ(runs_of(intent), 0u) << refused.note;
        fill_log(opened.database());
        EXPECT_FALSE(opened.database().health().reachable);
        expect_in_order();

        free();
        acknowledge(intent, opened.call_until_last(intent));
        EXPECT_TRUE(opened.database().health().reachable);
        fill();
    }
    free();
    expect_in_order();
}

TEST_F(DiskFullTest, ReplaysAreAnsweredFromAFullDisk)
{
    Opened opened{places_};
    const Intent intent{Kind::order, 0, 0};
    const Answer first = opened.call(intent);
    acknowledge(intent, first);
    fill();

    const Answer again = opened.call(intent);

    ASSERT_TRUE(again.response) << again.note;
    EXPECT_EQ(again.response->body, first.response->body);
}

TEST_F(DiskFullTest, CompletionIsRetriedUntilThereIsSpace)
{
    Opened opened{places_, {.lease = 2min}};
    const auto tries = [&] { return opened.database().lane_stats().batches; };
    std::thread rescuer;

    const auto outcome = opened.engine().leased(to_request({Kind::notice, 0, 0}), [&](Lease&) {
        fill();
        fill_log(opened.database());
        rescuer = std::thread{[&, before = tries()] {
            static_cast<void>(test::is_met("it was tried several times", [&] {
                return tries() >= before + 3;
            }));
            free();
        }};
        return Response{.body = "sent"};
    });
    rescuer.join();

    ASSERT_TRUE(outcome) << outcome.error().detail;
    EXPECT_TRUE(std::holds_alternative<Executed>(*outcome)) << to_text(*outcome);
}

TEST_F(DiskFullTest, CompletionWithoutSpaceStaysProcessingAndIsReconciledLater)
{
    Opened opened{places_, {.lease = 3s}};
    const Intent intent{Kind::payment, 0, 0};
    const Request request = to_request(intent);
    const RecordId id{request.tenant_id, request.operation, *request.key};

    Result<Outcome> outcome = InProgress{};
    bool has_run = false;
    // A claim that took as long as its lease is given back, and nothing ran.
    test::wait_until("the handler runs", [&] {
        outcome = opened.engine().leased(request, [&](Lease& lease) {
            has_run = true;
            opened.market().ledger().append({"effect", intent.key(), lease.effect_key(), "paid"});
            fill();
            fill_log(opened.database());
            return Response{.body = intent.key() + ":paid"};
        });
        return has_run;
    });

    ASSERT_TRUE(outcome) << outcome.error().detail;
    const auto* const unavailable = std::get_if<Unavailable>(&*outcome);
    ASSERT_NE(unavailable, nullptr) << to_text(*outcome);
    EXPECT_EQ(unavailable->effect, Effect::unknown);
    const auto story = opened.engine().explain(id);
    ASSERT_TRUE(story && story->record);
    EXPECT_EQ(story->record->status, Status::processing);

    free();
    const Answer later = opened.call_until_last(intent);
    acknowledge(intent, later);
    EXPECT_EQ(later.response->body, intent.key() + ":paid");
    expect_in_order();
}

}  // namespace
}  // namespace umavez::crash
