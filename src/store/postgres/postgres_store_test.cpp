// What is peculiar to the PostgreSQL store: notes that could not ride, records that fail their own checks, a
// schema that became newer. tests/conformance asks the rest.

#include "store/postgres/postgres_store.hpp"

#include "base/limits.hpp"
#include "core/transition.hpp"
#include "database/postgres/postgres_database.hpp"
#include "store/postgres/notes.hpp"
#include "support/postgres_server.hpp"
#include "support/text_cutter.hpp"
#include "support/wait.hpp"

#include <gtest/gtest.h>

#include <libpq-fe.h>
#include <stdexcept>
#include <thread>

namespace umavez::pg {
namespace {

using namespace std::chrono_literals;

test::PostgresServer& server()
{
    static test::PostgresServer one{{.durable = true, .listens = true}};
    return one;
}

RecordId id(std::string_view key = "k1")
{
    return {*TenantId::parse("acme"), *Operation::parse("enviar"), *Key::parse(key)};
}

Insertion insertion(std::string_view key)
{
    Request request{
        .tenant_id = *TenantId::parse("acme"),
        .operation = *Operation::parse("enviar"),
        .key = *Key::parse(key),
        .target = {},
        .fingerprint = {},
    };
    const Policy policy;
    return {
        .id = id(key),
        .draft = claim_draft(nullptr, request, policy, Claim{.new_lifetime = true}, Execution{1}),
    };
}

class Opened {
public:
    explicit Opened(const std::string& url)
    {
        const auto parsed = parse_postgres_url(url);
        if (!parsed) throw std::runtime_error(parsed.error().detail);
        auto opened = PostgresDatabase::open(*parsed, {.durable = false});
        if (!opened) throw std::runtime_error(opened.error().detail);
        database = *std::move(opened);
        auto made = open_postgres_store(*database);
        if (!made) throw std::runtime_error(made.error().detail);
        store = *std::move(made);
    }
    Result<std::vector<Found>> claim(std::string_view key)
    {
        std::vector<Insertion> batch;
        batch.push_back(insertion(key));
        return wait(store->insert_or_get(std::move(batch)));
    }
    // Asked again where a server that is slow could not tell what became of it.
    std::vector<Found> claim_in_the_end(std::string_view key)
    {
        Result<std::vector<Found>> found;
        test::wait_until("the key is claimed: " + std::string{key}, [&] {
            found = claim(key);
            return found.has_value();
        });
        return *std::move(found);
    }
    // As soon as there are `count`.
    std::vector<AuditEntry> story(const RecordId& of, std::size_t count)
    {
        std::vector<AuditEntry> story;
        test::wait_until("the story has so many entries: " + std::to_string(count), [&] {
            auto entries = wait(store->timeline(of, 10));
            if (entries) story = *std::move(entries);
            return entries && story.size() >= count;
        });
        return story;
    }

    std::unique_ptr<PostgresDatabase> database;
    std::unique_ptr<TransactionalStore> store;
};

TEST(PostgresNotes, ThoseThatRideAndThoseThatWaitShareOneLimit)
{
    Notes notes{{[] { return Duration{}; }, [] { return std::optional<std::int64_t>{}; }}};
    for (std::size_t i = 0; i < limits::audit_notes_max; ++i) {
        notes.add(id(std::to_string(i)), {AuditEvent::replayed, ""});
    }
    {
        const Notes::Ride failed{notes};
        for (int i = 0; i < 5; ++i) notes.add(id(), {AuditEvent::replayed, ""});
    }

    EXPECT_EQ(notes.dropped(), 5u);
    EXPECT_TRUE(notes.is_waiting());
    EXPECT_TRUE(notes.take_given_back());
    {
        Notes::Ride again{notes};
        again.landed();
    }
    EXPECT_FALSE(notes.is_waiting());
    EXPECT_FALSE(notes.take_given_back());
    EXPECT_TRUE(notes.add(id(), {AuditEvent::replayed, ""}));
    EXPECT_EQ(notes.dropped(), 5u);
}

TEST(PostgresNotes, ThoseThatFoundNoServerAreWrittenWhenItIsBackAlthoughNobodyCalls)
{
    const test::PostgresSchema schema{server()};
    Opened opened{schema.url()};
    server().kill();
    // A process of the server may outlive the kill by a moment, and a ride it took along is lost.
    ASSERT_FALSE(opened.claim("cut off"));
    opened.store->note(id(), {AuditEvent::replayed, "while it was away"});
    ASSERT_FALSE(opened.claim("away"));  // and the note that rode along
    server().start();

    const auto entries = opened.story(id(), 1);

    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].detail, "while it was away");
    EXPECT_EQ(opened.store->losses().notes, 0u);
}

