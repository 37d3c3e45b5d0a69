#include "modules/propostas/schema.hpp"

#include "base/assert.hpp"

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

}  // namespace

std::span<const Migration> migrations(Dialect dialect)
{
    static const std::array sqlite = {
        Migration{.module = "propostas", .version = 1, .sql = std::string{sqlite_1}},
    };
    UMAVEZ_ASSERT(dialect == Dialect::sqlite);  // the only one there is so far
    return sqlite;
}

}  // namespace umavez::propostas
