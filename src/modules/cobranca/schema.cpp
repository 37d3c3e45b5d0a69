#include "modules/cobranca/schema.hpp"

#include <array>
#include <string>
#include <string_view>

namespace umavez::cobranca {
namespace {

// Amounts are texts of a DECIMAL(10,2), instants microseconds since 1970, lengths in characters; ids
// are never given out twice: as in Propostas.
//
// `pagamentos_referencia` keeps a payment of a provider single for ever, also after the engine's
// record of it expired. Payments of the API have no reference, so they do not pay for that index.
//
// There are few indexes, those of uniqueness and those that lists walk: each is paid by every
// insertion. One of SQLite ends with the row's id by itself.
constexpr std::string_view sqlite_1 = R"(
CREATE TABLE assinaturas (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    cliente TEXT NOT NULL CHECK (length(cliente) BETWEEN 1 AND 255),
    plano TEXT NOT NULL CHECK (length(plano) BETWEEN 1 AND 100),
    valor TEXT NOT NULL CHECK (length(valor) BETWEEN 4 AND 11 AND valor GLOB '*[0-9].[0-9][0-9]'),
    ciclo TEXT NOT NULL CHECK (ciclo IN ('mensal', 'anual')),
    estado TEXT NOT NULL CHECK (estado IN ('ativa', 'suspensa', 'cancelada')),
    versao INTEGER NOT NULL CHECK (versao >= 1),
    ultimo_evento_em INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX assinaturas_tenant ON assinaturas (tenant_id);
CREATE INDEX assinaturas_cliente ON assinaturas (tenant_id, cliente);
CREATE INDEX assinaturas_estado ON assinaturas (tenant_id, estado);

CREATE TABLE faturas (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    assinatura_id INTEGER NOT NULL REFERENCES assinaturas (id),
    competencia TEXT NOT NULL CHECK (competencia GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]'),
    valor TEXT NOT NULL CHECK (length(valor) BETWEEN 4 AND 11 AND valor GLOB '*[0-9].[0-9][0-9]'),
    valor_pago TEXT NOT NULL CHECK (
        length(valor_pago) BETWEEN 4 AND 11 AND valor_pago GLOB '*[0-9].[0-9][0-9]'
    ),
    estado TEXT NOT NULL CHECK (estado IN ('aberta', 'paga', 'cancelada')),
    versao INTEGER NOT NULL CHECK (versao >= 1),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (tenant_id, assinatura_id, competencia)
) STRICT;
CREATE INDEX faturas_tenant ON faturas (tenant_id);
CREATE INDEX faturas_assinatura ON faturas (tenant_id, assinatura_id);
CREATE INDEX faturas_estado ON faturas (tenant_id, estado);

CREATE TABLE pagamentos (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    fatura_id INTEGER NOT NULL REFERENCES faturas (id),
    valor TEXT NOT NULL CHECK (length(valor) BETWEEN 4 AND 11 AND valor GLOB '*[0-9].[0-9][0-9]'),
    meio TEXT NOT NULL CHECK (length(meio) BETWEEN 1 AND 50),
    origem TEXT NOT NULL CHECK (length(origem) BETWEEN 1 AND 100),
    referencia TEXT CHECK (referencia IS NULL OR length(referencia) BETWEEN 1 AND 255),
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX pagamentos_referencia ON pagamentos (tenant_id, origem, referencia)
    WHERE referencia IS NOT NULL;
CREATE INDEX pagamentos_tenant ON pagamentos (tenant_id);
CREATE INDEX pagamentos_fatura ON pagamentos (tenant_id, fatura_id);

CREATE TABLE concessoes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    fatura_id INTEGER NOT NULL REFERENCES faturas (id),
    assinatura_id INTEGER NOT NULL,
    competencia TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (tenant_id, fatura_id)
) STRICT;
CREATE INDEX concessoes_tenant ON concessoes (tenant_id);
CREATE INDEX concessoes_assinatura ON concessoes (tenant_id, assinatura_id);
)";

// The same for PostgreSQL, whose indexes do not end with the id by themselves.
constexpr std::string_view postgres_1 = R"(
CREATE TABLE assinaturas (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    cliente text NOT NULL CHECK (length(cliente) BETWEEN 1 AND 255),
    plano text NOT NULL CHECK (length(plano) BETWEEN 1 AND 100),
    valor text NOT NULL CHECK (valor ~ '^(0|[1-9][0-9]{0,7})\.[0-9]{2}$'),
    ciclo text NOT NULL CHECK (ciclo IN ('mensal', 'anual')),
    estado text NOT NULL CHECK (estado IN ('ativa', 'suspensa', 'cancelada')),
    versao bigint NOT NULL CHECK (versao >= 1),
    ultimo_evento_em bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE INDEX assinaturas_tenant ON assinaturas (tenant_id, id);
CREATE INDEX assinaturas_cliente ON assinaturas (tenant_id, cliente, id);
CREATE INDEX assinaturas_estado ON assinaturas (tenant_id, estado, id);

CREATE TABLE faturas (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    assinatura_id bigint NOT NULL REFERENCES assinaturas (id),
    competencia text COLLATE "C" NOT NULL CHECK (competencia ~ '^[0-9]{4}-[0-9]{2}$'),
    valor text NOT NULL CHECK (valor ~ '^(0|[1-9][0-9]{0,7})\.[0-9]{2}$'),
    valor_pago text NOT NULL CHECK (valor_pago ~ '^(0|[1-9][0-9]{0,7})\.[0-9]{2}$'),
    estado text NOT NULL CHECK (estado IN ('aberta', 'paga', 'cancelada')),
    versao bigint NOT NULL CHECK (versao >= 1),
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    UNIQUE (tenant_id, assinatura_id, competencia)
);
CREATE INDEX faturas_tenant ON faturas (tenant_id, id);
CREATE INDEX faturas_assinatura ON faturas (tenant_id, assinatura_id, id);
CREATE INDEX faturas_estado ON faturas (tenant_id, estado, id);

CREATE TABLE pagamentos (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    fatura_id bigint NOT NULL REFERENCES faturas (id),
    valor text NOT NULL CHECK (valor ~ '^(0|[1-9][0-9]{0,7})\.[0-9]{2}$'),
    meio text NOT NULL CHECK (length(meio) BETWEEN 1 AND 50),
    origem text COLLATE "C" NOT NULL CHECK (length(origem) BETWEEN 1 AND 100),
    referencia text COLLATE "C" CHECK (length(referencia) BETWEEN 1 AND 255),
    created_at bigint NOT NULL
);
CREATE UNIQUE INDEX pagamentos_referencia ON pagamentos (tenant_id, origem, referencia)
    WHERE referencia IS NOT NULL;
CREATE INDEX pagamentos_tenant ON pagamentos (tenant_id, id);
CREATE INDEX pagamentos_fatura ON pagamentos (tenant_id, fatura_id, id);

CREATE TABLE concessoes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    fatura_id bigint NOT NULL REFERENCES faturas (id),
    assinatura_id bigint NOT NULL,
    competencia text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    UNIQUE (tenant_id, fatura_id)
);
CREATE INDEX concessoes_tenant ON concessoes (tenant_id, id);
CREATE INDEX concessoes_assinatura ON concessoes (tenant_id, assinatura_id, id);
)";

// PostgreSQL parses the CHECKs of a table anew for every statement that writes to it: a third of the time of
// an insert, half of that of an update. Values are checked where they come in, and again where they are read.
constexpr std::string_view postgres_2 = R"(
ALTER TABLE faturas
    DROP CONSTRAINT IF EXISTS faturas_tenant_id_check,
    DROP CONSTRAINT IF EXISTS faturas_competencia_check,
    DROP CONSTRAINT IF EXISTS faturas_valor_check,
    DROP CONSTRAINT IF EXISTS faturas_valor_pago_check,
    DROP CONSTRAINT IF EXISTS faturas_estado_check,
    DROP CONSTRAINT IF EXISTS faturas_versao_check;
ALTER TABLE pagamentos
    DROP CONSTRAINT IF EXISTS pagamentos_tenant_id_check,
    DROP CONSTRAINT IF EXISTS pagamentos_valor_check,
    DROP CONSTRAINT IF EXISTS pagamentos_meio_check,
    DROP CONSTRAINT IF EXISTS pagamentos_origem_check,
    DROP CONSTRAINT IF EXISTS pagamentos_referencia_check;
)";

}  // namespace

std::span<const Migration> migrations(Dialect dialect)
{
    static const std::array sqlite = {
        Migration{.module = "cobranca", .version = 1, .sql = std::string{sqlite_1}},
    };
    static const std::array postgres = {
        Migration{.module = "cobranca", .version = 1, .sql = std::string{postgres_1}},
        Migration{.module = "cobranca", .version = 2, .sql = std::string{postgres_2}},
    };
    switch (dialect) {
        case Dialect::sqlite: return sqlite;
        case Dialect::postgres: return postgres;
    }
    return {};
}

}  // namespace umavez::cobranca
