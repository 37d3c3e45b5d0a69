#include "store/postgres/batch_statements.hpp"

#include "database/postgres/tuning.hpp"

#include <algorithm>

namespace umavez::pg {
namespace {

// A batch comes as one array per column, and each row takes its element by subscript; an array
// without any value comes empty, and gives nulls all the same. With unnest() of them all, which
// materialises each array on its own, and again their wide rows in every WITH, a batch took a fifth more of
// the server's time.
//
// A batch of one comes as plain values: arrays of one element would cost the server 40 µs of
// a lone claim's 200.
class BatchSql {
public:
    explicit BatchSql(const std::string& text) : BatchSql(text, text) {}
    BatchSql(const std::string& rows, const std::string& one_row)
        : rows_(rows), one_row_(of_one(one_row))
    {
    }
    const StaticSql& of(const Parameters& parameters) const
    {
        return parameters.shape() == Parameters::Shape::rows ? rows_ : one_row_;
    }

private:
    // `($4)[place]` becomes `$4`.
    static std::string of_one(std::string text)
    {
        constexpr std::string_view subscript = ")[place]";
        for (std::size_t at = text.find(subscript); at != std::string::npos;
             at = text.find(subscript, at)) {
            text.erase(at, subscript.size());
            text.erase(text.rfind('(', at), 1);
        }
        constexpr std::string_view count = "cardinality($1)";
        if (const std::size_t at = text.find(count); at != std::string::npos) {
            text.replace(at, count.size(), "1");
        }
        return text;
    }

