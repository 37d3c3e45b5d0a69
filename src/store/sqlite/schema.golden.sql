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
CREATE TABLE umavez_meta (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    clock_mark INTEGER NOT NULL,
    batch INTEGER NOT NULL
) STRICT;
CREATE TABLE umavez_migrations (
    module TEXT NOT NULL CHECK (length(module) BETWEEN 1 AND 100),
    version INTEGER NOT NULL CHECK (version >= 1),
    applied_at INTEGER NOT NULL,
    PRIMARY KEY (module, version)
) STRICT, WITHOUT ROWID;
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
CREATE INDEX umavez_records_abandoned ON umavez_records (processing_expires_at)
    WHERE status = 'processing';
CREATE INDEX umavez_records_doubted ON umavez_records (retry_at) WHERE status = 'in_doubt';
CREATE INDEX umavez_records_expiry ON umavez_records (expires_at) WHERE expires_at IS NOT NULL;
CREATE UNIQUE INDEX umavez_records_identity ON umavez_records (identity, rank);