TEST(PostgresNotes, ARideWithoutAnAnswerIsNotRiddenTwice)
{
    const test::PostgresSchema schema{server()};
    test::TextCutter proxy{static_cast<std::uint16_t>(server().port())};
    Opened opened{schema.url("port=" + std::to_string(proxy.port()))};
    opened.store->note(id("first"), {AuditEvent::replayed, ""});
    ASSERT_EQ(opened.story(id("first"), 1).size(), 1u);

    proxy.cut_answer_with("INSERT 0 1");  // the notes' own tag: they are written, and nobody is told
    opened.store->note(id("cut"), {AuditEvent::replayed, ""});
    ASSERT_EQ(opened.story(id("cut"), 1).size(), 1u);
    opened.store->note(id("last"), {AuditEvent::replayed, ""});
    ASSERT_EQ(opened.story(id("last"), 1).size(), 1u);

    EXPECT_EQ(proxy.strikes(), 1);
    EXPECT_EQ(opened.story(id("cut"), 1).size(), 1u);
    test::wait_until("the loss is told", [&] { return opened.store->losses().notes > 0; });
    EXPECT_EQ(opened.store->losses().notes, 1u);
}

TEST(PostgresSweep, ARecordThatFailsItsChecksIsLeftAloneAndKeepsNobodyFromBeingSwept)
{
    const test::PostgresSchema schema{server()};
    Opened opened{schema.url()};
    for (const char* const key : {"corrupt", "spent"}) opened.claim_in_the_end(key);
    const auto spoilt = opened.database->transact([](Transaction& transaction) -> Result<void> {
        const auto done = transaction.execute(
            "UPDATE umavez_records SET status = 'succeeded', processing_expires_at = NULL, expires_at = "
            "CASE key WHEN 'corrupt' THEN 1 ELSE 2 END, "
            "tenant_id = CASE key WHEN 'corrupt' THEN 'NOT A TENANT' ELSE tenant_id END"
        );
        return done ? Result<void>{} : Result<void>{std::unexpected(done.error())};
    });
    ASSERT_TRUE(spoilt) << spoilt.error().detail;

    const auto swept = wait(opened.store->sweep(1, 24h));

    ASSERT_TRUE(swept) << swept.error().detail;
    EXPECT_TRUE(swept->unreadable);
    ASSERT_EQ(swept->ids.size(), 1u);
    EXPECT_EQ(swept->ids[0].key.text(), "spent");
    const auto counts = wait(opened.store->count());
    EXPECT_EQ(counts->by_status[1].records, 1u);
}

// Three are written, two are there already: the look at those is lost, and with it what is known.
TEST(PostgresLanes, ALookThatIsLostAfterAWriteIsUnknown)
{
    const test::PostgresSchema schema{server()};
    test::TextCutter proxy{static_cast<std::uint16_t>(server().port())};
    Opened opened{schema.url("port=" + std::to_string(proxy.port()))};
    for (const char* const key : {"there", "there too"}) opened.claim_in_the_end(key);
    proxy.cut_answer_with(std::string{"SELECT 2\0", 9});  // the tag of the look

    std::vector<Insertion> batch;
    for (const char* const key : {"new", "new too", "newest", "there", "there too"}) {
        batch.push_back(insertion(key));
    }
    const auto found = wait(opened.store->insert_or_get(std::move(batch)));

    EXPECT_EQ(proxy.strikes(), 1);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Errc::store_unknown);
    const auto written = wait(opened.store->find(id("new")));
    EXPECT_TRUE(written && written->record);
}