    const StaticSql rows_;
    const StaticSql one_row_;
};

Parameters parameters_for(std::size_t rows)
{
    return Parameters{rows == 1 ? Parameters::Shape::one_row : Parameters::Shape::rows};
}

// $1 to $3 name the records, $4 to $27 are their drafts.
#define UMAVEZ_PG_PLACES "generate_series(1, cardinality($1)) AS place"

#define UMAVEZ_PG_INSERT                                                  \
    "INSERT INTO umavez_records (id, tenant_id, operation, key, target, " \
    "fingerprint, fingerprint_version, status, final, mode, "             \
    "epoch, execution, attempts, takeovers, retry_at, "                   \
    "created_at, updated_at, "                                            \
    "completed_at, processing_expires_at, "                               \
    "expires_at, response_status, response_digest, "                      \
    "response_omitted, entity_type, entity_id, "                          \
    "response_headers, response_body, checkpoint) "
// All but the id.
#define UMAVEZ_PG_INSERTED_VALUES                                                                \
    "($1)[place], ($2)[place], ($3)[place], ($4)[place], "                                       \
    "($5)[place], ($6)[place]::int4, ($7)[place], ($8)[place] <> 0, ($9)[place], "               \
    "CASE WHEN ($10)[place] <> 0 THEN greatest(1, now) ELSE 0 END, ($11)[place], ($12)[place], " \
    "($13)[place], now + ($14)[place], coalesce(($15)[place], now), now, "                       \
    "CASE WHEN ($7)[place] IN ('succeeded', 'failed') THEN now END, now + ($16)[place], "        \
    "now + ($17)[place], ($18)[place]::int4, ($19)[place], coalesce(($20)[place], 0) <> 0, "     \
    "($21)[place], ($22)[place], ($23)[place], ($24)[place], ($25)[place] "

// The clock is read before the unique index is waited for, which is right: who inserts after a wait
// inserts because the other one never was, or was swept, a retention after its last epoch.
//
// The audit asks for the ids with IN … IS TRUE, which is a hash of them; a join would be a loop
// over both, as lanes have no hash joins (see connect.cpp). A row alone needs neither the list of its places
// nor its clock kept for a second reader: 44, 12 and 14 µs less of 273 to 296 (pgbench, one client, 3 pairs).
const BatchSql insert_sql{
    "WITH input AS MATERIALIZED (SELECT nextval('umavez_records_ids') AS id, place "
    "FROM " UMAVEZ_PG_PLACES
    "), "
    "clock AS MATERIALIZED (SELECT " UMAVEZ_PG_CLOCK("$28"
    ) " AS now), "
      "inserted AS (" UMAVEZ_PG_INSERT "SELECT id, " UMAVEZ_PG_INSERTED_VALUES
      "FROM input, clock "
      "ON CONFLICT (tenant_id, operation, key) DO NOTHING "
      "RETURNING id, updated_at, tenant_id, operation, key), "
      "audited AS (INSERT INTO umavez_audit (subject, at, tenant_id, operation, key, event, epoch, "
      "execution, detail) SELECT id, now, ($1)[place], ($2)[place], ($3)[place], ($26)[place], "
      "CASE WHEN ($10)[place] <> 0 THEN greatest(1, now) ELSE 0 END, ($11)[place], ($27)[place] "
      "FROM input, clock WHERE ($26)[place] IS NOT NULL AND "
      "(id IN (SELECT id FROM inserted)) IS TRUE) "
      "SELECT updated_at, tenant_id, operation, key FROM inserted",

    "WITH inserted AS (" UMAVEZ_PG_INSERT
    "SELECT nextval('umavez_records_ids'), " UMAVEZ_PG_INSERTED_VALUES
    "FROM (SELECT " UMAVEZ_PG_CLOCK("$28"
    ) " AS now) AS clock ON CONFLICT (tenant_id, operation, key) DO NOTHING "
      "RETURNING id, updated_at, tenant_id, operation, key, epoch, execution), "
      "audited AS (INSERT INTO umavez_audit (subject, at, tenant_id, operation, key, event, epoch, "
      "execution, detail) SELECT id, updated_at, tenant_id, operation, key, ($26)[place], epoch, "
      "execution, ($27)[place] FROM inserted WHERE ($26)[place] IS NOT NULL) "
      "SELECT updated_at, tenant_id, operation, key FROM inserted"
};

// The rows are locked first, each by its key; only then the clock is read and the conditions are
// judged, on what the locks found.
//
// A prepared statement keeps its plan. Planned while the table is small, a joined UPDATE is a hash
// join over a sequential scan, and stays so as the table grows. So each key is looked up by itself
// (LATERAL … FOR UPDATE), rows are updated by id, and lanes have neither sequential scans nor hash or
// merge joins.
#define UMAVEZ_PG_LOCKED                                                                 \
    "locked AS MATERIALIZED (SELECT place, r.* FROM " UMAVEZ_PG_PLACES                   \
    ", LATERAL (SELECT id, epoch, execution, status, processing_expires_at AS lease "    \
    "FROM umavez_records WHERE tenant_id = ($1)[place] AND operation = ($2)[place] AND " \
    "key = ($3)[place] FOR UPDATE) AS r)"
#define UMAVEZ_PG_CLOCK_AFTER_LOCKS(override)                 \
    "clock AS MATERIALIZED (SELECT " UMAVEZ_PG_CLOCK(override \
    ) " AS now FROM "                                         \
      "(SELECT count(*) FROM locked) AS all_of_them)"

// $29 to $34 are what is expected: epoch, execution, statuses, whether its lease counts, the lease,
// and for how long it must be over.
const BatchSql replace_sql{"WITH " UMAVEZ_PG_LOCKED ", " UMAVEZ_PG_CLOCK_AFTER_LOCKS("$28"
) ", "
  "changed AS (UPDATE umavez_records AS t SET target = ($4)[place], "
  "fingerprint = ($5)[place], fingerprint_version = ($6)[place]::int4, status = ($7)[place], "
  "final = ($8)[place] <> 0, mode = ($9)[place], "
  "epoch = CASE WHEN ($10)[place] <> 0 THEN greatest(l.epoch + 1, now) ELSE l.epoch END, "
  "execution = ($11)[place], attempts = ($12)[place], takeovers = ($13)[place], "
  "retry_at = now + ($14)[place], created_at = coalesce(($15)[place], now), updated_at = now, "
  "completed_at = CASE WHEN ($7)[place] IN ('succeeded', 'failed') THEN now END, "
  "processing_expires_at = now + ($16)[place], expires_at = now + ($17)[place], "
  "response_status = ($18)[place]::int4, response_digest = ($19)[place], "
  "response_omitted = coalesce(($20)[place], 0) <> 0, entity_type = ($21)[place], "
  "entity_id = ($22)[place], response_headers = ($23)[place], response_body = ($24)[place], "
  "checkpoint = ($25)[place] FROM locked AS l, clock WHERE t.id = l.id AND "
  "l.epoch = ($29)[place] AND l.execution = ($30)[place] AND "
  "(CASE l.status WHEN 'processing' THEN 1 WHEN 'succeeded' THEN 2 WHEN 'failed' THEN 4 "
  "ELSE 8 END & ($31)[place]) <> 0 AND "
  "(($32)[place] = 0 OR l.lease IS NOT DISTINCT FROM ($33)[place]) AND "
  "(($34)[place] IS NULL OR (l.status = 'processing' AND l.lease <= now - ($34)[place])) "
  "RETURNING place, now, t.id, t.tenant_id, t.operation, t.key, t.epoch, t.execution), "
  "audited AS (INSERT INTO umavez_audit (subject, at, tenant_id, operation, key, event, epoch, "
  "execution, detail) SELECT id, now, tenant_id, operation, key, ($26)[place], epoch, "
  "execution, ($27)[place] FROM changed WHERE ($26)[place] IS NOT NULL) "
  "SELECT place, now FROM changed"};

const BatchSql heartbeat_sql{"WITH " UMAVEZ_PG_LOCKED ", " UMAVEZ_PG_CLOCK_AFTER_LOCKS("$8"
) " UPDATE umavez_records AS r SET processing_expires_at = now + ($6)[place], "
  "expires_at = coalesce(now + ($7)[place], r.expires_at) FROM locked AS l, clock "
  "WHERE r.id = l.id AND l.epoch = ($4)[place] AND l.execution = ($5)[place] AND "
  "l.status = 'processing' RETURNING " UMAVEZ_PG_RECORD_COLUMNS ", place, now"};

const StaticSql find_sql{"SELECT " UMAVEZ_PG_RECORD_COLUMNS ", u.place, " UMAVEZ_PG_CLOCK("$4"
) " FROM unnest($1, $2, $3) WITH ORDINALITY AS u (tenant_id, operation, key, place), "
  "LATERAL (SELECT * FROM umavez_records WHERE tenant_id = u.tenant_id AND "
  "operation = u.operation AND key = u.key) AS r"};
const StaticSql clock_sql{"SELECT " UMAVEZ_PG_CLOCK("$1")};

const StaticSql begin_sql{"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"};
const StaticSql commit_sql{"COMMIT"};
const StaticSql rollback_sql{"ROLLBACK"};
const StaticSql pooled_sql{
    "SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true), "
    "set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), "
    "set_config('enable_mergejoin', 'off', true)"
};

BatchFailure to_failure(const Answer& answer)
{
    return {answer.error(), answer.remedy()};
}

BatchFailure to_unknown(const Error& error)
{
    return {
        {Errc::store_unknown,
         "a write got no answer: " + error.detail,
         std::source_location::current()},
        Remedy::none
    };
}

template <typename Period>
std::string to_millis(Period period)
{
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(period).count());
}

// One statement and its rider, as one transaction in one trip. A pooler keeps no settings for us,
// so they come along.
BatchResult<Answer> write(const BatchTrip& trip, const StaticSql* sql, Parameters& parameters)
{
    Connection& connection = trip.connection;
    std::size_t before = 0;
    if (connection.is_pooled()) {
        const std::string lock = to_millis(tuning::lock_timeout);
        const std::string statement = to_millis(tuning::statement_limit);
        Parameters settings;
        settings.add_typed_text(lock);
        settings.add_typed_text(statement);
        connection.enqueue(begin_sql);
        connection.enqueue(pooled_sql, settings);
        before = 2;
    }
    if (sql != nullptr) connection.enqueue(*sql, parameters);
    if (trip.rider != nullptr) trip.rider->board(connection);
    if (connection.is_pooled()) connection.enqueue(commit_sql);
    connection.keep_if_overdue();
    auto answers = connection.round_trip(tuning::statement_limit + tuning::lock_timeout);
    if (!answers) return std::unexpected(to_unknown(answers.error()));
    for (const Answer& answer : *answers) {
        if (answer.is_ok() || answer.is_skipped()) continue;
        BatchFailure failure = to_failure(answer);
        if (failure.remedy == Remedy::reconnect) connection.abandon();
        if (connection.is_pooled()) {
            connection.enqueue(rollback_sql);
            connection.send_off();
        }
        return std::unexpected(std::move(failure));
    }
    if (connection.take_doubt()) {
        return std::unexpected(BatchFailure{
            {Errc::store_unknown,
             "the commit may not have reached its synchronous standby",
             std::source_location::current()},
            Remedy::none
        });
    }
    if (trip.rider != nullptr) trip.rider->landed();
    return std::move(answers->at(before));
}

// A read needs no settings.
BatchResult<Answer> ask(const BatchTrip& trip, const StaticSql& sql, Parameters& parameters)
{
    trip.connection.enqueue(sql, parameters);
    auto answers = trip.connection.round_trip(tuning::statement_limit);
    // Only the look is lost, but the write before it is done: who asks again will see.
    if (!answers) return std::unexpected(to_unknown(answers.error()));
    if (!answers->back().is_ok()) {
        return std::unexpected(to_unknown(to_failure(answers->back()).error));
    }
    return std::move(answers->back());
}

struct Look {
    std::vector<std::optional<Record>> records;
    Instant now;
};

enum class Corrupt : std::uint8_t { is_told, is_absent };

// What is there under these names, and what time it is.
BatchResult<Look> look(
    const BatchTrip& trip, std::span<const DraftRow> rows, Corrupt corrupt = Corrupt::is_told
)
{
    Parameters names;
    add_record_ids(names, rows);
    names.add(trip.clock);
    auto answer = ask(trip, find_sql, names);
    if (!answer) return std::unexpected(answer.error());
    Look seen{.records = std::vector<std::optional<Record>>(rows.size())};
    for (std::size_t row = 0; row < answer->rows(); ++row) {
        seen.now = from_micros(answer->integer(row, 26));
        auto record = read_record(*answer, row);
        if (!record && corrupt == Corrupt::is_absent) continue;
        if (!record) return std::unexpected(BatchFailure{record.error()});
        seen.records[static_cast<std::size_t>(answer->integer(row, 25)) - 1] = *std::move(record);
    }
    if (answer->rows() > 0) return seen;
    Parameters clock;
    clock.add(trip.clock);
    auto time = ask(trip, clock_sql, clock);
    if (!time) return std::unexpected(time.error());
    seen.now = from_micros(time->integer(0, 0));
    return seen;
}

}  // namespace

