// What is peculiar to the SQLite store: its schema, what its columns refuse, rows that were
// damaged, notes that ride along. What every store must do is in tests/conformance.

#include "store/sqlite/sqlite_store.hpp"

#include "base/limits.hpp"
#include "core/transition.hpp"
#include "database/sqlite/test_support.hpp"
#include "store/identity.hpp"
#include "store/sqlite/record_codec.hpp"
#include "store/sqlite/record_statements.hpp"

#include <sqlite3.h>

#include <fstream>
#include <sstream>

namespace umavez {
namespace {

using test::read_integer;
using test::sql;

// Lets damage in that no program could write.
void sqlite_ignore_checks(SqliteTransaction& transaction, bool ignore)
{
    sqlite3* const handle = transaction.connection().handle();
    sqlite3_set_authorizer(handle, nullptr, nullptr);
    const char* const pragma =
        ignore ? "PRAGMA ignore_check_constraints = ON" : "PRAGMA ignore_check_constraints = OFF";
    ASSERT_EQ(sqlite3_exec(handle, pragma, nullptr, nullptr, nullptr), SQLITE_OK);
}

class SqliteStoreTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        database = test::open_or_fail("sqlite::memory:", {.clock = &clock, .threads = false});
        auto opened = open_sqlite_store(*database);
        ASSERT_TRUE(opened) << opened.error().detail;
        store = std::move(*opened);
    }

    static RecordId id(const std::string& key = "k-1")
    {
        return {*TenantId::parse("acme"), *Operation::parse("faturas.gerar"), *Key::parse(key)};
    }

    Result<Found> claim(const RecordId& of)
    {
        Insertion insertion{.id = of, .draft = {}, .audit = AuditNote{AuditEvent::claimed, ""}};
        insertion.draft.raise_epoch = true;
        insertion.draft.execution.fill(7);
        insertion.draft.attempts = 1;
        insertion.draft.lease = std::chrono::seconds{30};
        std::vector<Insertion> batch;
        batch.push_back(std::move(insertion));
        auto found = wait(store->insert_or_get(std::move(batch)));
        if (!found) return std::unexpected(found.error());
        return std::move(found->at(0));
    }

    Result<Replaced> complete(const RecordId& of, const Record& owned, Response response)
    {
        Replacement replacement{
            .id = of,
            .expected = settler_expects(owned.token),
            .next = {},
            .audit = AuditNote{AuditEvent::executed, ""},
        };
        replacement.next.status = Status::succeeded;
        replacement.next.execution = owned.token.execution;
        replacement.next.created_at = owned.created_at;
        replacement.next.response = to_stored(std::move(response), 1 << 20);
        replacement.next.expires_in = std::chrono::hours{24};
        std::vector<Replacement> batch;
        batch.push_back(std::move(replacement));
        auto replaced = wait(store->replace(std::move(batch)));
        if (!replaced) return std::unexpected(replaced.error());
        return std::move(replaced->at(0));
    }

    // What a broken disk does, no constraint sees.
    void damage_row(const RecordId& of, const std::string& damage)
    {
        const auto damaged = database->transact([&](Transaction& transaction) -> Result<void> {
            auto& ours = static_cast<SqliteTransaction&>(transaction);
            sqlite_ignore_checks(ours, true);
            const auto changed = transaction.execute(
                "UPDATE umavez_records SET " + damage + " WHERE key = $1", {of.key.text()}
            );
            sqlite_ignore_checks(ours, false);
            if (!changed) return std::unexpected(changed.error());
            return {};
        });
        ASSERT_TRUE(damaged) << damage << ": " << damaged.error().detail;
    }

    Errc find_error(const RecordId& of)
    {
        const auto found = wait(store->find(of));
        return found ? Errc{} : found.error().code;
    }

    test::HandClock clock;
    std::unique_ptr<SqliteDatabase> database;
    std::unique_ptr<TransactionalStore> store;
};

const Response example{
    .status = 201,
    .headers = {{"content-type", "application/json"}, {"x-empty", ""}},
    .body = std::string{"{\"id\":\0}", 8},
    .entity = Entity{"fatura", "42"},
};

TEST_F(SqliteStoreTest, SchemaIsTheOneThatWasReleased)
{
    std::string dump;
    const auto done = database->read([&dump](Transaction& transaction) -> Result<void> {
        const auto rows = transaction.query(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name LIKE 'umavez%' ORDER "
            "BY name"
        );
        for (const Row& row : *rows) dump += row.text(0) + ";\n";
        return {};
    });
    ASSERT_TRUE(done);
    const auto golden = std::filesystem::path{UMAVEZ_SCHEMA_GOLDEN};
    if (std::getenv("UMAVEZ_BLESS") != nullptr) std::ofstream{golden} << dump;

    std::stringstream released;
    released << std::ifstream{golden}.rdbuf();

    EXPECT_EQ(dump, released.str()) << "a released migration must not change; add a new one";
}