// A row that somebody locks, for as long as this lives: a program of its own, without limits.
class RowLock {
public:
    RowLock(const std::string& url, const char* lock) : connection_(PQconnectdb(url.c_str()))
    {
        for (const char* const statement : {"BEGIN", lock}) {
            PGresult* const result = PQexec(connection_, statement);
            const bool is_done =
                PQresultStatus(result) == PGRES_COMMAND_OK || PQntuples(result) == 1;
            PQclear(result);
            if (!is_done) ADD_FAILURE() << statement << ": " << PQerrorMessage(connection_);
        }
    }
    ~RowLock() { PQfinish(connection_); }
    RowLock(const RowLock&) = delete;
    RowLock& operator=(const RowLock&) = delete;

private:
    PGconn* const connection_;
};

TEST(PostgresLanes, ATakeoverOfARowThatATransactionHoldsIsBusy)
{
    const test::PostgresSchema schema{server()};
    Opened opened{schema.url()};
    const Record record = opened.claim_in_the_end("held").front().record;
    const RowLock held{schema.url(), "SELECT 1 FROM umavez_records WHERE key = 'held' FOR UPDATE"};
    const Insertion again = insertion("held");

    // A server that is slow may be given up before it has told.
    test::wait_until("the takeover is told to be busy", [&] {
        std::vector<Replacement> batch;
        batch.push_back({.id = again.id, .expected = bystander_expects(record), .next = again.draft}
        );
        const auto replaced = wait(opened.store->replace(std::move(batch)));
        EXPECT_FALSE(replaced);
        return replaced || replaced.error().code == Errc::busy;
    });
}

// An older program that is still running.
TEST(PostgresVersions, NothingIsWrittenOnceANewerProgramHasMigrated)
{
    const test::PostgresSchema schema{server()};
    Opened older{schema.url()};
    older.claim_in_the_end("before");
    const auto migrated = older.database->transact([](Transaction& transaction) -> Result<void> {
        const auto done = transaction.execute(
            "INSERT INTO umavez_migrations (module, version, applied_at) VALUES ('umavez', 999, 1)"
        );
        return done ? Result<void>{} : Result<void>{std::unexpected(done.error())};
    });
    ASSERT_TRUE(migrated) << migrated.error().detail;

    int written = 0;
    Result<std::vector<Found>> refused;
    test::wait_until("the older program sees it", [&] {
        refused = older.claim("after-" + std::to_string(written++));
        return !refused && refused.error().detail.find("newer") != std::string::npos;
    });
    const auto closure = older.database->transact([](Transaction& transaction) -> Result<void> {
        const auto done = transaction.execute("UPDATE umavez_meta SET checks = checks + 1");
        return done ? Result<void>{} : Result<void>{std::unexpected(done.error())};
    });

    EXPECT_EQ(refused.error().code, Errc::store_unavailable);
    ASSERT_FALSE(closure);
    EXPECT_EQ(closure.error().code, Errc::store_unavailable);
    const auto found = wait(older.store->find(id("before")));
    EXPECT_TRUE(found && found->record);  // what it knows it may still tell
}

// As it was before version 2, with the names PostgreSQL gave.
void go_back_to_version_1()
{
    server().run(
        "ALTER TABLE umavez_records DROP CONSTRAINT umavez_records_identity, "
        "ADD UNIQUE (tenant_id, operation, key)"
    );
    server().run("DELETE FROM umavez_migrations WHERE module = 'umavez' AND version = 2");
}

TEST(PostgresMigration, RecordsOfTheFirstVersionAreFoundByProcessesThatStartAtOnce)
{
    Opened{server().url()}.claim_in_the_end("of-version-1");
    go_back_to_version_1();

    std::vector<std::jthread> starting;
    for (int i = 0; i < 4; ++i) {
        starting.emplace_back([] {
            try {
                const auto found = Opened{server().url()}.claim_in_the_end("of-version-1");
                EXPECT_FALSE(found.front().inserted);
            } catch (const std::exception& error) {
                ADD_FAILURE() << error.what();
            }
        });
    }
    starting.clear();

    EXPECT_EQ(
        server().run("SELECT string_agg(conname, ' ' ORDER BY conname) FROM pg_constraint WHERE "
                     "conrelid = 'umavez_records'::regclass"),
        "umavez_records_identity umavez_records_pkey"
    );
    EXPECT_EQ(
        server().run("SELECT count(*) FROM umavez_migrations WHERE module = 'umavez'"), "2"
    );
}

}  // namespace
}  // namespace umavez::pg
