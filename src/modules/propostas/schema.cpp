#include "modules/propostas/schema.hpp"

#include <array>
#include <string>
#include <string_view>

namespace umavez::propostas {
namespace {

// Ids are never given out twice (AUTOINCREMENT): a replay for an entity that was deleted must not
// find a stranger under its id.
//
// `valor` is the text of a DECIMAL(10,2), as PostgreSQL reads and writes it: SQLite has no exact
// decimals. Instants are microseconds since 1970; `expires_at` null means "kept for ever". Lengths
// are in characters.
//
// Every index costs each insertion, so there are few: those of uniqueness, and those that lists
// walk. An index ends with the row's id by itself, so (tenant_id) is the order in which a tenant's
// rows are listed.
//
// `resultado` is JSON. A schema that is not trusted may not call json_valid().
//
// A version of a proposal is reached once, which makes it the key of its history.
constexpr std::string_view sqlite_1 = R"(
CREATE TABLE clientes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    nome TEXT NOT NULL CHECK (length(nome) BETWEEN 1 AND 255),
    email TEXT NOT NULL CHECK (length(email) BETWEEN 1 AND 255),
    documento TEXT CHECK (documento IS NULL OR length(documento) BETWEEN 1 AND 20),
    idempotencia_key TEXT CHECK (idempotencia_key IS NULL OR length(idempotencia_key) BETWEEN 1 AND 255),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (tenant_id, idempotencia_key),
    UNIQUE (tenant_id, email)
) STRICT;
CREATE INDEX clientes_tenant ON clientes (tenant_id);

CREATE TABLE propostas (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    cliente_id INTEGER NOT NULL REFERENCES clientes (id),
    valor TEXT NOT NULL CHECK (
        length(valor) BETWEEN 4 AND 11 AND valor GLOB '*[0-9].[0-9][0-9]'
        AND valor NOT GLOB '0[0-9]*' AND substr(valor, 1, length(valor) - 3) NOT GLOB '*[^0-9]*'
    ),
    estado TEXT NOT NULL CHECK (
        estado IN ('rascunho', 'enviada', 'aceita', 'recusada', 'cancelada')
    ),
    versao INTEGER NOT NULL CHECK (versao >= 1),
    idempotencia_key TEXT CHECK (idempotencia_key IS NULL OR length(idempotencia_key) BETWEEN 1 AND 255),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (tenant_id, idempotencia_key)
) STRICT;
CREATE INDEX propostas_tenant ON propostas (tenant_id);
CREATE INDEX propostas_cliente ON propostas (cliente_id);
CREATE INDEX propostas_estado ON propostas (tenant_id, estado);

CREATE TABLE propostas_historico (
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    proposta_id INTEGER NOT NULL,
    versao INTEGER NOT NULL CHECK (versao >= 1),
    operacao TEXT NOT NULL CHECK (length(operacao) BETWEEN 1 AND 50),
    estado_anterior TEXT,
    estado TEXT NOT NULL,
    valor TEXT NOT NULL,
    usuario TEXT CHECK (usuario IS NULL OR length(usuario) BETWEEN 1 AND 255),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, proposta_id, versao)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotencia_operacoes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    idempotencia_key TEXT NOT NULL CHECK (length(idempotencia_key) BETWEEN 1 AND 255),
    tipo_operacao TEXT NOT NULL CHECK (length(tipo_operacao) BETWEEN 1 AND 50),
    entidade_id INTEGER NOT NULL,
    resultado TEXT NOT NULL CHECK (resultado GLOB '{*}'),
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    UNIQUE (tenant_id, idempotencia_key, tipo_operacao)
) STRICT;
CREATE INDEX idempotencia_operacoes_expiry ON idempotencia_operacoes (expires_at)
    WHERE expires_at IS NOT NULL;
)";

// The same for PostgreSQL, whose indexes do not end with the id by themselves. `valor` is a text here
// too: what is read is what was written.
constexpr std::string_view postgres_1 = R"(
CREATE TABLE clientes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    nome text NOT NULL CHECK (length(nome) BETWEEN 1 AND 255),
    email text NOT NULL CHECK (length(email) BETWEEN 1 AND 255),
    documento text CHECK (documento IS NULL OR length(documento) BETWEEN 1 AND 20),
    idempotencia_key text COLLATE "C" CHECK (length(idempotencia_key) BETWEEN 1 AND 255),
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    UNIQUE (tenant_id, idempotencia_key),
    UNIQUE (tenant_id, email)
);
CREATE INDEX clientes_tenant ON clientes (tenant_id, id);

CREATE TABLE propostas (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    cliente_id bigint NOT NULL REFERENCES clientes (id),
    valor text NOT NULL CHECK (valor ~ '^(0|[1-9][0-9]{0,7})\.[0-9]{2}$'),
    estado text NOT NULL CHECK (
        estado IN ('rascunho', 'enviada', 'aceita', 'recusada', 'cancelada')
    ),
    versao bigint NOT NULL CHECK (versao >= 1),
    idempotencia_key text COLLATE "C" CHECK (length(idempotencia_key) BETWEEN 1 AND 255),
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    UNIQUE (tenant_id, idempotencia_key)
);
CREATE INDEX propostas_tenant ON propostas (tenant_id, id);
CREATE INDEX propostas_cliente ON propostas (cliente_id, id);
CREATE INDEX propostas_estado ON propostas (tenant_id, estado, id);

CREATE TABLE propostas_historico (
    tenant_id text COLLATE "C" NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    proposta_id bigint NOT NULL,
    versao bigint NOT NULL CHECK (versao >= 1),
    operacao text NOT NULL CHECK (length(operacao) BETWEEN 1 AND 50),
    estado_anterior text,
    estado text NOT NULL,
    valor text NOT NULL,
    usuario text CHECK (usuario IS NULL OR length(usuario) BETWEEN 1 AND 255),
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant_id, proposta_id, versao)
);

CREATE TABLE idempotencia_operacoes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    idempotencia_key text COLLATE "C" NOT NULL
        CHECK (length(idempotencia_key) BETWEEN 1 AND 255),
    tipo_operacao text NOT NULL CHECK (length(tipo_operacao) BETWEEN 1 AND 50),
    entidade_id bigint NOT NULL,
    resultado text NOT NULL CHECK (resultado LIKE '{%}'),
    created_at bigint NOT NULL,
    expires_at bigint,
    UNIQUE (tenant_id, idempotencia_key, tipo_operacao)
);
CREATE INDEX idempotencia_operacoes_expiry ON idempotencia_operacoes (expires_at)
    WHERE expires_at IS NOT NULL;
)";

}  // namespace

std::span<const Migration> migrations(Dialect dialect)
{
    static const std::array sqlite = {
        Migration{.module = "propostas", .version = 1, .sql = std::string{sqlite_1}},
    };
    static const std::array postgres = {
        Migration{.module = "propostas", .version = 1, .sql = std::string{postgres_1}},
    };
    switch (dialect) {
        case Dialect::sqlite: return sqlite;
        case Dialect::postgres: return postgres;
    }
    return {};
}

}  // namespace umavez::propostas