BatchResult<std::vector<Found>> insert_or_get_batch(
    const BatchTrip& trip, std::span<Insertion* const> members
)
{
    // A record that was in the way and swept before we could look at it is rare; one that is so
    // again and again is a bug.
    constexpr int tries_max = 8;
    std::vector<Found> found(members.size());
    std::vector<std::size_t> open(members.size());
    for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
    BatchTrip attempt = trip;
    for (int tries = 0; !open.empty(); ++tries) {
        if (tries == tries_max) {
            return std::unexpected(BatchFailure{
                {Errc::store_unknown,  // the others of the batch are written
                 "a record comes and goes: try again",
                 std::source_location::current()}
            });
        }
        std::vector<DraftRow> rows;
        rows.reserve(open.size());
        for (const std::size_t i : open) {
            rows.push_back({&members[i]->id, &members[i]->draft, &members[i]->audit});
        }
        Parameters parameters = parameters_for(rows.size());
        add_record_ids(parameters, rows);
        add_drafts(parameters, rows);
        parameters.add(trip.clock);
        auto answer = write(attempt, &insert_sql.of(parameters), parameters);
        if (!answer) return std::unexpected(answer.error());
        attempt.rider = nullptr;

        // The rows that were inserted come in the order of the members.
        std::vector<std::size_t> there;
        std::vector<DraftRow> names;
        std::size_t row = 0;
        for (std::size_t k = 0; k < open.size(); ++k) {
            const std::size_t i = open[k];
            const bool is_new = row < answer->rows() &&
                                answer->bytes(row, 3) == members[i]->id.key.text() &&
                                answer->bytes(row, 2) == members[i]->id.operation.text() &&
                                answer->bytes(row, 1) == members[i]->id.tenant_id.text();
            if (!is_new) {
                there.push_back(i);
                names.push_back(rows[k]);
                continue;
            }
            const Instant now = from_micros(answer->integer(row++, 0));
            found[i] = {true, to_record(std::as_const(members[i]->draft), nullptr, now), now};
        }
        open.clear();
        if (there.empty()) break;
        auto seen = look(trip, names);
        if (!seen) return std::unexpected(seen.error());
        for (std::size_t k = 0; k < there.size(); ++k) {
            if (seen->records[k]) {
                found[there[k]] = {false, *std::move(seen->records[k]), seen->now};
            } else {
                open.push_back(there[k]);
            }
        }
    }
    return found;
}