TEST_F(SqliteStoreTest, RecordComesBackAsItWasWritten)
{
    const auto claimed = claim(id());
    ASSERT_TRUE(claimed && claimed->inserted);
    clock.advance(std::chrono::seconds{1});
    const auto completed = complete(id(), claimed->record, example);
    ASSERT_TRUE(completed && completed->done);

    const auto found = wait(store->find(id()));

    ASSERT_TRUE(found && found->record);
    EXPECT_EQ(found->record->response->response, example);
    EXPECT_EQ(found->record->token, claimed->record.token);
    EXPECT_EQ(found->record->created_at, claimed->record.created_at);
    EXPECT_EQ(*found->record->completed_at, claimed->record.created_at + std::chrono::seconds{1});
}

TEST_F(SqliteStoreTest, DamagedRowsAreReportedAndNeverReplayed)
{
    const char* const damages[] = {
        "response_body = x'00'",
        "response_headers = x'ffffffff'",
        "response_headers = x'01'",
        "response_digest = zeroblob(16)",
        "response_status = -1",
        "entity_id = '43'",
        "target = x'00'",
        "status = 'done'",
        "mode = 'walk'",
        "epoch = -1",
        "execution = x''",
        "attempts = 99999999999",
        "created_at = -5",
        "final = 2",
        "fingerprint_version = 70000",
    };
    int number = 0;
    for (const char* const damage : damages) {
        const RecordId of = id("k-" + std::to_string(++number));
        const auto claimed = claim(of);
        ASSERT_TRUE(complete(of, claimed->record, example));
        damage_row(of, damage);

        EXPECT_EQ(find_error(of), Errc::corrupt_record) << damage;
        const auto again = claim(of);
        ASSERT_FALSE(again) << damage;
        EXPECT_EQ(again.error().code, Errc::corrupt_record) << damage;
    }
    EXPECT_TRUE(claim(id("healthy")));
}

TEST_F(SqliteStoreTest, ADamagedRowEndsNobodyElsesLease)
{
    const auto first = claim(id("k-1"));
    const auto second = claim(id("k-2"));
    damage_row(id("k-1"), "target = x'00'");
    std::vector<Heartbeat> batch;
    for (const auto* const owned : {&first, &second}) {
        const RecordId of = owned == &first ? id("k-1") : id("k-2");
        batch.push_back({of, (*owned)->record.token, std::chrono::minutes{1}, std::nullopt});
    }

    const auto beaten = wait(store->heartbeat(std::move(batch)));

    ASSERT_TRUE(beaten) << beaten.error().detail;
    EXPECT_FALSE(beaten->at(0).done);
    EXPECT_TRUE(beaten->at(1).done);
}

TEST_F(SqliteStoreTest, DamagedRowsKeepAWorkerFromNothingElse)
{
    for (const char* const key : {"k-1", "k-2", "k-3"}) ASSERT_TRUE(claim(id(key)));
    damage_row(id("k-1"), "target = x'00'");
    damage_row(id("k-2"), "mode = 'walk'");
    clock.advance(std::chrono::hours{1});

    const auto due =
        wait(store->due({.abandoned = {id().operation}, .in_doubt = {}, .count_max = 1}));

    ASSERT_TRUE(due) << due.error().detail;
    ASSERT_EQ(due->records.size(), 1u);
    EXPECT_EQ(due->records.front().id, id("k-3"));
    ASSERT_TRUE(due->unreadable);
    EXPECT_NE(due->unreadable->find("row 1 of umavez_records"), std::string::npos);
}

TEST_F(SqliteStoreTest, DamagedRowsKeepASweepFromNothingElse)
{
    for (const char* const key : {"k-1", "k-2"}) {
        const auto claimed = claim(id(key));
        ASSERT_TRUE(complete(id(key), claimed->record, example));
    }
    damage_row(id("k-1"), "tenant_id = 'NOT A TENANT'");
    clock.advance(std::chrono::hours{48});

    const auto swept = wait(store->sweep(1, std::chrono::hours{24 * 90}));

    ASSERT_TRUE(swept) << swept.error().detail;
    EXPECT_EQ(swept->ids, std::vector{id("k-2")});
    EXPECT_TRUE(swept->unreadable);
}

