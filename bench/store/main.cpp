// bench_store: the PostgreSQL store against pgbench and against the disk, on a private server with
// PostgreSQL's own defaults.
//
// pgbench writes the very rows we write, audit included, in copies of our tables. One row more: pairs of the
// least that could do the job, one table with one index and no audit.

#include "store/full.hpp"
#include "store/pgbench.hpp"
#include "support/comparison.hpp"
#include "support/engine_side.hpp"
#include "support/flush_log.hpp"
#include "support/postgres_server.hpp"
#include "support/scratch_folder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

namespace umavez::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto window = 2000ms;
constexpr auto pgbench_window = 2s;

constexpr const char* least_schema = R"(
CREATE SCHEMA hand;
CREATE TABLE hand.idem (
    key text PRIMARY KEY, fp bytea NOT NULL, status smallint NOT NULL, lock_until timestamptz,
    expires timestamptz NOT NULL, answer bytea
) WITH (fillfactor = 70);
)";

constexpr const char* least_script = R"(
\set k random(1, 9000000000000000000)
INSERT INTO hand.idem (key, fp, status, lock_until, expires)
VALUES ('t1:' || :k::text || '-0123456789abcdef', sha256('x'), 0,
    now() + interval '30 s', now() + interval '1 day')
ON CONFLICT (key) DO NOTHING;
UPDATE hand.idem SET status = 200, answer = decode(repeat('78', 200), 'hex')
WHERE key = 't1:' || :k::text || '-0123456789abcdef' AND status = 0;
)";

constexpr const char* same_rows_schema = R"(
CREATE TABLE hand.records (LIKE umavez_records INCLUDING ALL);
CREATE TABLE hand.audit (LIKE umavez_audit INCLUDING ALL);
CREATE TABLE hand.pedidos (LIKE pedidos INCLUDING ALL);
)";

// The claim with its entry of the audit, then the completion with its own: a transaction each.
constexpr const char* pairs_script = R"(
\set k random(1, 9000000000000000000)
WITH claimed AS (INSERT INTO hand.records (id, tenant_id, operation, key, target, fingerprint,
    fingerprint_version, status, final, mode, epoch, execution, attempts, takeovers, created_at,
    updated_at, processing_expires_at, response_omitted)
    VALUES (:k, 'loja-7', 'pedidos.cobrar', :k::text || '-0123456789abcdef', sha256('x'),
        sha256('y'), 1, 'processing', false, 'run', 1, '\x000102030405060708090a0b0c0d0e0f', 1, 0,
        1, 1, :k, false)
    ON CONFLICT (tenant_id, operation, key) DO NOTHING RETURNING id, key)
INSERT INTO hand.audit (subject, at, tenant_id, operation, key, event, epoch, execution, detail)
SELECT id, 1, 'loja-7', 'pedidos.cobrar', key, 'claimed', 1,
    '\x000102030405060708090a0b0c0d0e0f', '' FROM claimed;
WITH finished AS (UPDATE hand.records SET status = 'succeeded', final = true, completed_at = 1,
    processing_expires_at = NULL, expires_at = :k, response_status = 201,
    response_digest = '\x000102030405060708090a0b0c0d0e0f', response_headers = '',
    response_body = decode(repeat('78', 200), 'hex')
    WHERE tenant_id = 'loja-7' AND operation = 'pedidos.cobrar' AND
        key = :k::text || '-0123456789abcdef' AND epoch = 1 AND status = 'processing'
    RETURNING id, key)
INSERT INTO hand.audit (subject, at, tenant_id, operation, key, event, epoch, execution, detail)
SELECT id, 1, 'loja-7', 'pedidos.cobrar', key, 'executed', 1,
    '\x000102030405060708090a0b0c0d0e0f', '' FROM finished;
)";

// The same rows by hand, a batch of claims and a batch of completions in a transaction each: what the server
// can give where the client does nothing but send the same text again. About as many rows are under way as
// with our callers.
constexpr int batch_rows = 21;  // and in the script
constexpr int batch_clients = 3;
constexpr const char* batch_script = R"(
\set rows 21
\set k random(1, 9000000000000000000)
WITH claimed AS (INSERT INTO hand.records (id, tenant_id, operation, key, target, fingerprint,
    fingerprint_version, status, final, mode, epoch, execution, attempts, takeovers, created_at,
    updated_at, processing_expires_at, response_omitted)
    SELECT nextval('umavez_records_ids'), 'loja-7', 'pedidos.cobrar',
        :k::text || '-0123456789abcdef-' || u::text, sha256('x'), sha256('y'), 1, 'processing', false,
        'run', 1, '\x000102030405060708090a0b0c0d0e0f', 1, 0, 1, 1, :k, false
    FROM generate_series(1, :rows) AS u
    ON CONFLICT (tenant_id, operation, key) DO NOTHING RETURNING id, key)
