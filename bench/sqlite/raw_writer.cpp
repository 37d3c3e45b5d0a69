#include "sqlite/raw_writer.hpp"

#include "store/identity.hpp"
#include "support/requests.hpp"

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

}  // namespace

RawWriter::RawWriter(const std::string& path)
    : tenant_id_(must(TenantId::parse(tenant_text))),
      operation_(must(Operation::parse(operation_text))),
      file_(path)
{
    insert_ = file_.prepare(
        "INSERT INTO umavez_records (identity, rank, tenant_id, operation, key, target, fingerprint, "
        "fingerprint_version, status, final, mode, epoch, execution, attempts, takeovers, "
        "created_at, updated_at, processing_expires_at, response_omitted) "
        "VALUES (?9, 0, ?1, ?2, ?3, ?4, ?5, 1, 'processing', 0, 'run', ?6, ?7, 1, 0, ?6, ?6, ?8, 0) "
        "ON CONFLICT (identity, rank) DO NOTHING"
    );
    find_ = file_.prepare(
        "SELECT id FROM umavez_records WHERE identity = ?4 AND tenant_id = ?1 AND operation = ?2 "
        "AND key = ?3"
    );
    update_ = file_.prepare(
        "UPDATE umavez_records SET status = 'succeeded', updated_at = ?5, completed_at = ?5, "
        "processing_expires_at = NULL, expires_at = ?6, response_status = 201, "
        "response_digest = ?7, response_headers = x'', response_body = ?8 "
        "WHERE id = ?1 AND execution = ?4 AND status = 'processing'"
    );
    audit_ = file_.prepare(
        "INSERT INTO umavez_audit (subject, at, tenant_id, operation, key, event, epoch, "
        "execution, detail) VALUES (?2, ?1, ?3, ?4, ?5, ?6, ?1, ?7, '')"
    );
}

double RawWriter::pairs(std::chrono::milliseconds window, int batch)
{
    const auto started_at = Clock::now();
    const std::uint64_t first = next_;
    while (Clock::now() < started_at + window) {
        const std::uint64_t end = next_ + static_cast<std::uint64_t>(batch);
        file_.begin();
        for (std::uint64_t number = next_; number < end; ++number) claim(number);
        file_.commit();
        file_.begin();
        for (std::uint64_t number = next_; number < end; ++number) finish(number);
        file_.commit();
        next_ = end;
    }
    const std::chrono::duration<double> passed = Clock::now() - started_at;
    return static_cast<double>(next_ - first) / passed.count();
}

void RawWriter::fill(std::uint64_t records)
{
    constexpr std::uint64_t batch = 20'000;
    file_.begin_fill();
    for (const std::uint64_t end = next_ + records; next_ < end;) {
        const std::uint64_t batch_end = std::min(next_ + batch, end);
        file_.begin();
        for (; next_ < batch_end; ++next_) {
            claim(next_);
            finish(next_);
        }
        file_.commit();
    }
    file_.end_fill();
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
    bind(insert_, 6, now);
    bind_blob(insert_, 7, short_digest);
    bind(insert_, 8, now + 30'000'000);
    bind(insert_, 9, identity_of({tenant_id_, operation_, must(Key::parse(key))}));
    file_.step(insert_);
    audit(file_.last_row(), key, "claimed");
}

void RawWriter::finish(std::uint64_t number)
{
    static const std::string body = make_response().body;
    const std::string key = make_key(number);
    const std::int64_t now = now_micros();
    bind(find_, 1, tenant_text);
    bind(find_, 2, operation_text);
    bind(find_, 3, key);
    bind(find_, 4, identity_of({tenant_id_, operation_, must(Key::parse(key))}));
    if (sqlite3_step(find_) != SQLITE_ROW) give_up("a claimed record is gone");
    const std::int64_t row = sqlite3_column_int64(find_, 0);
    sqlite3_reset(find_);
    bind(update_, 1, row);
    bind_blob(update_, 4, short_digest);
    bind(update_, 5, now);
    bind(update_, 6, now + 86'400'000'000);
    bind_blob(update_, 7, short_digest);
    bind_blob(update_, 8, body);
    file_.step(update_);
    if (file_.changes() != 1) give_up("a claimed record was not there");
    audit(row, key, "executed");
}

void RawWriter::audit(std::int64_t record, const std::string& key, const char* event)
{
    bind(audit_, 1, now_micros());
    bind(audit_, 2, record);
    bind(audit_, 3, tenant_text);
    bind(audit_, 4, operation_text);
    bind(audit_, 5, key);
    bind(audit_, 6, event);
    bind_blob(audit_, 7, short_digest);
    file_.step(audit_);
}

}  // namespace umavez::bench