TEST_F(SqliteStoreTest, ColumnsRefuseWhatNoRecordHas)
{
    ASSERT_TRUE(claim(id()));
    for (const char* const bad :
         {"status = 'done'",
          "key = ''",
          "target = x'00'",
          "epoch = 'text'",
          "final = 2",
          "execution = zeroblob(15)",
          "checkpoint = zeroblob(65537)",
          "entity_type = 'x'",
          "response_status = 200"}) {
        const auto changed =
            database->transact(sql("UPDATE umavez_records SET " + std::string{bad}));
        ASSERT_FALSE(changed) << bad;
        EXPECT_EQ(changed.error().code, Errc::sql) << bad;
    }
}

TEST_F(SqliteStoreTest, LimitsAreToldByNameAndWriteNothing)
{
    const auto claimed = claim(id());
    Response long_entity = example;
    long_entity.entity->id = std::string(256, 'x');

    const auto refused = complete(id(), claimed->record, long_entity);

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::limit_exceeded);
    EXPECT_EQ(wait(store->find(id()))->record->status, Status::processing);
}

TEST_F(SqliteStoreTest, StoriesWithoutARecordAreFoundByTheirKey)
{
    ASSERT_TRUE(claim(id("kept")));
    const auto swept = claim(id("swept"));
    ASSERT_TRUE(complete(id("swept"), swept->record, example));
    clock.advance(std::chrono::hours{48});
    ASSERT_EQ(wait(store->sweep(10, std::chrono::hours{24 * 90}))->ids.size(), 1u);
    const auto find = [this](StoriesQuery query) { return wait(store->stories(std::move(query))); };

    EXPECT_EQ(find({.key = "swept"})->ids, std::vector{id("swept")});
    EXPECT_TRUE(find({.key = "swept"})->next.empty());
    EXPECT_TRUE(find({.key = "kept"})->ids.empty());
    EXPECT_TRUE(find({.key = "swep"})->ids.empty());
    EXPECT_TRUE(find({.key = "swept", .operation = Operation::parse("x").value()})->ids.empty());
    EXPECT_EQ(find({.key = "swept", .cursor = "1"})->ids.size(), 0u);
    EXPECT_EQ(find({.key = "swept", .cursor = "x"}).error().code, Errc::invalid_argument);
}

TEST_F(SqliteStoreTest, NotesRideTheNextBatch)
{
    store->note(id(), {AuditEvent::replayed, "first"});
    store->note(id(), {AuditEvent::mismatch, "second"});
    store->note(id(), {AuditEvent::mismatch, std::string(2000, 'x')});
    EXPECT_TRUE(wait(store->timeline(id(), 10))->empty());

    ASSERT_TRUE(claim(id("other")));

    const auto entries = wait(store->timeline(id(), 10));
    ASSERT_EQ(entries->size(), 2u);
    EXPECT_EQ(entries->at(0).event, AuditEvent::replayed);
    EXPECT_EQ(entries->at(1).detail, "second");
    EXPECT_EQ(entries->at(0).token, FencingToken{});
    EXPECT_EQ(store->losses().notes, 1u);
}

TEST_F(SqliteStoreTest, TheSameNoteTwiceIsOneEntryThatSaysSo)
{
    const auto claimed = claim(id());
    const Instant first = clock.realtime();
    store->note(id(), {AuditEvent::replayed, "", 7});
    clock.advance(std::chrono::milliseconds{30});
    store->note(id(), {AuditEvent::replayed, "", 7});

    ASSERT_TRUE(claim(id("other")));

    const auto entries = wait(store->timeline(id(), 10));
    ASSERT_EQ(entries->size(), 2u);
    EXPECT_EQ(entries->at(1).event, AuditEvent::replayed);
    EXPECT_EQ(entries->at(1).detail, "2 times in 30 ms");
    EXPECT_EQ(entries->at(1).token.epoch, 7);
    EXPECT_EQ(entries->at(1).at, first);
}

TEST_F(SqliteStoreTest, NotesWithoutABatchGetOneOfTheirOwn)
{
    store->note(id(), {AuditEvent::replayed, ""});

    EXPECT_TRUE(database->step());
    EXPECT_FALSE(database->step());

    EXPECT_EQ(wait(store->timeline(id(), 10))->size(), 1u);
}

TEST_F(SqliteStoreTest, NotesBeyondTheLimitAreDroppedAndCounted)
{
    for (std::size_t i = 0; i < limits::audit_notes_max + 5; ++i) {
        store->note(id(std::to_string(i)), {AuditEvent::replayed, ""});
    }
    EXPECT_EQ(store->losses().notes, 5u);
}

