#include "webhook/inbox/schema.hpp"

#include <array>
#include <string>
#include <string_view>

namespace umavez::webhook {
namespace {

// An event is known by provider, account (where signed content names it, else '') and event id, before
// anybody knows its tenant. `replay_digest` is the fingerprint of the body where the id travels unsigned:
// then a body that was seen is a duplicate under every id. A row is work (work/work_table.hpp); 'waiting' is
// for a tenant.
//
// The body comes last: it may be long, and the columns before it are read without it.
constexpr std::string_view sqlite_1 = R"(
CREATE TABLE umavez_inbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    provider TEXT NOT NULL CHECK (length(provider) BETWEEN 1 AND 64),
    scheme TEXT NOT NULL,
    account TEXT NOT NULL CHECK (length(account) <= 255),
    event_id TEXT NOT NULL CHECK (length(event_id) BETWEEN 1 AND 512),
    type TEXT NOT NULL CHECK (length(type) <= 255),
    body_digest BLOB NOT NULL CHECK (length(body_digest) = 32),
    replay_digest BLOB,
    tenant_id TEXT CHECK (tenant_id IS NULL OR length(tenant_id) BETWEEN 1 AND 64),
    state TEXT NOT NULL CHECK (state IN ('pending', 'waiting', 'done', 'ignored', 'stale', 'dead')),
    run INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    takes INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL,
    last_error TEXT,
    received_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (provider, account, event_id)
) STRICT;
CREATE UNIQUE INDEX umavez_inbox_replay ON umavez_inbox (provider, account, replay_digest)
    WHERE replay_digest IS NOT NULL;
CREATE INDEX umavez_inbox_due ON umavez_inbox (due_at, id) WHERE state = 'pending';
CREATE INDEX umavez_inbox_waiting ON umavez_inbox (provider, account) WHERE state = 'waiting';
CREATE INDEX umavez_inbox_dead ON umavez_inbox (id) WHERE state = 'dead';
CREATE INDEX umavez_inbox_stale ON umavez_inbox (id) WHERE state = 'stale';

CREATE TABLE umavez_inbox_quarantine (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    inbox_id INTEGER NOT NULL,
    provider TEXT NOT NULL,
    account TEXT NOT NULL,
    event_id TEXT NOT NULL,
    body_digest BLOB NOT NULL CHECK (length(body_digest) = 32),
    body BLOB NOT NULL,
    received_at INTEGER NOT NULL,
    UNIQUE (inbox_id, body_digest)
) STRICT;

CREATE TABLE provider_accounts (
    provider TEXT NOT NULL CHECK (length(provider) BETWEEN 1 AND 64),
    account TEXT NOT NULL CHECK (length(account) <= 255),
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (provider, account)
) STRICT, WITHOUT ROWID;
)";

// A body is written once and its row three times: it is kept beside the row, so that updates do not copy it.
constexpr std::string_view postgres_1 = R"(
CREATE TABLE umavez_inbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    provider text COLLATE "C" NOT NULL CHECK (length(provider) BETWEEN 1 AND 64),
    scheme text COLLATE "C" NOT NULL,
    account text COLLATE "C" NOT NULL CHECK (length(account) <= 255),
    event_id text COLLATE "C" NOT NULL CHECK (length(event_id) BETWEEN 1 AND 512),
    type text COLLATE "C" NOT NULL CHECK (length(type) <= 255),
    body_digest bytea NOT NULL CHECK (length(body_digest) = 32),
    replay_digest bytea,
    tenant_id text COLLATE "C" CHECK (length(tenant_id) BETWEEN 1 AND 64),
    state text COLLATE "C" NOT NULL
        CHECK (state IN ('pending', 'waiting', 'done', 'ignored', 'stale', 'dead')),
    run bigint NOT NULL,
    attempts bigint NOT NULL,
    takes bigint NOT NULL DEFAULT 0,
    due_at bigint NOT NULL,
    last_error text,
    received_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    body bytea NOT NULL,
    UNIQUE (provider, account, event_id)
) WITH (toast_tuple_target = 128);
ALTER TABLE umavez_inbox ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX umavez_inbox_replay ON umavez_inbox (provider, account, replay_digest)
    WHERE replay_digest IS NOT NULL;
CREATE INDEX umavez_inbox_due ON umavez_inbox (due_at, id) WHERE state = 'pending';
CREATE INDEX umavez_inbox_waiting ON umavez_inbox (provider, account) WHERE state = 'waiting';
CREATE INDEX umavez_inbox_dead ON umavez_inbox (id) WHERE state = 'dead';
CREATE INDEX umavez_inbox_stale ON umavez_inbox (id) WHERE state = 'stale';

CREATE TABLE umavez_inbox_quarantine (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    inbox_id bigint NOT NULL,
    provider text COLLATE "C" NOT NULL,
    account text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    body_digest bytea NOT NULL CHECK (length(body_digest) = 32),
    body bytea NOT NULL,
    received_at bigint NOT NULL,
    UNIQUE (inbox_id, body_digest)
);

CREATE TABLE provider_accounts (
    provider text COLLATE "C" NOT NULL CHECK (length(provider) BETWEEN 1 AND 64),
    account text COLLATE "C" NOT NULL CHECK (length(account) <= 255),
    tenant_id text COLLATE "C" NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    created_at bigint NOT NULL,
    PRIMARY KEY (provider, account)
);
)";

// PostgreSQL parses the CHECKs of a table anew for every statement that writes to it: a third of the time of
// an insert, half of that of an update. Values are checked where they come in, and again where they are read.
constexpr std::string_view postgres_2 = R"(
ALTER TABLE umavez_inbox
    DROP CONSTRAINT IF EXISTS umavez_inbox_provider_check,
    DROP CONSTRAINT IF EXISTS umavez_inbox_account_check,
    DROP CONSTRAINT IF EXISTS umavez_inbox_event_id_check,
    DROP CONSTRAINT IF EXISTS umavez_inbox_type_check,
    DROP CONSTRAINT IF EXISTS umavez_inbox_body_digest_check,
    DROP CONSTRAINT IF EXISTS umavez_inbox_tenant_id_check,
    DROP CONSTRAINT IF EXISTS umavez_inbox_state_check;
)";

}  // namespace

std::span<const Migration> migrations(Dialect dialect)
{
    static const std::array sqlite = {
        Migration{.module = "webhook", .version = 1, .sql = std::string{sqlite_1}},
    };
    static const std::array postgres = {
        Migration{.module = "webhook", .version = 1, .sql = std::string{postgres_1}},
        Migration{.module = "webhook", .version = 2, .sql = std::string{postgres_2}},
    };
    switch (dialect) {
        case Dialect::sqlite: return sqlite;
        case Dialect::postgres: return postgres;
    }
    return {};
}

}  // namespace umavez::webhook
