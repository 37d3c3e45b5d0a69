#include "simulation/sqlite_evidence.hpp"

#include "simulation/ledger_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

namespace umavez::simulation {
namespace {

constexpr std::string_view schema = R"(
CREATE TABLE sim_history (
    id INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    key TEXT NOT NULL,
    is_there INTEGER NOT NULL,
    status TEXT,
    final INTEGER,
    mode TEXT,
    epoch INTEGER,
    execution BLOB,
    retry_at INTEGER,
    created_at INTEGER,
    updated_at INTEGER,
    processing_expires_at INTEGER,
    expires_at INTEGER,
    response_status INTEGER,
    response_body BLOB,
    response_omitted INTEGER
) STRICT;
CREATE TRIGGER sim_inserted AFTER INSERT ON umavez_records BEGIN
    INSERT INTO sim_history VALUES (NULL, new.tenant_id, new.operation, new.key, 1, new.status, new.final,
        new.mode, new.epoch, new.execution, new.retry_at, new.created_at, new.updated_at,
        new.processing_expires_at, new.expires_at, new.response_status, new.response_body,
        new.response_omitted);
END;
CREATE TRIGGER sim_updated AFTER UPDATE ON umavez_records BEGIN
    INSERT INTO sim_history VALUES (NULL, new.tenant_id, new.operation, new.key, 1, new.status, new.final,
        new.mode, new.epoch, new.execution, new.retry_at, new.created_at, new.updated_at,
        new.processing_expires_at, new.expires_at, new.response_status, new.response_body,
        new.response_omitted);
END;
CREATE TRIGGER sim_deleted AFTER DELETE ON umavez_records BEGIN
    INSERT INTO sim_history (tenant_id, operation, key, is_there)
        VALUES (old.tenant_id, old.operation, old.key, 0);
END;
)";

Status status_of(const std::string& text)
{
    for (const Status status : {Status::processing, Status::succeeded, Status::failed}) {
        if (to_text(status) == text) return status;
    }
    return Status::in_doubt;
}

std::optional<Instant> instant(const Row& row, std::size_t column)
{
    if (row.is_null(column)) return std::nullopt;
    return from_micros(row.integer(column));
}

Record to_record(const Row& row)
{
    Record record;
    record.status = status_of(row.text(4));
    record.final = row.integer(5) != 0;
    record.mode = row.text(6) == to_text(Mode::run) ? Mode::run : Mode::reconcile;
    record.token.epoch = row.integer(7);
    std::ranges::copy(row.blob(8), record.token.execution.begin());
    record.retry_at = instant(row, 9);
    record.created_at = *instant(row, 10);
    record.updated_at = *instant(row, 11);
    record.processing_expires_at = instant(row, 12);
    record.expires_at = instant(row, 13);
    if (!row.is_null(14)) {
        StoredResponse stored;
        stored.response.status = static_cast<int>(row.integer(14));
        if (!row.is_null(15)) stored.response.body = row.blob(15);
        stored.omitted = row.integer(16) != 0;
        record.response = std::move(stored);
    }
    return record;
}

Result<void> read_history(Transaction& transaction, Evidence& evidence)
{
    const auto rows = transaction.query(
        "SELECT tenant_id, operation, key, is_there, status, final, mode, epoch, execution, retry_at, "
        "created_at, updated_at, processing_expires_at, expires_at, response_status, response_body, "
        "response_omitted FROM sim_history ORDER BY id"
    );
    if (!rows) return std::unexpected(rows.error());
    std::map<RecordId, Record> there;
    for (const Row& row : *rows) {
        const RecordId id = record_id_of(row, 0);
        RecordChange change;
        const auto before = there.find(id);
        if (before != there.end()) change.before = before->second;
        if (row.integer(3) != 0) {
            change.after = to_record(row);
            change.store_now = change.after->updated_at;
            there.insert_or_assign(id, *change.after);
        } else {
            // A trigger has no clock: whether the record was completed is what can be judged.
            change.store_now = Instant::max();
            there.erase(id);
        }
        evidence.keys[id].changes.push_back(std::move(change));
    }
    return {};
}

}  // namespace

Result<void> prepare_evidence(Database& database)
{
    if (auto made = make_ledger_table(database); !made) return made;
    const std::array migrations = {
        Migration{.module = "sim", .version = 1, .sql = std::string{schema}},
    };
    return database.migrate(migrations);
}

Result<void> gather_evidence(Database& database, Evidence& evidence)
{
    return database.read([&evidence](Transaction& transaction) -> Result<void> {
        if (auto read = read_history(transaction, evidence); !read) return read;
        return read_ledger(transaction, evidence);
    });
}

}  // namespace umavez::simulation
