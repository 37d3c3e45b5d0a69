#include "messaging/outbox.hpp"

#include <array>
#include <string>
#include <string_view>

namespace umavez::messaging {
namespace {

// An event is written once and given out to destinations later: `dispatched_at` tells that its deliveries
// were made. What is to be dispatched is found by that mark and never by "ids above the last one": a lower
// id may commit after a higher one.
//
// A delivery is work (work/work_table.hpp). It repeats the aggregate of its event, so that the order inside
// an aggregate is judged in its own index. `secrets` of a destination are separated by spaces, the newest
// first; `types` are those it wants, each between spaces, and empty means all. A destination that was
// removed stays for its deliveries' sake.
constexpr std::string_view sqlite_1 = R"(
CREATE TABLE umavez_outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    message_id TEXT NOT NULL CHECK (length(message_id) BETWEEN 1 AND 64),
    aggregate TEXT NOT NULL CHECK (length(aggregate) BETWEEN 1 AND 255),
    type TEXT NOT NULL CHECK (length(type) BETWEEN 1 AND 100),
    data TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    dispatched_at INTEGER
) STRICT;
CREATE INDEX umavez_outbox_waiting ON umavez_outbox (id) WHERE dispatched_at IS NULL;
CREATE INDEX umavez_outbox_dispatched ON umavez_outbox (dispatched_at) WHERE dispatched_at IS NOT NULL;

CREATE TABLE umavez_destinations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    url TEXT NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
    types TEXT NOT NULL,
    secrets TEXT NOT NULL CHECK (length(secrets) >= 1),
    created_at INTEGER NOT NULL,
    removed_at INTEGER,
    failures INTEGER NOT NULL DEFAULT 0,
    paused_until INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX umavez_destinations_tenant ON umavez_destinations (tenant_id, id);

CREATE TABLE umavez_deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    outbox_id INTEGER NOT NULL REFERENCES umavez_outbox (id),
    destination_id INTEGER NOT NULL REFERENCES umavez_destinations (id),
    aggregate TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'dead', 'cancelled')),
    run INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    takes INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL,
    last_error TEXT,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    UNIQUE (outbox_id, destination_id)
) STRICT;
CREATE INDEX umavez_deliveries_due ON umavez_deliveries (due_at, id) WHERE state = 'pending';
CREATE INDEX umavez_deliveries_busy ON umavez_deliveries (tenant_id)
    WHERE state = 'pending' AND takes > 0;
CREATE INDEX umavez_deliveries_order ON umavez_deliveries (destination_id, aggregate, id)
    WHERE state = 'pending';
CREATE INDEX umavez_deliveries_destination ON umavez_deliveries (destination_id, id);
CREATE INDEX umavez_deliveries_tenant ON umavez_deliveries (tenant_id, id);
CREATE INDEX umavez_deliveries_state ON umavez_deliveries (state, id);
)";

constexpr std::string_view postgres_1 = R"(
CREATE TABLE umavez_outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    message_id text COLLATE "C" NOT NULL CHECK (length(message_id) BETWEEN 1 AND 64),
    aggregate text COLLATE "C" NOT NULL CHECK (length(aggregate) BETWEEN 1 AND 255),
    type text COLLATE "C" NOT NULL CHECK (length(type) BETWEEN 1 AND 100),
    data text NOT NULL,
    created_at bigint NOT NULL,
    dispatched_at bigint
);
CREATE INDEX umavez_outbox_waiting ON umavez_outbox (id) WHERE dispatched_at IS NULL;
CREATE INDEX umavez_outbox_dispatched ON umavez_outbox (dispatched_at) WHERE dispatched_at IS NOT NULL;

CREATE TABLE umavez_destinations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    url text NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
    types text NOT NULL,
    secrets text NOT NULL CHECK (length(secrets) >= 1),
    created_at bigint NOT NULL,
    removed_at bigint,
    failures bigint NOT NULL DEFAULT 0,
    paused_until bigint NOT NULL DEFAULT 0
);
CREATE INDEX umavez_destinations_tenant ON umavez_destinations (tenant_id, id);

CREATE TABLE umavez_deliveries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    outbox_id bigint NOT NULL REFERENCES umavez_outbox (id),
    destination_id bigint NOT NULL REFERENCES umavez_destinations (id),
    aggregate text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'delivered', 'dead', 'cancelled')),
    run bigint NOT NULL,
    attempts bigint NOT NULL,
    takes bigint NOT NULL DEFAULT 0,
    due_at bigint NOT NULL,
    last_error text,
    created_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    UNIQUE (outbox_id, destination_id)
);
CREATE INDEX umavez_deliveries_due ON umavez_deliveries (due_at, id) WHERE state = 'pending';
CREATE INDEX umavez_deliveries_busy ON umavez_deliveries (tenant_id)
    WHERE state = 'pending' AND takes > 0;
