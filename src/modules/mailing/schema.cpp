#include "modules/mailing/schema.hpp"

#include <array>
#include <string>
#include <string_view>

namespace umavez::mailing {
namespace {

// Names as in the seed where it has them. `uuid` is the id that clients see; entries hang on the number,
// whose indexes are a third as large.
//
// A row of `mailing_filenames` is written by every upload of that name, so uploads of one name follow each
// other. `content_key` is empty where the name alone tells mailings apart, else the digest of the content.
//
// `lock_token` is the worker that holds a mailing, `last_attempt` its last sign of life, `left_by` the last
// one that gave it back, so that whoever got no answer to that knows that it was done. Counts are kept in
// the mailing's row by whoever changes entries, in the same transaction: a progress bar costs one row.
//
// `reopens`: failed entries are to be opened again by the next owner (reopen.hpp): 1, and the unknown ones
// too: 2.
//
// `due_at` of an entry: not before. `uncertain_at` stays when an entry that may have been sent is sent again:
// whoever asks which recipients may have two messages finds them here.
//
// `mailings_live` and `mailings_ended` are for the numbers of /metrics: of those that are over, and there is
// no end of them, only the index is read.
//
// Instants are microseconds since 1970.
constexpr std::string_view sqlite_1 = R"(
CREATE TABLE mailing_filenames (
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    filename TEXT NOT NULL CHECK (length(filename) BETWEEN 1 AND 255),
    uploads INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, filename)
) STRICT;

CREATE TABLE mailings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    filename TEXT NOT NULL CHECK (length(filename) BETWEEN 1 AND 255),
    content_key TEXT NOT NULL,
    content_sha256 TEXT NOT NULL,
    content_bytes INTEGER NOT NULL,
    storage_url TEXT,
    status TEXT NOT NULL CHECK (status IN ('DRAFT', 'PENDING', 'QUEUED', 'INGESTING',
        'PROCESSING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED')),
    assunto TEXT,
    remetente TEXT,
    texto TEXT,
    html TEXT,
    incerteza TEXT NOT NULL CHECK (incerteza IN ('no-maximo-uma', 'ao-menos-uma')),
    read_bytes INTEGER NOT NULL DEFAULT 0,
    read_lines INTEGER NOT NULL DEFAULT 0,
    is_ingested INTEGER NOT NULL DEFAULT 0,
    entries INTEGER NOT NULL DEFAULT 0,
    duplicates INTEGER NOT NULL DEFAULT 0,
    invalid INTEGER NOT NULL DEFAULT 0,
    sent INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    unknown INTEGER NOT NULL DEFAULT 0,
    lock_token TEXT,
    left_by TEXT,
    reopens INTEGER NOT NULL DEFAULT 0,
    last_attempt INTEGER,
    error TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    completed_at INTEGER,
    UNIQUE (tenant_id, filename, content_key)
) STRICT;
CREATE INDEX mailings_tenant ON mailings (tenant_id, id);
CREATE INDEX mailings_waiting ON mailings (updated_at) WHERE status IN ('PENDING', 'QUEUED');
CREATE INDEX mailings_held ON mailings (last_attempt) WHERE status IN ('INGESTING', 'PROCESSING');
CREATE INDEX mailings_owned ON mailings (last_attempt) WHERE lock_token IS NOT NULL;
CREATE INDEX mailings_live ON mailings (status)
    WHERE status IN ('DRAFT', 'PENDING', 'QUEUED', 'INGESTING', 'PROCESSING', 'PAUSED');
CREATE INDEX mailings_ended ON mailings (status, sent, failed, unknown, entries)
    WHERE status IN ('COMPLETED', 'FAILED', 'CANCELLED');
CREATE INDEX mailings_over ON mailings (updated_at)
    WHERE storage_url IS NOT NULL AND status IN ('COMPLETED', 'FAILED', 'CANCELLED');

CREATE TABLE mailing_entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL,
    mailing_id INTEGER NOT NULL,
    email TEXT NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    token TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'PENDING',
    attempts INTEGER NOT NULL DEFAULT 0,
    last_attempt INTEGER,
    due_at INTEGER NOT NULL DEFAULT 0,
    external_id TEXT,
    fields TEXT,
    line INTEGER NOT NULL,
    error TEXT,
    uncertain_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CONSTRAINT unique_mailing_email UNIQUE (tenant_id, mailing_id, email)
) STRICT;
CREATE INDEX mailing_entries_due ON mailing_entries (mailing_id, due_at, id) WHERE status = 'PENDING';
CREATE INDEX mailing_entries_status ON mailing_entries (mailing_id, status, id);
CREATE INDEX mailing_entries_uncertain ON mailing_entries (mailing_id, id) WHERE uncertain_at IS NOT NULL;

