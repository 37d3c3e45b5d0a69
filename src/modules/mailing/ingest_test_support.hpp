#pragma once

// Fixture for tests that ingest a file into a real database. Confined to the test.

#include "modules/mailing/ingest.hpp"
#include "modules/mailing/mailings_table.hpp"
#include "modules/mailing/schema.hpp"
#include "support/postgres_server.hpp"

#include <umavez/transaction.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace umavez::mailing {

using namespace std::chrono_literals;

// A database whose transactions a test may watch, and answer itself.
class WatchedDatabase final : public Database {
public:
    // `run` commits, and may be called or not. `number` counts from 1.
    using Watch = std::function<Result<void>(int number, const std::function<Result<void>()>& run)>;

    WatchedDatabase(Database& inner, Watch watch) : inner_(inner), watch_(std::move(watch)) {}

    Task<Result<void>> async_transact(Closure closure) override
    {
        const int number = ++count_;
        return Task<Result<void>>::ready(watch_(number, [&] { return inner_.transact(closure); }));
    }
    Task<Result<void>> async_read(Closure closure) override
    {
        return inner_.async_read(std::move(closure));
    }
    Result<void> migrate(std::span<const Migration> migrations) override
    {
        return inner_.migrate(migrations);
    }
    Result<std::vector<MigrationState>> migration_state(std::span<const Migration> migrations
    ) override
    {
        return inner_.migration_state(migrations);
    }
    Dialect dialect() const noexcept override { return inner_.dialect(); }
    const std::string& url() const noexcept override { return inner_.url(); }
    DatabaseHealth health() override { return inner_.health(); }
    LaneStats lane_stats() const override { return inner_.lane_stats(); }
    Result<void> backup(const std::string& path, std::stop_token stop) override
    {
        return inner_.backup(path, std::move(stop));
    }
    bool step() override { return inner_.step(); }

private:
    Database& inner_;
    const Watch watch_;
    int count_ = 0;
};

class IngestTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "umavez-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
        place = std::make_unique<test::TestDatabase>(folder.string());
    }
    void TearDown() override
    {
        database.reset();
        std::filesystem::remove_all(folder);
    }
    void open()
    {
        auto opened = open_database(place->url(), {.durable = false});
        ASSERT_TRUE(opened) << opened.error().detail;
        database = *std::move(opened);
        const auto migrated = database->migrate(migrations(database->dialect()));
        ASSERT_TRUE(migrated) << migrated.error().detail;
    }

    std::filesystem::path file() const { return folder / "upload.csv"; }

    // A mailing that waits for its worker.
    void upload(std::string_view csv)
    {
        if (!database) open();
        std::ofstream{file(), std::ios::binary} << csv;
        const auto written = database->transact([&](Transaction& transaction) -> Result<void> {
            const auto inserted = transaction.insert(
                "INSERT INTO mailings (uuid, tenant_id, filename, content_key, content_sha256, "
                "content_bytes, status, incerteza, created_at, updated_at) VALUES ($1, 'default', "
                "'upload.csv', '', '', $2, 'QUEUED', 'no-maximo-uma', 1, 1)",
                {uuid, static_cast<std::int64_t>(csv.size())}
            );
            if (!inserted) return std::unexpected(inserted.error());
            return {};
        });
        ASSERT_TRUE(written) << written.error().detail;
    }

    // Its lock, from whoever has it.
    Locked lock()
    {
        std::optional<Locked> locked;
        const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
            auto tried = try_lock(transaction, tenant, uuid, make_lock_token(), -1h);
            if (!tried) return std::unexpected(tried.error());
            if (auto* const ours = std::get_if<Locked>(&*tried)) locked = std::move(*ours);
            return {};
        });
        EXPECT_TRUE(done) << done.error().detail;
        EXPECT_TRUE(locked);
        return std::move(locked).value();
    }

    template <typename Outcome>
    bool ends_as(const Result<Ingested>& ingested)
    {
        EXPECT_TRUE(ingested) << ingested.error().detail;
        return ingested && std::holds_alternative<Outcome>(*ingested);
    }
    bool completes(IngestOptions options = {})
    {
        return ends_as<Complete>(ingest(*database, lock(), file(), {}, options));
    }

    Rows query(std::string_view sql)
    {
        Rows rows;
        const auto read = database->read([&](Transaction& transaction) -> Result<void> {
            auto found = transaction.query(sql);
            if (!found) return std::unexpected(found.error());
            rows = *std::move(found);
            return {};
        });
        EXPECT_TRUE(read) << read.error().detail;
        return rows;
    }
    std::vector<std::string> emails()
    {
        std::vector<std::string> all;
        for (const Row& row : query("SELECT email FROM mailing_entries ORDER BY id")) {
            all.push_back(row.text(0));
        }
        return all;
    }
    Mailing mailing()
    {
        std::optional<Mailing> found;
        const auto read = database->read([&](Transaction& transaction) -> Result<void> {
            auto row = find_mailing(transaction, tenant, uuid);
            if (!row) return std::unexpected(row.error());
            found = *std::move(row);
            return {};
        });
        EXPECT_TRUE(read) << read.error().detail;
        return std::move(found).value();
    }
    void expect_counts(std::int64_t entries, std::int64_t duplicates, std::int64_t invalid)
    {
        const Counts counts = mailing().counts;
        EXPECT_EQ(counts.entries, entries);
        EXPECT_EQ(counts.duplicates, duplicates);
        EXPECT_EQ(counts.invalid, invalid);
    }

    const TenantId tenant = *TenantId::parse("default");
    const std::string uuid = "01890a5d-ac96-774b-bcce-b302099a8057";
    std::filesystem::path folder;
    std::unique_ptr<test::TestDatabase> place;
    std::unique_ptr<Database> database;
};

}  // namespace umavez::mailing