CREATE INDEX umavez_deliveries_order ON umavez_deliveries (destination_id, aggregate, id)
    WHERE state = 'pending';
CREATE INDEX umavez_deliveries_destination ON umavez_deliveries (destination_id, id);
CREATE INDEX umavez_deliveries_tenant ON umavez_deliveries (tenant_id, id);
CREATE INDEX umavez_deliveries_state ON umavez_deliveries (state, id);
)";

// A message is work (work/work_table.hpp) for whoever carries it: the relay of a broker, or a worker that
// reads the table. The one row of umavez_broker_use tells every dispatcher that events are to be messages
// too.
constexpr std::string_view sqlite_2 = R"(
CREATE TABLE umavez_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    message_id TEXT NOT NULL CHECK (length(message_id) BETWEEN 1 AND 64),
    queue TEXT NOT NULL CHECK (length(queue) BETWEEN 1 AND 64),
    aggregate TEXT NOT NULL CHECK (length(aggregate) BETWEEN 1 AND 255),
    type TEXT NOT NULL CHECK (length(type) BETWEEN 1 AND 100),
    data TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'published', 'done', 'dead')),
    run INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    takes INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL,
    last_error TEXT,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX umavez_messages_due ON umavez_messages (queue, due_at, id) WHERE state = 'pending';
CREATE INDEX umavez_messages_order ON umavez_messages (aggregate, tenant_id, id)
    WHERE state = 'pending';
CREATE INDEX umavez_messages_ended ON umavez_messages (changed_at) WHERE state IN ('published', 'done');
CREATE INDEX umavez_messages_dead ON umavez_messages (id) WHERE state = 'dead';

CREATE TABLE umavez_broker_use (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    since INTEGER NOT NULL
) STRICT;
)";

constexpr std::string_view postgres_2 = R"(
CREATE TABLE umavez_messages (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    queue text COLLATE "C" NOT NULL,
    aggregate text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    data text NOT NULL,
    state text COLLATE "C" NOT NULL,
    run bigint NOT NULL DEFAULT 0,
    attempts bigint NOT NULL DEFAULT 0,
    takes bigint NOT NULL DEFAULT 0,
    due_at bigint NOT NULL,
    last_error text,
    created_at bigint NOT NULL,
    changed_at bigint NOT NULL
);
CREATE INDEX umavez_messages_due ON umavez_messages (queue, due_at, id) WHERE state = 'pending';
CREATE INDEX umavez_messages_order ON umavez_messages (aggregate, tenant_id, id)
    WHERE state = 'pending';
CREATE INDEX umavez_messages_ended ON umavez_messages (changed_at) WHERE state IN ('published', 'done');
CREATE INDEX umavez_messages_dead ON umavez_messages (id) WHERE state = 'dead';

CREATE TABLE umavez_broker_use (
    one bigint PRIMARY KEY CHECK (one = 1),
    since bigint NOT NULL
);
)";

// PostgreSQL parses the CHECKs of a table anew for every statement that writes to it: a third of the time of
// an insert, half of that of an update. Values are checked where they come in, and again where they are read.
constexpr std::string_view postgres_3 = R"(
ALTER TABLE umavez_outbox
    DROP CONSTRAINT IF EXISTS umavez_outbox_tenant_id_check,
    DROP CONSTRAINT IF EXISTS umavez_outbox_message_id_check,
    DROP CONSTRAINT IF EXISTS umavez_outbox_aggregate_check,
    DROP CONSTRAINT IF EXISTS umavez_outbox_type_check;
ALTER TABLE umavez_deliveries
    DROP CONSTRAINT IF EXISTS umavez_deliveries_tenant_id_check,
    DROP CONSTRAINT IF EXISTS umavez_deliveries_state_check;
)";

}  // namespace

std::span<const Migration> migrations(Dialect dialect)
{
    static const std::array sqlite = {
        Migration{.module = "messaging", .version = 1, .sql = std::string{sqlite_1}},
        Migration{.module = "messaging", .version = 2, .sql = std::string{sqlite_2}},
    };
    static const std::array postgres = {
        Migration{.module = "messaging", .version = 1, .sql = std::string{postgres_1}},
        Migration{.module = "messaging", .version = 2, .sql = std::string{postgres_2}},
        Migration{.module = "messaging", .version = 3, .sql = std::string{postgres_3}},
    };
    switch (dialect) {
        case Dialect::sqlite: return sqlite;
        case Dialect::postgres: return postgres;
    }
    return {};
}

}  // namespace umavez::messaging