ReplaceStatement::ReplaceStatement(
    std::span<Replacement* const> members, std::optional<std::int64_t> clock
)
    : members_(members), parameters_(parameters_for(members.size()))
{
    rows_.reserve(members.size());
    for (Replacement* const member : members) {
        rows_.push_back({&member->id, &member->next, &member->audit});
    }
    Parameters& parameters = parameters_;
    add_record_ids(parameters, rows_);
    add_drafts(parameters, rows_);
    parameters.add(clock);
    const auto expected = [](auto of) {
        return [of](Replacement* const member) { return of(member->expected); };
    };
    using Maybe = std::optional<std::int64_t>;
    add_integers(parameters, members, expected([](const Expected& e) { return e.token.epoch; }));
    add_bytes(parameters, members, expected([](const Expected& e) {
                  return as_bytes(e.token.execution);
              }));
    add_integers(parameters, members, expected([](const Expected& e) {
                     return std::int64_t{e.statuses};
                 }));
    add_integers(parameters, members, expected([](const Expected& e) {
                     return std::int64_t{e.processing_expires_at.has_value()};
                 }));
    add_integers(parameters, members, expected([](const Expected& e) {
                     const auto& lease = e.processing_expires_at;
                     return lease && *lease ? Maybe{to_micros(**lease)} : Maybe{};
                 }));
    add_integers(parameters, members, expected([](const Expected& e) {
                     return e.lease_over_for ? Maybe{e.lease_over_for->count()} : Maybe{};
                 }));
}