CREATE TABLE mailing_invalid_lines (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL,
    mailing_id INTEGER NOT NULL,
    line INTEGER NOT NULL,
    content TEXT NOT NULL,
    reason TEXT NOT NULL,
    UNIQUE (tenant_id, mailing_id, line)
) STRICT;

CREATE TABLE mailing_suppressions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    email TEXT NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
    reason TEXT NOT NULL,
    mailing_uuid TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (tenant_id, email)
) STRICT;
)";

// Without CHECKs: PostgreSQL parses them anew for every statement. A row is checked when it is read.
constexpr std::string_view postgres_1 = R"(
CREATE TABLE mailing_filenames (
    tenant_id text COLLATE "C" NOT NULL,
    filename text COLLATE "C" NOT NULL,
    uploads bigint NOT NULL,
    PRIMARY KEY (tenant_id, filename)
);

CREATE TABLE mailings (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uuid text COLLATE "C" NOT NULL UNIQUE,
    tenant_id text COLLATE "C" NOT NULL,
    filename text COLLATE "C" NOT NULL,
    content_key text COLLATE "C" NOT NULL,
    content_sha256 text COLLATE "C" NOT NULL,
    content_bytes bigint NOT NULL,
    storage_url text,
    status text COLLATE "C" NOT NULL,
    assunto text,
    remetente text,
    texto text,
    html text,
    incerteza text COLLATE "C" NOT NULL,
    read_bytes bigint NOT NULL DEFAULT 0,
    read_lines bigint NOT NULL DEFAULT 0,
    is_ingested bigint NOT NULL DEFAULT 0,
    entries bigint NOT NULL DEFAULT 0,
    duplicates bigint NOT NULL DEFAULT 0,
    invalid bigint NOT NULL DEFAULT 0,
    sent bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0,
    unknown bigint NOT NULL DEFAULT 0,
    lock_token text COLLATE "C",
    left_by text COLLATE "C",
    reopens bigint NOT NULL DEFAULT 0,
    last_attempt bigint,
    error text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    completed_at bigint,
    UNIQUE (tenant_id, filename, content_key)
);
CREATE INDEX mailings_tenant ON mailings (tenant_id, id);
CREATE INDEX mailings_waiting ON mailings (updated_at) WHERE status IN ('PENDING', 'QUEUED');
CREATE INDEX mailings_held ON mailings (last_attempt) WHERE status IN ('INGESTING', 'PROCESSING');
CREATE INDEX mailings_owned ON mailings (last_attempt) WHERE lock_token IS NOT NULL;
CREATE INDEX mailings_live ON mailings (status)
    WHERE status IN ('DRAFT', 'PENDING', 'QUEUED', 'INGESTING', 'PROCESSING', 'PAUSED');
CREATE INDEX mailings_ended ON mailings (status, sent, failed, unknown, entries)
    WHERE status IN ('COMPLETED', 'FAILED', 'CANCELLED');
CREATE INDEX mailings_over ON mailings (updated_at)
    WHERE storage_url IS NOT NULL AND status IN ('COMPLETED', 'FAILED', 'CANCELLED');

CREATE TABLE mailing_entries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    mailing_id bigint NOT NULL,
    email text COLLATE "C" NOT NULL,
    token text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL DEFAULT 'PENDING',
    attempts bigint NOT NULL DEFAULT 0,
    last_attempt bigint,
    due_at bigint NOT NULL DEFAULT 0,
    external_id text,
    fields text,
    line bigint NOT NULL,
    error text,
    uncertain_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT unique_mailing_email UNIQUE (tenant_id, mailing_id, email)
);
CREATE INDEX mailing_entries_due ON mailing_entries (mailing_id, due_at, id) WHERE status = 'PENDING';
CREATE INDEX mailing_entries_status ON mailing_entries (mailing_id, status, id);
CREATE INDEX mailing_entries_uncertain ON mailing_entries (mailing_id, id) WHERE uncertain_at IS NOT NULL;

CREATE TABLE mailing_invalid_lines (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    mailing_id bigint NOT NULL,
    line bigint NOT NULL,
    content text NOT NULL,
    reason text NOT NULL,
    UNIQUE (tenant_id, mailing_id, line)
);

CREATE TABLE mailing_suppressions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    email text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    mailing_uuid text COLLATE "C",
    created_at bigint NOT NULL,
    UNIQUE (tenant_id, email)
);
)";

}  // namespace

std::span<const Migration> migrations(Dialect dialect)
{
    static const std::array sqlite = {
        Migration{.module = "mailing", .version = 1, .sql = std::string{sqlite_1}},
    };
    static const std::array postgres = {
        Migration{.module = "mailing", .version = 1, .sql = std::string{postgres_1}},
    };
    switch (dialect) {
        case Dialect::sqlite: return sqlite;
        case Dialect::postgres: return postgres;
    }
    return {};
}

}  // namespace umavez::mailing
