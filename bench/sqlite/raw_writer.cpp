#include "sqlite/raw_writer.hpp"

#include "database/sqlite/tuning.hpp"
#include "store/sqlite/identity.hpp"
#include "support/requests.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

namespace umavez::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view digest = "0123456789abcdef0123456789abcdef";
constexpr std::string_view short_digest = digest.substr(16);

std::int64_t now_micros()
{
    return std::chrono::duration_cast<std::chrono::microseconds>(
               std::chrono::system_clock::now().time_since_epoch()
    )
        .count();
}

void bind(sqlite3_stmt* statement, int position, std::string_view text)
{
    sqlite3_bind_text64(
        statement, position, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8
    );
}

void bind_blob(sqlite3_stmt* statement, int position, std::string_view bytes)
{
    sqlite3_bind_blob64(statement, position, bytes.data(), bytes.size(), SQLITE_STATIC);
}

}  // namespace

RawWriter::RawWriter(const std::string& path)
    : tenant_id_(must(TenantId::parse(tenant_text))),
      operation_(must(Operation::parse(operation_text)))
{
    constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path.c_str(), &database_, flags, nullptr) != SQLITE_OK) {
        give_up("cannot open " + path);
    }
    execute("PRAGMA journal_mode = WAL");
    execute("PRAGMA synchronous = FULL");
    execute("PRAGMA temp_store = MEMORY");
    execute("PRAGMA foreign_keys = ON");
    execute(fmt::format("PRAGMA cache_size = -{}", tuning::lane_cache_kib).c_str());
    execute(fmt::format("PRAGMA wal_autocheckpoint = {}", tuning::checkpoint_pages).c_str());
    begin_ = prepare("BEGIN IMMEDIATE");
    commit_ = prepare("COMMIT");
    insert_ = prepare(
        "INSERT INTO umavez_records (identity, rank, tenant_id, operation, key, target, fingerprint, "
        "fingerprint_version, status, final, mode, epoch, execution, attempts, takeovers, "
        "created_at, updated_at, processing_expires_at, response_omitted) "
        "VALUES (?9, 0, ?1, ?2, ?3, ?4, ?5, 1, 'processing', 0, 'run', ?6, ?7, 1, 0, ?6, ?6, ?8, 0) "
        "ON CONFLICT (identity, rank) DO NOTHING"
    );
    find_ = prepare(
        "SELECT id FROM umavez_records WHERE identity = ?4 AND tenant_id = ?1 AND operation = ?2 "
        "AND key = ?3"
    );
    update_ = prepare(
        "UPDATE umavez_records SET status = 'succeeded', updated_at = ?5, completed_at = ?5, "
        "processing_expires_at = NULL, expires_at = ?6, response_status = 201, "
        "response_digest = ?7, response_headers = x'', response_body = ?8 "
        "WHERE id = ?1 AND execution = ?4 AND status = 'processing'"
    );
    audit_ = prepare(
        "INSERT INTO umavez_audit (subject, at, tenant_id, operation, key, event, epoch, "
        "execution, detail) VALUES (?2, ?1, ?3, ?4, ?5, ?6, ?1, ?7, '')"
    );
}

RawWriter::~RawWriter()
{
    for (sqlite3_stmt* const statement : {begin_, commit_, insert_, find_, update_, audit_}) {
        sqlite3_finalize(statement);
    }
    sqlite3_close(database_);
}

double RawWriter::pairs(std::chrono::milliseconds window, int batch)
{
    const auto started_at = Clock::now();
    const std::uint64_t first = next_;
    while (Clock::now() < started_at + window) {
        const std::uint64_t end = next_ + static_cast<std::uint64_t>(batch);
        step(begin_);
        for (std::uint64_t number = next_; number < end; ++number) claim(number);
        step(commit_);
        step(begin_);
        for (std::uint64_t number = next_; number < end; ++number) finish(number);
        step(commit_);
        next_ = end;
    }
    const std::chrono::duration<double> passed = Clock::now() - started_at;
    return static_cast<double>(next_ - first) / passed.count();
}

void RawWriter::fill(std::uint64_t records)
{
    constexpr std::uint64_t batch = 20'000;
    execute("PRAGMA synchronous = OFF");
    execute("PRAGMA cache_size = -2000000");
    for (const std::uint64_t end = next_ + records; next_ < end;) {
        const std::uint64_t batch_end = std::min(next_ + batch, end);
        step(begin_);
        for (; next_ < batch_end; ++next_) {
            claim(next_);
            finish(next_);
        }
        step(commit_);
    }
    execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

void RawWriter::claim(std::uint64_t number)
{
    const std::string key = make_key(number);
    const std::int64_t now = now_micros();
    bind(insert_, 1, tenant_text);
    bind(insert_, 2, operation_text);
    bind(insert_, 3, key);
    bind_blob(insert_, 4, digest);
    bind_blob(insert_, 5, digest);
    sqlite3_bind_int64(insert_, 6, now);
    bind_blob(insert_, 7, short_digest);
    sqlite3_bind_int64(insert_, 8, now + 30'000'000);
    sqlite3_bind_int64(insert_, 9, identity_of({tenant_id_, operation_, must(Key::parse(key))}));
    step(insert_);
    audit(sqlite3_last_insert_rowid(database_), key, "claimed");
}

void RawWriter::finish(std::uint64_t number)
{
    static const std::string body = make_response().body;
    const std::string key = make_key(number);
    const std::int64_t now = now_micros();
    bind(find_, 1, tenant_text);
    bind(find_, 2, operation_text);
    bind(find_, 3, key);
    sqlite3_bind_int64(find_, 4, identity_of({tenant_id_, operation_, must(Key::parse(key))}));
    if (sqlite3_step(find_) != SQLITE_ROW) give_up("a claimed record is gone");
    const std::int64_t row = sqlite3_column_int64(find_, 0);
    sqlite3_reset(find_);
    sqlite3_bind_int64(update_, 1, row);
    bind_blob(update_, 4, short_digest);
    sqlite3_bind_int64(update_, 5, now);
    sqlite3_bind_int64(update_, 6, now + 86'400'000'000);
    bind_blob(update_, 7, short_digest);
    bind_blob(update_, 8, body);
    step(update_);
    if (sqlite3_changes(database_) != 1) give_up("a claimed record was not there");
    audit(row, key, "executed");
}

void RawWriter::audit(std::int64_t record, const std::string& key, const char* event)
{
    sqlite3_bind_int64(audit_, 1, now_micros());
    sqlite3_bind_int64(audit_, 2, record);
    bind(audit_, 3, tenant_text);
    bind(audit_, 4, operation_text);
    bind(audit_, 5, key);
    bind(audit_, 6, event);
    bind_blob(audit_, 7, short_digest);
    step(audit_);
}

void RawWriter::execute(const char* sql)
{
    if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
        give_up(fmt::format("{}: {}", sql, sqlite3_errmsg(database_)));
    }
}

sqlite3_stmt* RawWriter::prepare(const char* sql)
{
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_, sql, -1, &statement, nullptr) != SQLITE_OK) {
        give_up(fmt::format("{}: {}", sql, sqlite3_errmsg(database_)));
    }
    return statement;
}

void RawWriter::step(sqlite3_stmt* statement)
{
    if (sqlite3_step(statement) != SQLITE_DONE) give_up(sqlite3_errmsg(database_));
    sqlite3_reset(statement);
}

}  // namespace umavez::bench
