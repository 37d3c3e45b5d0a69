#include "store/sqlite/schema.hpp"

#include <array>

namespace umavez {
namespace {

// Rows lie in order of insertion and are found by `identity`, a number made of tenant, operation and
// key (identity.hpp); `rank` is 0 but for those that share their number. A random key as the clustered
// key would dirty a page of full rows for every record, and an index of the texts has four times the
// pages (with a million records, batches of 32 by hand: 11,500 against 16,400 pairs/s).
//
// The checks are for what other programs write; ours reads every value back with care. They cost, so
// they are cheap ones: `status IN (…)` of three words builds a table of them for every statement,
// and bytes can only be counted after a cast that copies.
//
// An entry of the audit belongs to a `subject`: the id of its record, which makes neighbours of the
// entries of neighbouring records, or its identity, made negative, once there is no record. A hash
// alone would dirty a page per entry (10,500 against 15,500 pairs/s by hand).
//
// Instants are microseconds since 1970 by the store's clock; null means "no deadline". Digests and
// `execution` are raw bytes. `response_headers` is a list of length-prefixed names and values. The
// large columns come last, so that the others are read without them.
constexpr std::string_view version_1 = R"(
CREATE TABLE umavez_records (
    id INTEGER PRIMARY KEY,
    identity INTEGER NOT NULL,
    rank INTEGER NOT NULL CHECK (rank >= 0),
    tenant_id TEXT NOT NULL COLLATE BINARY
        CHECK (length(tenant_id) BETWEEN 1 AND 64),
    operation TEXT NOT NULL COLLATE BINARY
        CHECK (length(operation) BETWEEN 1 AND 100),
    key TEXT NOT NULL COLLATE BINARY
        CHECK (length(key) BETWEEN 1 AND 255),
    target BLOB NOT NULL CHECK (length(target) = 32),
    fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
    fingerprint_version INTEGER NOT NULL CHECK (fingerprint_version BETWEEN 0 AND 65535),
    status TEXT NOT NULL CHECK (
        status = 'processing' OR status = 'succeeded' OR status = 'failed' OR status = 'in_doubt'
    ),
    final INTEGER NOT NULL CHECK (final = 0 OR final = 1),
    mode TEXT NOT NULL CHECK (mode = 'run' OR mode = 'reconcile'),
    epoch INTEGER NOT NULL CHECK (epoch >= 0),
    execution BLOB NOT NULL CHECK (length(execution) = 16),
    attempts INTEGER NOT NULL CHECK (attempts BETWEEN 0 AND 4294967295),
    takeovers INTEGER NOT NULL CHECK (takeovers BETWEEN 0 AND 4294967295),
    retry_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    completed_at INTEGER,
    processing_expires_at INTEGER,
    expires_at INTEGER,
    response_status INTEGER,
    response_digest BLOB CHECK (response_digest IS NULL OR length(response_digest) = 16),
    response_omitted INTEGER NOT NULL CHECK (response_omitted = 0 OR response_omitted = 1),
    entity_type TEXT CHECK (entity_type IS NULL OR length(entity_type) <= 255),
    entity_id TEXT CHECK (entity_id IS NULL OR length(entity_id) <= 255),
    response_headers BLOB,
    response_body BLOB,
    checkpoint BLOB CHECK (checkpoint IS NULL OR length(checkpoint) <= 65536),
    CHECK ((response_status IS NULL) = (response_digest IS NULL)),
    CHECK ((entity_type IS NULL) = (entity_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX umavez_records_identity ON umavez_records (identity, rank);
CREATE INDEX umavez_records_expiry ON umavez_records (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX umavez_records_abandoned ON umavez_records (processing_expires_at)
    WHERE status = 'processing';
CREATE INDEX umavez_records_doubted ON umavez_records (retry_at) WHERE status = 'in_doubt';

CREATE TABLE umavez_audit (
    id INTEGER PRIMARY KEY,
    subject INTEGER NOT NULL,
    at INTEGER NOT NULL,
    tenant_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    key TEXT NOT NULL,
    event TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    execution BLOB CHECK (execution IS NULL OR length(execution) = 16),
    detail TEXT NOT NULL CHECK (length(detail) <= 1024)
) STRICT;
CREATE INDEX umavez_audit_subject ON umavez_audit (subject);
)";

}  // namespace

std::span<const Migration> sqlite_store_migrations()
{
    static const std::array migrations = {
        Migration{.module = "umavez", .version = 1, .sql = std::string{version_1}},
    };
    return migrations;
}

}  // namespace umavez
