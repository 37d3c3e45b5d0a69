#include "modules/mailing/storage_sweep.hpp"

#include "base/random.hpp"
#include "base/uuid.hpp"
#include "modules/mailing/storage_claim.hpp"
#include "modules/mailing/test_upload_office.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace umavez::mailing {
namespace {

using namespace std::chrono_literals;

// Hours ahead of the system's, so that files are old.
class LaterClock final : public Clock {
public:
    explicit LaterClock(Duration ahead) : ahead_(ahead) {}
    Instant realtime() const override { return system_clock().realtime() + ahead_; }
    Duration boottime() const override { return system_clock().boottime(); }

private:
    Duration ahead_;
};

class StorageSweep : public testing::Test {
protected:
    std::size_t orphans(Duration ahead, const std::stop_token& stop = {})
    {
        const LaterClock clock{ahead};
        const auto swept =
            sweep_orphans(*office_.database, *office_.storage, clock, orphan_age, stop);
        EXPECT_TRUE(swept) << swept.error().detail;
        return swept.value_or(0);
    }

    std::size_t over(Duration retention)
    {
        const auto swept = sweep_over(*office_.database, *office_.storage, retention, {});
        EXPECT_TRUE(swept) << swept.error().detail;
        return swept.value_or(0);
    }

    UploadOffice office_;
};

TEST_F(StorageSweep, OrphansGoAfterADay)
{
    ASSERT_EQ(office_.upload("a.csv", "email\n").status, 201);
    office_.before_append = [] { return Result<void>{fail(Errc::store_unknown, "test")}; };
    ASSERT_EQ(office_.upload("b.csv", "email\n").status, 503);
    ASSERT_EQ(office_.stored_files(), 2u);

    EXPECT_EQ(orphans(23h), 0u);
    EXPECT_EQ(orphans(25h), 1u);
    EXPECT_EQ(office_.stored_files(), 1u);
    EXPECT_EQ(orphans(25h), 0u);
}

TEST_F(StorageSweep, ManyFilesAreAskedForInBatches)
{
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(office_.upload(fmt::format("{}.csv", i), "email\n").status, 201);
    }
    const TenantId tenant = *TenantId::parse("default");
    for (int i = 0; i < 250; ++i) {
        const std::string uuid = make_uuid7(system_clock().realtime(), system_random());
        std::ofstream{*office_.storage->path_of(storage_url(tenant, uuid))} << "email\n";
    }
    std::stop_source stopped;
    stopped.request_stop();

    EXPECT_EQ(orphans(25h, stopped.get_token()), 0u);
    EXPECT_EQ(orphans(25h), 250u);
    EXPECT_EQ(office_.stored_files(), 3u);
}

TEST_F(StorageSweep, AFolderThatIsGoneIsAnErrorAndNoException)
{
    std::filesystem::rename(office_.storage->folder(), office_.storage->folder() + ".away");
    const auto swept =
        sweep_orphans(*office_.database, *office_.storage, system_clock(), orphan_age, {});
    std::filesystem::rename(office_.storage->folder() + ".away", office_.storage->folder());

    EXPECT_FALSE(swept);
}

TEST_F(StorageSweep, AFolderHasOneDatabase)
{
    EXPECT_TRUE(claim(*office_.storage, "postgres:7/loja"));
    EXPECT_TRUE(claim(*office_.storage, "postgres:7/loja"));
    const auto other = claim(*office_.storage, "postgres:7/staging");
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, Errc::misconfigured);
    EXPECT_NE(other.error().detail.find("--mailing-storage"), std::string::npos);
    EXPECT_EQ(office_.stored_files(), 0u);
}

TEST_F(StorageSweep, FilesOfMailingsThatAreOverGoAfterTheRetention)
{
    for (const std::string name : {"a.csv", "b.csv", "c.csv"})
        ASSERT_EQ(office_.upload(name, "email\n").status, 201);
    office_.sql("UPDATE mailings SET status = 'COMPLETED' WHERE filename = 'a.csv'");
    office_.sql("UPDATE mailings SET status = 'PROCESSING', updated_at = 1 WHERE filename = 'b.csv'"
    );
    office_.sql("UPDATE mailings SET status = 'CANCELLED', updated_at = 1 WHERE filename = 'c.csv'"
    );

    EXPECT_EQ(over(7 * 24h), 1u);
    EXPECT_EQ(office_.stored_files(), 2u);
    EXPECT_EQ(office_.ask("SELECT count(*) FROM mailings WHERE storage_url IS NULL"), "1");
    EXPECT_EQ(over(-1h), 1u);
    EXPECT_EQ(over(-1h), 0u);
    EXPECT_EQ(office_.stored_files(), 1u);
}

}  // namespace
}  // namespace umavez::mailing