INSERT INTO hand.audit (subject, at, tenant_id, operation, key, event, epoch, execution, detail)
SELECT id, 1, 'loja-7', 'pedidos.cobrar', key, 'claimed', 1,
    '\x000102030405060708090a0b0c0d0e0f', '' FROM claimed;
WITH finished AS (UPDATE hand.records SET status = 'succeeded', final = true, completed_at = 1,
    processing_expires_at = NULL, expires_at = :k, response_status = 201,
    response_digest = '\x000102030405060708090a0b0c0d0e0f', response_headers = '',
    response_body = decode(repeat('78', 200), 'hex') FROM generate_series(1, :rows) AS u
    WHERE tenant_id = 'loja-7' AND operation = 'pedidos.cobrar' AND
        key = :k::text || '-0123456789abcdef-' || u::text AND epoch = 1 AND status = 'processing'
    RETURNING id, key)
INSERT INTO hand.audit (subject, at, tenant_id, operation, key, event, epoch, execution, detail)
SELECT id, 1, 'loja-7', 'pedidos.cobrar', key, 'executed', 1,
    '\x000102030405060708090a0b0c0d0e0f', '' FROM finished;
)";

constexpr const char* atomic_script = R"(
\set k random(1, 9000000000000000000)
BEGIN;
INSERT INTO hand.records (id, tenant_id, operation, key, target, fingerprint, fingerprint_version,
    status, final, mode, epoch, execution, attempts, takeovers, created_at, updated_at,
    processing_expires_at, response_omitted)
VALUES (:k, 'loja-7', 'pedidos.gravar', :k::text || '-0123456789abcdef', sha256('x'), sha256('y'), 1,
    'processing', false, 'run', 1, '\x000102030405060708090a0b0c0d0e0f', 1, 0, 1, 1, 1, false)
ON CONFLICT (tenant_id, operation, key) DO NOTHING;
INSERT INTO hand.pedidos (id, total) VALUES (:k, 1990);
UPDATE hand.records SET status = 'succeeded', final = true, completed_at = 1,
    processing_expires_at = NULL, expires_at = 2, response_status = 201,
    response_digest = '\x000102030405060708090a0b0c0d0e0f', response_headers = '',
    response_body = decode(repeat('78', 200), 'hex')
WHERE id = :k AND epoch = 1;
INSERT INTO hand.audit (subject, at, tenant_id, operation, key, event, epoch, execution, detail)
VALUES (:k, 1, 'loja-7', 'pedidos.gravar', :k::text || '-0123456789abcdef', 'executed', 1,
    '\x000102030405060708090a0b0c0d0e0f', '');
COMMIT;
)";

void compare_postgres(Table& table)
{
    const ScratchFolder folder;
    test::PostgresServer server{
        {.durable = true, .settings = {"shared_buffers=128MB"}, .parent = "/var/tmp"}
    };
    EngineSide engine{server.url("umavez_connections=32")};
    const Pgbench pgbench{folder.file("."), server.folder()};
    server.run(least_schema);
    server.run(same_rows_schema);
    table.compare({
        .what =
            "claim+finish/s, 64 callers; pgbench, 32 clients, the same rows in two transactions",
        .ours = [&] { return engine.leased_by_tasks(window); },
        .limit = [&] { return pgbench.rate(pairs_script, pgbench_window); },
        .goal = 4.0,
    });
    fmt::print("  callers per commit: {:.1f}\n", engine.mean_batch());
    table.compare({
        .what = "the same; by hand, three clients with batches of 21",
        .ours = [&] { return engine.leased_by_tasks(window); },
        .limit =
            [&] {
                return batch_rows *
                       pgbench.rate_of_batches(batch_script, pgbench_window, batch_clients);
            },
        .goal = 0.6,  // our own: what gathering, encoding and answering may cost
    });
    table.compare({
        .what = "the same; pgbench with the least rows that could do, without audit",
        .ours = [&] { return engine.leased_by_tasks(window); },
        .limit = [&] { return pgbench.rate(least_script, pgbench_window); },
        .goal = 4.0,
    });
    table.compare({
        .what = "atomic/s with one insert, 64 callers; pgbench, 32 clients, one transaction",
        .ours = [&] { return engine.atomic_by_tasks(window); },
        .limit = [&] { return pgbench.rate(atomic_script, pgbench_window); },
        .goal = 0.9,
    });
    FlushLog log{folder.file("flush.log")};
    table.compare({
        .what = "claim p50, µs, a lone caller; append + fdatasync p50",
        .ours = [&] { return engine.claim_p50(window); },
        .limit = [&] { return log.p50(window); },
        .goal = 2.6,
        .kind = Goal::at_most,
    });
}

}  // namespace
}  // namespace umavez::bench

// `full` as the argument: only the row with millions of stored records, which takes minutes to fill.
int main(int count, char** arguments)
{
    using namespace umavez::bench;
    Table table{5};
    if (count > 1 && std::string_view{arguments[1]} == "full") {
        compare_full(table);
    } else {
        compare_postgres(table);
    }
    return table.all_met() ? EXIT_SUCCESS : EXIT_FAILURE;
}