const StaticSql& ReplaceStatement::sql() const
{
    return replace_sql.of(parameters_);
}

std::vector<Replaced> ReplaceStatement::read(const Answer& answer) const
{
    std::vector<Replaced> replaced(members_.size());
    for (std::size_t row = 0; row < answer.rows(); ++row) {
        const auto place = static_cast<std::size_t>(answer.integer(row, 0)) - 1;
        const Instant now = from_micros(answer.integer(row, 1));
        Record previous;
        previous.token = members_[place]->expected.token;
        replaced[place] = {
            true, to_record(std::as_const(members_[place]->next), &previous, now), now
        };
    }
    return replaced;
}

BatchResult<std::vector<Replaced>> replace_batch(
    const BatchTrip& trip, std::span<Replacement* const> members
)
{
    ReplaceStatement statement{members, trip.clock};
    auto answer = write(trip, &statement.sql(), statement.parameters());
    if (!answer) return std::unexpected(answer.error());

    std::vector<Replaced> replaced = statement.read(*answer);
    if (answer->rows() == members.size()) return replaced;
    std::vector<std::size_t> refused;
    std::vector<DraftRow> names;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (replaced[i].done) continue;
        refused.push_back(i);
        names.push_back({&members[i]->id, &members[i]->next, &members[i]->audit});
    }
    auto seen = look(trip, names);
    if (!seen) return std::unexpected(seen.error());
    for (std::size_t k = 0; k < refused.size(); ++k) {
        replaced[refused[k]] = {false, std::move(seen->records[k]), seen->now};
    }
    return replaced;
}

BatchResult<std::vector<Replaced>> heartbeat_batch(
    const BatchTrip& trip, std::span<Heartbeat* const> members
)
{
    std::vector<DraftRow> rows;
    for (Heartbeat* const member : members) rows.push_back({&member->id, nullptr, nullptr});
    using Maybe = std::optional<std::int64_t>;
    Parameters parameters = parameters_for(rows.size());
    add_record_ids(parameters, rows);
    add_integers(parameters, members, [](Heartbeat* const member) { return member->token.epoch; });
    add_bytes(parameters, members, [](Heartbeat* const member) {
        return as_bytes(member->token.execution);
    });
    add_integers(parameters, members, [](Heartbeat* const member) {
        return std::int64_t{member->lease.count()};
    });
    add_integers(parameters, members, [](Heartbeat* const member) {
        return member->expires_in ? Maybe{member->expires_in->count()} : Maybe{};
    });
    parameters.add(trip.clock);
    auto answer = write(trip, &heartbeat_sql.of(parameters), parameters);
    if (!answer) return std::unexpected(answer.error());

    std::vector<Replaced> replaced(members.size());
    for (std::size_t row = 0; row < answer->rows(); ++row) {
        const auto place = static_cast<std::size_t>(answer->integer(row, 25)) - 1;
        replaced[place].now = from_micros(answer->integer(row, 26));
        auto record = read_record(*answer, row);
        // Nobody can say whose a corrupt record is, and the others' leases must not end for it.
        if (!record) continue;
        replaced[place].done = true;
        replaced[place].record = *std::move(record);
    }
    if (answer->rows() == members.size()) return replaced;
    auto seen = look(trip, rows, Corrupt::is_absent);
    if (!seen) return std::unexpected(seen.error());
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (!replaced[i].done) replaced[i] = {false, std::move(seen->records[i]), seen->now};
    }
    return replaced;
}

BatchResult<std::vector<Replaced>> ride_alone(const BatchTrip& trip)
{
    Parameters none;
    if (trip.rider == nullptr) return {};
    auto rode = write(trip, nullptr, none);
    if (!rode) return std::unexpected(rode.error());
    return {};
}

}  // namespace umavez::pg
