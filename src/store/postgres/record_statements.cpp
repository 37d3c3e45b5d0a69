#include "store/postgres/record_statements.hpp"

#include "store/identity.hpp"
#include "store/postgres/audit_statements.hpp"
#include "store/postgres/batch_statements.hpp"
#include "store/postgres/record_codec.hpp"

#include <algorithm>
#include <utility>

namespace umavez::pg {
namespace {

// $1 to $3 name the record, $4 to $17 are its draft, $18 to $25 its response and checkpoint;
// `updated_at` is the time of the statement.
const StaticSql insert_sql{
    "INSERT INTO umavez_records (id, tenant_id, operation, key, target, fingerprint, "
    "fingerprint_version, status, final, mode, epoch, execution, attempts, takeovers, retry_at, "
    "created_at, updated_at, completed_at, processing_expires_at, expires_at, response_status, "
    "response_digest, response_omitted, entity_type, entity_id, response_headers, response_body, "
    "checkpoint) SELECT nextval('umavez_records_ids'), $1, $2, $3, $4, $5, $6::int4, $7, $8 <> 0, "
    "$9, "
    "CASE WHEN $10 <> 0 THEN greatest(1, c.now) ELSE 0 END, $11, $12, $13, c.now + $14, "
    "coalesce($15, c.now), c.now, CASE WHEN $7 IN ('succeeded', 'failed') THEN c.now END, "
    "c.now + $16, c.now + $17, $18::int4, $19, $20 <> 0, $21, $22, $23, $24, $25 FROM "
    "(SELECT " UMAVEZ_PG_CLOCK("$26"
    ) " AS now) AS c "
      "ON CONFLICT (tenant_id, operation, key) DO NOTHING RETURNING id, updated_at"
};
const StaticSql find_sql{"SELECT " UMAVEZ_PG_RECORD_COLUMNS
                         ", c.now FROM (SELECT " UMAVEZ_PG_CLOCK("$4"
                         ) " AS now) AS c LEFT JOIN umavez_records AS r ON r.tenant_id = $1 AND "
                           "r.operation = $2 AND r.key = $3"};
const StaticSql scans_off_sql{"SET enable_seqscan = off"};
const StaticSql scans_on_sql{"RESET enable_seqscan"};
const StaticSql lock_sql{"SELECT " UMAVEZ_PG_RECORD_COLUMNS
                         " FROM umavez_records AS r WHERE r.tenant_id = $1 AND "
                         "r.operation = $2 AND r.key = $3 FOR UPDATE"};
// Nobody reads the answer: a row that is not there, or not ours, divides by zero and takes the
// transaction along.
#define UMAVEZ_PG_UPDATE                                                                        \
    "UPDATE umavez_records SET target = $4, fingerprint = $5, fingerprint_version = $6::int4, " \
    "status = $7, final = $8 <> 0, mode = $9, epoch = $10, execution = $11, attempts = $12, "   \
    "takeovers = $13, retry_at = $14, created_at = $15, updated_at = $16, completed_at = $17, " \
    "processing_expires_at = $18, expires_at = $19, response_status = $20::int4, "              \
    "response_digest = $21, response_omitted = $22 <> 0, entity_type = $23, entity_id = $24, "  \
    "response_headers = $25, response_body = $26, checkpoint = $27 "                            \
    "WHERE id = $1 AND epoch = $2 AND execution = $3 RETURNING id"
const StaticSql update_sql{"WITH done AS (" UMAVEZ_PG_UPDATE ") SELECT 1 / count(*) FROM done"};
const StaticSql update_audited_sql{"WITH done AS (" UMAVEZ_PG_UPDATE
                                   "), audited AS (INSERT INTO umavez_audit (subject, at, "
                                   "tenant_id, operation, key, event, epoch, execution, detail) "
                                   "SELECT id, $16, $28, $29, $30, $31, "
                                   "$10, $11, $32 FROM done) SELECT 1 / count(*) FROM done"};

// is_spent() in SQL; the row is judged again once its lock is had, so one that was claimed
// meanwhile stays.
const StaticSql spent_sql{
    "SELECT id, tenant_id, operation, key FROM umavez_records WHERE expires_at <= $1 AND "
    "(status IN ('succeeded', 'failed') OR (status = 'processing' AND mode = 'run' AND "
    "processing_expires_at <= $1)) ORDER BY expires_at LIMIT $2 OFFSET $3 FOR UPDATE SKIP LOCKED"
};
const StaticSql delete_sql{
    "WITH gone AS (DELETE FROM umavez_records WHERE id = ANY ($1)) "
    "INSERT INTO umavez_swept (identity, subject, swept_at) "
    "SELECT identity, subject, $3 FROM unnest($2, $1) AS u (identity, subject)"
};

// The record to be written, without its response: that is sent from the draft, which must survive
// for the case that this transaction is lost and the member run again.
Record to_record_without_response(Draft& draft, const Record* previous, Instant now)
{
    std::optional<StoredResponse> response = std::exchange(draft.response, std::nullopt);
    Record record = to_record(std::as_const(draft), previous, now);
    draft.response = std::move(response);
    return record;
}

struct Inserted {
    std::int64_t row = 0;
    Record record;
};

// Nullopt: there is one already.
Result<std::optional<Inserted>> try_insert(PostgresTransaction& transaction, Insertion& insertion)
{
    const Draft& draft = insertion.draft;
    if (auto within = check_draft(draft); !within) return std::unexpected(within.error());
    const auto micros = [](const auto& duration) {
        return duration ? std::optional<std::int64_t>{duration->count()} : std::nullopt;
    };
    // Once the transaction knows the time it is the same until its end.
    const bool is_told = transaction.knows_now();
    std::string headers;
    Parameters parameters;
    add_record_id(parameters, insertion.id);
    parameters.add_bytes(as_bytes(draft.target.digest));
    parameters.add_bytes(as_bytes(draft.fingerprint.digest));
    parameters.add(std::int64_t{draft.fingerprint.version});
    parameters.add_typed_text(to_text(draft.status));
    parameters.add(std::int64_t{draft.final});
    parameters.add_typed_text(to_text(draft.mode));
    parameters.add(std::int64_t{draft.raise_epoch});
    parameters.add_bytes(as_bytes(draft.execution));
    parameters.add(std::int64_t{draft.attempts});
    parameters.add(std::int64_t{draft.takeovers});
    parameters.add(micros(draft.retry_in));
    parameters.add(draft.created_at ? std::optional{to_micros(*draft.created_at)} : std::nullopt);
    parameters.add(micros(draft.lease));
    parameters.add(micros(draft.expires_in));
    add_response(parameters, draft.response, headers);
    add_checkpoint(parameters, draft.checkpoint);
    parameters.add(
        is_told ? std::optional{to_micros(transaction.now())} : std::optional<std::int64_t>{}
    );
    auto answer = transaction.run(insert_sql, parameters);
    if (!answer && transaction.was_blocked()) {
        return fail(Errc::busy, "another transaction holds the key");
    }
    if (!answer) return std::unexpected(answer.error());
    if (answer->rows() == 0) return std::nullopt;
    transaction.set_now(from_micros(answer->integer(0, 1)));
    const std::int64_t row = answer->integer(0, 0);
    Record record = to_record_without_response(insertion.draft, nullptr, transaction.now());
    transaction.remember(insertion.id, row, record);
    if (insertion.audit) {
        auto audited = insert_audit(transaction, insertion.id, row, record.token, *insertion.audit);
        if (!audited) return std::unexpected(audited.error());
    }
    return Inserted{row, std::move(record)};
}

// Writes `next` over a record whose row this transaction holds.
Result<Replaced> write_over(
    PostgresTransaction& transaction,
    Replacement& replacement,
    std::int64_t row,
    const Record& previous
)
{
    const Instant now = transaction.now();
    Record record = to_record_without_response(replacement.next, &previous, now);
    std::string headers;
    std::string detail;
    Parameters parameters;
    parameters.add(row);
    parameters.add(previous.token.epoch);
    parameters.add_bytes(as_bytes(previous.token.execution));
    add_record(parameters, record, replacement.next.response, headers);
    const bool is_audited = replacement.audit.has_value();
    if (is_audited) {
        detail = storable(replacement.audit->detail);
        add_record_id(parameters, replacement.id);
        parameters.add_typed_text(to_text(replacement.audit->event));
        parameters.add_typed_text(detail);
    }
    auto sent = transaction.defer(is_audited ? update_audited_sql : update_sql, parameters);
    if (!sent) return std::unexpected(sent.error());
    transaction.remember(replacement.id, row, record);
    return Replaced{.done = true, .record = std::move(record), .now = now};
}

}  // namespace

Result<Found> insert_or_get_record(PostgresTransaction& transaction, Insertion& insertion)
{
    // One that was in the way and swept before we could look is rare.
    constexpr int tries_max = 8;
    for (int tries = 0; tries < tries_max; ++tries) {
        auto inserted = try_insert(transaction, insertion);
        if (!inserted) return std::unexpected(inserted.error());
        if (*inserted) {
            Record record = std::move((*inserted)->record);
            record.response = insertion.draft.response;
            return Found{.inserted = true, .record = std::move(record), .now = transaction.now()};
        }
        auto there = find_record(transaction, insertion.id);
        if (!there) return std::unexpected(there.error());
        if (!there->record) continue;
        return Found{.inserted = false, .record = *std::move(there->record), .now = there->now};
    }
    return fail(Errc::store_unavailable, "a record comes and goes: try again");
}

Result<Record> insert_record(PostgresTransaction& transaction, Insertion& insertion)
{
    auto inserted = try_insert(transaction, insertion);
    if (!inserted) return std::unexpected(inserted.error());
    if (*inserted) return std::move((*inserted)->record);
    return transaction.spoil(
        {Errc::unique_violation, "the record is there already", std::source_location::current()}
    );
}

Result<Replaced> replace_record(PostgresTransaction& transaction, Replacement& replacement)
{
    if (auto within = check_draft(replacement.next); !within)
        return std::unexpected(within.error());
    const auto& own = transaction.own_record();
    if (own && own->id == replacement.id &&
        matches(own->record, replacement.expected, transaction.now())) {
        const Record previous = own->record;
        return write_over(transaction, replacement, own->row, previous);
    }
    Parameters parameters;
    add_record_id(parameters, replacement.id);
    auto there = transaction.run(lock_sql, parameters);
    if (!there && transaction.was_blocked()) {
        return fail(Errc::busy, "another transaction holds the key");
    }
    if (!there) return std::unexpected(there.error());
    const Instant now = transaction.now();
    if (there->rows() == 0) return Replaced{.done = false, .record = std::nullopt, .now = now};
    auto record = read_record(*there, 0);
    if (!record) return std::unexpected(record.error());
    if (!matches(*record, replacement.expected, now)) {
        return Replaced{.done = false, .record = *std::move(record), .now = now};
    }
    return write_over(transaction, replacement, there->integer(0, 0), *record);
}

Result<std::vector<Replaced>> replace_records(
    PostgresTransaction& transaction, std::vector<Replacement>& replacements
)
{
    std::vector<Replacement*> members;
    members.reserve(replacements.size());
    for (Replacement& one : replacements) {
        if (auto within = check_draft(one.next); !within) return std::unexpected(within.error());
        members.push_back(&one);
    }
    // In the order of the lanes, so that nobody waits in a circle.
    std::ranges::sort(members, [](const Replacement* a, const Replacement* b) {
        return a->id < b->id;
    });
    ReplaceStatement statement{
        members,
        transaction.knows_now() ? std::optional{to_micros(transaction.now())} : std::nullopt
    };
    const auto answer = transaction.run_as_lane(statement.sql(), statement.parameters());
    if (!answer && transaction.was_blocked()) {
        return fail(Errc::busy, "another transaction holds a key");
    }
    if (!answer) return std::unexpected(answer.error());
    transaction.own_record().reset();  // it may be one of them
    std::vector<Replaced> sorted = statement.read(*answer);
    std::vector<Replaced> replaced(replacements.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (!sorted[i].done) {
            auto there = find_record(transaction, members[i]->id);
            if (!there) return std::unexpected(there.error());
            sorted[i] = {.done = false, .record = std::move(there->record), .now = there->now};
        }
        const auto place = static_cast<std::size_t>(members[i] - replacements.data());
        replaced[place] = std::move(sorted[i]);
    }
    return replaced;
}

namespace {

Result<Sighting> read_sighting(const Answer& answer)
{
    Sighting sighting{.record = std::nullopt, .now = from_micros(answer.integer(0, 25))};
    if (answer.is_null(0, 0)) return sighting;
    auto record = read_record(answer, 0);
    if (!record) return std::unexpected(record.error());
    sighting.record = *std::move(record);
    return sighting;
}

}  // namespace

Result<Sighting> find_record(PostgresTransaction& transaction, const RecordId& id)
{
    Parameters parameters;
    add_record_id(parameters, id);
    parameters.add(
        transaction.knows_now() ? std::optional{to_micros(transaction.now())} : std::nullopt
    );
    const auto answer = transaction.run(find_sql, parameters);
    if (!answer) return std::unexpected(answer.error());
    auto sighting = read_sighting(*answer);
    if (sighting) transaction.set_now(sighting->now);
    return sighting;
}

Result<Sighting> find_record(
    Connection& connection, const RecordId& id, std::optional<std::int64_t> clock
)
{
    Parameters parameters;
    add_record_id(parameters, id);
    parameters.add(clock);
    // As in a transaction: no plan of ours may be a scan. Undone in the same trip.
    if (!connection.is_pooled()) connection.enqueue(scans_off_sql);
    connection.enqueue(find_sql, parameters);
    if (!connection.is_pooled()) connection.enqueue(scans_on_sql);
    const auto answers = connection.round_trip(tuning::look_limit);
    if (!answers) return std::unexpected(answers.error());
    const Answer& answer = answers->at(connection.is_pooled() ? 0 : 1);
    if (answer.is_ok()) return read_sighting(answer);
    if (answer.remedy() == Remedy::reconnect) connection.abandon();
    return std::unexpected(answer.error());
}

Result<Swept> sweep_records(
    PostgresTransaction& transaction, std::size_t count_max, Duration audit_retention
)
{
    const Instant now = transaction.now();
    Swept swept;
    std::vector<std::int64_t> found;
    // Corrupt records stay, and must not keep the others from being swept: they are passed over.
    std::size_t rows = count_max;
    for (std::size_t seen = 0; found.size() < count_max && rows == count_max; seen += rows) {
        Parameters which;
        which.add(to_micros(now));
        which.add(static_cast<std::int64_t>(count_max));
        which.add(static_cast<std::int64_t>(seen));
        const auto spent = transaction.run(spent_sql, which);
        if (!spent) return std::unexpected(spent.error());
        rows = spent->rows();
        for (std::size_t row = 0; row < rows && found.size() < count_max; ++row) {
            auto id = read_record_id(*spent, row, 1);
            if (!id && !swept.unreadable) swept.unreadable = std::move(id.error().detail);
            if (!id) continue;
            swept.ids.push_back(*std::move(id));
            found.push_back(spent->integer(row, 0));
        }
    }
    if (!swept.ids.empty()) {
        Parameters gone;
        gone.begin_array(type::int8, found.size());
        for (const std::int64_t row : found) gone.element(row);
        const std::span<const RecordId> ids{swept.ids};
        add_integers(gone, ids, [](const RecordId& id) { return identity_of(id); });
        gone.add(to_micros(now));
        auto deleted = transaction.defer(delete_sql, gone);
        if (deleted) deleted = insert_sweep_audit(transaction, swept.ids.size());
        if (!deleted) return std::unexpected(deleted.error());
    }
    const auto entries = delete_old_audit(transaction, now - audit_retention, count_max);
    if (!entries) return std::unexpected(entries.error());
    swept.audit_entries = *entries;
    swept.has_more = found.size() == count_max || *entries == count_max;
    return swept;
}

}  // namespace umavez::pg