TEST_F(SqliteStoreTest, SweepLeavesOneEntryForTheWholeBatch)
{
    for (const char* const key : {"a", "b", "c"}) {
        const auto claimed = claim(id(key));
        ASSERT_TRUE(complete(id(key), claimed->record, example));
    }
    clock.advance(std::chrono::hours{25});
    ASSERT_TRUE(claim(id("alive")));

    const auto swept = wait(store->sweep(2, std::chrono::hours{24}));

    ASSERT_TRUE(swept);
    EXPECT_EQ(swept->ids.size(), 2u);
    EXPECT_EQ(swept->audit_entries, 2u);
    const RecordId sweep{
        *TenantId::parse("umavez"), *Operation::parse("umavez.sweep"), *Key::parse("sweep")
    };
    EXPECT_EQ(wait(store->timeline(sweep, 10))->at(0).detail, "2 records");
}

TEST_F(SqliteStoreTest, SweepThatKeepsUpEndsForOthersAndOneThatIsBehindDoesNot)
{
    for (int i = 0; i < 20; ++i) {
        const RecordId one = id(std::to_string(i));
        const auto claimed = claim(one);
        ASSERT_TRUE(complete(one, claimed->record, example));
    }
    clock.advance(std::chrono::hours{25});
    const auto sweep = [this](std::size_t count_max, bool others_wait) {
        Swept swept;
        EXPECT_TRUE(database->transact([&](Transaction& transaction) -> Result<void> {
            SqliteTransaction* const own = database->own(transaction);
            const SweepStepLimits step{
                count_max, std::chrono::hours{48}, [others_wait] { return others_wait; }
            };
            auto done = sweep_records(*own, step);
            if (!done) return std::unexpected(done.error());
            swept = *std::move(done);
            return {};
        }));
        return swept;
    };

    const Swept interrupted = sweep(5, true);
    EXPECT_EQ(interrupted.ids.size(), 1u);
    EXPECT_TRUE(interrupted.has_more);
    EXPECT_EQ(sweep(5, false).ids.size(), 5u);
    EXPECT_EQ(sweep(limits::sweep_polite_max + 1, true).ids.size(), 6u);
}

TEST_F(SqliteStoreTest, IdentitiesThatShareTheirNumberAreTwoRecords)
{
    ASSERT_TRUE(claim(id("first")));
    const auto shared = [this] {
        // As if the digests of both began with the same eight bytes.
        return database->transact(
            sql("UPDATE umavez_records SET identity = $1 WHERE key = 'first'",
                {identity_of(id("second"))})
        );
    };
    ASSERT_TRUE(shared());

    const auto second = claim(id("second"));
    ASSERT_TRUE(second);
    EXPECT_TRUE(second->inserted);
    EXPECT_FALSE(claim(id("second"))->inserted);
    ASSERT_TRUE(complete(id("second"), second->record, example));
    EXPECT_EQ(wait(store->timeline(id("second"), 10))->size(), 2u);

    // A second record of one identity meets the unique index, whoever writes it.
    EXPECT_FALSE(database->transact(
        sql("INSERT INTO umavez_records SELECT NULL, identity, rank, tenant_id, operation, key, "
            "target, "
            "fingerprint, fingerprint_version, status, final, mode, epoch, execution, attempts, "
            "takeovers, "
            "retry_at, created_at, updated_at, completed_at, processing_expires_at, expires_at, "
            "response_status, response_digest, response_omitted, entity_type, entity_id, "
            "response_headers, "
            "response_body, checkpoint FROM umavez_records WHERE key = 'second'")
    ));

    // The first one goes; the second one must still be found behind the gap.
    ASSERT_TRUE(database->transact(sql("DELETE FROM umavez_records WHERE key = 'first'")));
    EXPECT_FALSE(claim(id("second"))->inserted);
    EXPECT_EQ(test::read_integer(*database, "SELECT count(*) FROM umavez_records"), 1);
}

