#pragma once

// Shop: an engine over a private database with one business table: an SQLite file, or PostgreSQL (see
// TestDatabase). Confined to the test.

#include "support/patiently.hpp"
#include "support/postgres_server.hpp"
#include "support/wait.hpp"

#include <umavez/umavez.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace umavez::shop {

using namespace std::chrono_literals;

class TemporaryFolder {
public:
    TemporaryFolder()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "umavez-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

inline Request request(
    std::string_view operation, std::string_view key, std::string_view body = "{}"
)
{
    return {
        .tenant_id = *TenantId::parse("acme"),
        .operation = *Operation::parse(operation),
        .key = *Key::parse(key),
        .target = make_target({"POST", "/pedidos"}),
        .fingerprint = *fingerprint_json(body),
    };
}

class Shop {
public:
    explicit Shop(EngineOptions options = {.worker_period = std::nullopt})
    {
        options.store_patience = 1h;
        auto opened = open_database(place_.url(), {.durable = !place_.is_postgres()});
        EXPECT_TRUE(opened) << opened.error().detail;
        database = *std::move(opened);
        const Migration pedidos{
            "shop",
            1,
            place_.is_postgres()
                ? "CREATE TABLE pedidos (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, item "
                  "text NOT NULL UNIQUE)"
                : "CREATE TABLE pedidos (id INTEGER PRIMARY KEY, item TEXT NOT NULL UNIQUE) STRICT;"
        };
        const auto migrated = test::patiently("the tables are made", [&] {
            return database->migrate({&pedidos, 1});
        });
        EXPECT_TRUE(migrated) << migrated.error().detail;
        auto made = open_engine(*database, options);
        EXPECT_TRUE(made) << made.error().detail;
        engine = *std::move(made);
    }

    std::filesystem::path path() const { return folder_.path() / "test.db"; }

    // With limits that no stall of the machine reaches, but for those that the case sets.
    void declare(OperationSpec spec)
    {
        const Policy usual;
        Policy& policy = spec.policy;
        if (policy.atomic_run_limit == usual.atomic_run_limit) policy.atomic_run_limit = 1h;
        if (policy.duplicate_wait == usual.duplicate_wait) policy.duplicate_wait = 1h;
        const auto declared = engine->declare(std::move(spec));
        ASSERT_TRUE(declared) << declared.error().detail;
    }
    void start()
    {
        const auto started = engine->start();
        ASSERT_TRUE(started) << started.error().detail;
    }
    // A closure of the database has two seconds, which a stall may take: then it is run again.
    Result<void> transact(const Closure& closure)
    {
        return test::patiently("the closure commits", [&] { return database->transact(closure); });
    }
    std::int64_t count(const std::string& table = "pedidos")
    {
        std::int64_t rows = -1;
        const Closure counting = [&](Transaction& transaction) -> Result<void> {
            auto found = transaction.query("SELECT count(*) FROM " + table);
            if (!found) return std::unexpected(found.error());
            rows = found->front().integer(0);
            return {};
        };
        const auto read =
            test::patiently("the rows are counted", [&] { return database->read(counting); });
        EXPECT_TRUE(read) << read.error().detail;
        return rows;
    }

private:
    TemporaryFolder folder_;  // first: it outlives the database
    test::TestDatabase place_{folder_.path().string()};

public:
    std::unique_ptr<Database> database;
    std::unique_ptr<Engine> engine;
};

// Inserts one row and answers `status`.
inline AtomicHandler inserting(std::string item, int status = 201, std::function<void()> then = {})
{
    return [=](Transaction& transaction) -> Result<Response> {
        const auto inserted = transaction.execute("INSERT INTO pedidos (item) VALUES ($1)", {item});
        if (!inserted) return std::unexpected(inserted.error());
        if (then) then();
        Response response{.status = status};
        response.body = "made " + item;
        return response;
    };
}

template <typename T>
const T& get(const Result<Outcome>& outcome)
{
    EXPECT_TRUE(outcome) << outcome.error().detail;
    EXPECT_TRUE(std::holds_alternative<T>(*outcome)) << to_text(*outcome);
    return std::get<T>(*outcome);
}

}  // namespace umavez::shop
