#pragma once

// Depot: a database with mailings, a clock that the test moves, and a mail server that does what it is told.
// Confined to the test, but for what says that it is thread-safe.

#include "mail/transport.hpp"
#include "messaging/outbox.hpp"
#include "modules/mailing/lock.hpp"
#include "modules/mailing/schema.hpp"
#include "support/postgres_server.hpp"
#include "support/wait.hpp"

#include <umavez/umavez.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace umavez::mailing {

using namespace std::chrono_literals;

// Moved by the test alone. Thread-safe.
class HandClock final : public Clock {
public:
    Instant realtime() const override { return from_micros(realtime_.load()); }
    Duration boottime() const override { return Duration{boottime_.load()}; }
    void advance(Duration by)
    {
        realtime_ += by.count();
        boottime_ += by.count();
    }

private:
    std::atomic<std::int64_t> realtime_{1'700'000'000'000'000};
    std::atomic<std::int64_t> boottime_{1'000'000'000};
};

// What a server got, and what it says. Thread-safe.
class Sink {
public:
    using Script = std::function<mail::Delivered(const std::string& to, int time)>;

    static mail::Delivered accept(const std::string&, int)
    {
        return {.verdict = mail::Verdict::accepted, .code = 250, .external_id = "Q1"};
    }

    explicit Sink(Script script = accept) : script_(std::move(script)) {}

    mail::Delivered take(const mail::Envelope& envelope, std::string_view content)
    {
        int time = 0;
        {
            const std::lock_guard guard{mutex_};
            time = ++offered_[envelope.to];
            last_content_ = content;
        }
        mail::Delivered delivered = script_(envelope.to, time);
        const std::lock_guard guard{mutex_};
        if (delivered.verdict == mail::Verdict::accepted ||
            delivered.verdict == mail::Verdict::unknown) {
            ++taken_[envelope.to];
        }
        return delivered;
    }

    int offered(const std::string& to) const { return count(offered_, to); }
    int taken(const std::string& to) const
    {
        return count(taken_, to);
    }  // accepted, or not answered
    int all_taken() const
    {
        const std::lock_guard guard{mutex_};
        int all = 0;
        for (const auto& [to, times] : taken_) all += times;
        return all;
    }
    std::string last_content() const
    {
        const std::lock_guard guard{mutex_};
        return last_content_;
    }

private:
    int count(const std::map<std::string, int>& counts, const std::string& to) const
    {
        const std::lock_guard guard{mutex_};
        const auto found = counts.find(to);
        return found == counts.end() ? 0 : found->second;
    }

    const Script script_;
    mutable std::mutex mutex_;
    std::map<std::string, int> offered_;  // guarded by mutex_
    std::map<std::string, int> taken_;    // guarded by mutex_
    std::string last_content_;            // guarded by mutex_
};

class SinkTransport final : public mail::Transport {
public:
    explicit SinkTransport(Sink& sink) : sink_(sink) {}
    mail::Delivered send(const mail::Envelope& envelope, std::string_view content, std::stop_token)
        override
    {
        return sink_.take(envelope, content);
    }

private:
    Sink& sink_;
};

struct TestMailing {
    Status status = Status::queued;
    Incerteza incerteza = Incerteza::no_maximo_uma;
    int entries = 0;
    bool is_ingested = true;
    std::string texto = "Olá";
};

inline std::string address(int number)
{
    return "a" + std::to_string(number) + "@x.example";
}

class Depot : public ::testing::Test {
protected:
    void SetUp() override
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "umavez-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        place_ = std::make_unique<test::TestDatabase>(folder_);
        database = *open_database(place_->url(), {.clock = store_clock(), .durable = false});
        std::vector<Migration> steps;
        std::ranges::copy(messaging::migrations(database->dialect()), std::back_inserter(steps));
        std::ranges::copy(migrations(database->dialect()), std::back_inserter(steps));
        const auto migrated = database->migrate(steps);
        ASSERT_TRUE(migrated) << migrated.error().detail;
    }
    void TearDown() override
    {
        database.reset();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    // Its uuid. Entries are a0@x.example, a1@…
    std::string add_mailing(const TestMailing& mailing = {})
    {
        const int number = ++mailings_;
        std::string uuid = "01890a5d-ac96-774b-bcce-" + std::to_string(100'000'000'000 + number);
        const Clock& wall = store_clock() != nullptr ? *store_clock() : system_clock();
        const std::string now = std::to_string(to_micros(wall.realtime()));
        sql("INSERT INTO mailings (uuid, tenant_id, filename, content_key, content_sha256, "
            "content_bytes, status, assunto, remetente, texto, html, incerteza, is_ingested, "
            "entries, created_at, updated_at) VALUES ('" +
            uuid + "', 'default', 'f" + std::to_string(number) + ".csv', '', 'ab', 1, '" +
            std::string{to_text(mailing.status)} + "', 'Oi', 'Loja <news@loja.example>', '" +
            mailing.texto + "', '', '" + std::string{to_text(mailing.incerteza)} + "', " +
            (mailing.is_ingested ? "1" : "0") + ", " + std::to_string(mailing.entries) + ", " +
            now + ", " + now + ")");
        const std::string id = ask("SELECT id FROM mailings WHERE uuid = '" + uuid + "'");
        std::string rows;
        for (int i = 0; i < mailing.entries; ++i) {
            rows += (rows.empty() ? "('default', " : ", ('default', ") + id + ", '" + address(i) +
                    "', 'tok" + std::to_string(i) + "', " + std::to_string(i + 2) +
                    R"(, '{"nome":"N)" + std::to_string(i) + R"("}', )" + now + ", " + now + ")";
        }
        if (rows.empty()) return uuid;
        sql("INSERT INTO mailing_entries (tenant_id, mailing_id, email, token, line, fields, "
            "created_at, updated_at) VALUES " +
            rows);
        return uuid;
    }

    Result<Locking> lock(const std::string& uuid, const std::string& token)
    {
        return transact<Locking>([&](Transaction& transaction) {
            return mailing::try_lock(transaction, tenant, uuid, token, 30s);
        });
    }
    Locked must_lock(const std::string& uuid, const std::string& token)
    {
        auto locking = lock(uuid, token);
        EXPECT_TRUE(locking) << locking.error().detail;
        EXPECT_TRUE(std::holds_alternative<Locked>(*locking)) << "not locked: " << status_of(uuid);
        return std::get<Locked>(*std::move(locking));
    }
    template <typename T, typename Call>
    Result<T> transact(const Call& call)
    {
        Result<T> value = fail(Errc::cancelled, "not called");
        const auto done = transact_when_free([&](Transaction& transaction) -> Result<void> {
            value = call(transaction);
            if (!value) return std::unexpected(value.error());
            return {};
        });
        if (!done) return std::unexpected(done.error());
        return value;
    }
    // Again while somebody else holds the row: one who is slow holds it for longer than a database lets wait.
    Result<void> transact_when_free(const Closure& closure)
    {
        Result<void> done = fail(Errc::busy, "not called");
        static_cast<void>(test::is_met("the row is free", [&] {
            done = database->transact(closure);
            return done || done.error().code != Errc::busy;
        }));
        return done;
    }

    void sql(const std::string& statement)
    {
        const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
            const auto changed = transaction.execute(statement);
            if (!changed) return std::unexpected(changed.error());
            return {};
        });
        ASSERT_TRUE(done) << done.error().detail;
    }
    // The first column of the first row, as text; "" where there is none.
    std::string ask(const std::string& query)
    {
        std::string text;
        const auto done = database->read([&](Transaction& transaction) -> Result<void> {
            const auto rows = transaction.query("SELECT CAST((" + query + ") AS TEXT)");
            if (!rows) return std::unexpected(rows.error());
            if (!rows->front().is_null(0)) text = rows->front().text(0);
            return {};
        });
        EXPECT_TRUE(done) << done.error().detail;
        return text;
    }
    std::string ask_mailing(const std::string& column, const std::string& uuid)
    {
        return ask("SELECT " + column + " FROM mailings WHERE uuid = '" + uuid + "'");
    }
    std::string status_of(const std::string& uuid) { return ask_mailing("status", uuid); }
    std::string entry(const std::string& uuid, int number, const std::string& column)
    {
        return ask(
            "SELECT " + column + " FROM mailing_entries WHERE email = '" + address(number) +
            "' AND mailing_id = (SELECT id FROM mailings WHERE uuid = '" + uuid + "')"
        );
    }
    std::string count_entries(const std::string& uuid, const std::string& condition)
    {
        return ask(
            "SELECT count(*) FROM mailing_entries WHERE mailing_id = (SELECT id FROM mailings "
            "WHERE uuid = '" +
            uuid + "') AND " + condition
        );
    }
    std::string wake_ups(const std::string& uuid)
    {
        return ask(
            "SELECT count(*) FROM umavez_messages WHERE state = 'pending' AND queue = 'mailing' "
            "AND aggregate = 'mailing/" +
            uuid + "'"
        );
    }
    // The counts in the mailing's row are those of its entries.
    void expect_exact_counts(const std::string& uuid)
    {
        for (const auto& [column, status] :
             {std::pair{"sent", "SENT"}, {"failed", "FAILED"}, {"unknown", "UNKNOWN"}}) {
            EXPECT_EQ(
                ask_mailing(column, uuid),
                count_entries(uuid, "status = '" + std::string{status} + "'")
            ) << column;
        }
    }
    bool is_postgres() const { return place_->is_postgres(); }

    // nullptr: the system's.
    virtual const Clock* store_clock() const { return &clock; }

    const TenantId tenant = *TenantId::parse("default");
    HandClock clock;
    std::unique_ptr<Database> database;

private:
    std::string folder_;
    std::unique_ptr<test::TestDatabase> place_;
    int mailings_ = 0;
};

}  // namespace umavez::mailing