TEST_F(SqliteStoreTest, LongStoriesDoNotHoldUpTheSweep)
{
    for (const char* const key : {"a", "b"}) {
        const auto claimed = claim(id(key));
        ASSERT_TRUE(complete(id(key), claimed->record, example));
    }
    ASSERT_TRUE(database->transact(sql(
        "INSERT INTO umavez_audit (subject, at, tenant_id, operation, key, event, epoch, detail) "
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
        "SELECT r.id, r.created_at, r.tenant_id, r.operation, r.key, 'replayed', 0, '' "
        "FROM n, umavez_records r"
    )));
    clock.advance(std::chrono::hours{25});

    const auto swept = wait(store->sweep(10, std::chrono::hours{48}));

    ASSERT_TRUE(swept) << swept.error().detail;
    EXPECT_EQ(swept->ids.size(), 2u);
    EXPECT_EQ(wait(store->timeline(id("a"), 100'000))->size(), limits::timeline_kept_max);
}

TEST_F(SqliteStoreTest, StoryOfAKeyOutlivesItsRecords)
{
    const auto first = claim(id());
    ASSERT_TRUE(complete(id(), first->record, example));
    ASSERT_TRUE(claim(id("neighbour")));
    clock.advance(std::chrono::hours{25});
    ASSERT_EQ(wait(store->sweep(10, std::chrono::hours{48}))->ids.size(), 1u);
    EXPECT_EQ(wait(store->timeline(id(), 10))->size(), 2u);

    // The new record may well get the old one's row.
    const auto second = claim(id());
    ASSERT_TRUE(complete(id(), second->record, example));

    EXPECT_EQ(wait(store->timeline(id(), 10))->size(), 4u);
    EXPECT_EQ(wait(store->timeline(id("neighbour"), 10))->size(), 1u);
}

// A statement that builds a table for itself costs as much as the rest of it.
TEST_F(SqliteStoreTest, WritesBuildNoTablesOfTheirOwn)
{
    const auto done = database->transact([&](Transaction& transaction) -> Result<void> {
        for (const char* const text :
             {"UPDATE umavez_records SET status = NULL, final = 0, mode = NULL, response_omitted = "
              "0 "
              "WHERE id = 1",
              "INSERT INTO umavez_audit (subject, at, tenant_id, operation, key, event, epoch, "
              "detail) VALUES (1, 2, NULL, NULL, NULL, NULL, 3, NULL)"}) {
            const auto rows = transaction.query(std::string{"EXPLAIN "} + text);
            if (!rows) return std::unexpected(rows.error());
            for (const Row& row : *rows) EXPECT_NE(row.text(1), "OpenEphemeral") << text;
        }
        return {};
    });
    EXPECT_TRUE(done) << done.error().detail;
}

TEST_F(SqliteStoreTest, HotStatementsUseTheirIndexes)
{
    const auto plan = [this](const std::string& text) {
        std::string plans;
        const auto done = database->read([&](Transaction& transaction) -> Result<void> {
            const auto rows = transaction.query("EXPLAIN QUERY PLAN " + text);
            for (const Row& row : *rows) plans += row.text(3) + "\n";
            return {};
        });
        EXPECT_TRUE(done);
        return plans;
    };
    EXPECT_EQ(
        plan("SELECT * FROM umavez_records WHERE identity = 1 AND tenant_id = 'a' AND "
             "operation = 'b' AND key = 'c'"),
        "SEARCH umavez_records USING INDEX umavez_records_identity (identity=?)\n"
    );
    EXPECT_EQ(
        plan("SELECT * FROM umavez_records WHERE expires_at IS NOT NULL AND expires_at <= 5 "
             "ORDER BY expires_at LIMIT 5"),
        "SEARCH umavez_records USING INDEX umavez_records_expiry (expires_at>? AND expires_at<?)\n"
    );
    EXPECT_EQ(
        plan("SELECT * FROM umavez_audit WHERE subject = 5 ORDER BY id DESC LIMIT 5"),
        "SEARCH umavez_audit USING INDEX umavez_audit_subject (subject=?)\n"
    );
}

TEST_F(SqliteStoreTest, StoreOfANewerProgramIsRefused)
{
    ASSERT_TRUE(database->transact(
        sql("INSERT INTO umavez_migrations (module, version, applied_at) VALUES ('umavez', 2, 0)")
    ));

    const auto opened = open_sqlite_store(*database);

    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Errc::misconfigured);
}

TEST(HeaderCodec, GivesBackWhatItTook)
{
    EXPECT_EQ(*decode_headers(encode_headers(example.headers)), example.headers);
    EXPECT_TRUE(decode_headers("")->empty());
}

TEST(HeaderCodec, EveryPrefixAndEveryFlippedByteIsHandled)
{
    const std::string bytes = encode_headers(example.headers);
    for (std::size_t size = 1; size < bytes.size(); ++size) {
        const auto decoded = decode_headers(std::string_view{bytes}.substr(0, size));
        EXPECT_TRUE(!decoded || decoded->size() < example.headers.size());
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        for (int bit = 0; bit < 8; ++bit) {
            std::string damaged = bytes;
            damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
            const auto decoded = decode_headers(damaged);
            EXPECT_TRUE(!decoded || *decoded != example.headers);
        }
    }
}

}  // namespace
}  // namespace umavez
