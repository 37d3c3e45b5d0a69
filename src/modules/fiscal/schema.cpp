#include "modules/fiscal/schema.hpp"

#include <array>
#include <string>
#include <string_view>

namespace umavez::fiscal {
namespace {

// Instants are microseconds since 1970, digests lower case hexadecimal, documents bytes: an XML may be
// written in any encoding, and its signature holds for these bytes only.
//
// `documentos_fiscais`: a document is what has a natural key; its number lives as long as it does.
//   marca          who wrote the row last: a COMMIT without an answer is recognised by it
//   enviado_ate    until then a call that changes something may still be under way
//   conciliar_em   when a worker looks at it; null: nothing is to be done. A hint that is changed without a
//                  new version
//   conciliacoes   how often a worker looked since something new was learnt
//   alerta         what a person has to look at
// `documentos_tentativas`: `palavra` is null while a call runs, and stays null where its process died.
// `fiscal_guarda` is shared by all processes: who may call an authority, and when.
constexpr std::string_view sqlite_1 = R"(
CREATE TABLE documentos_fiscais (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    tipo TEXT NOT NULL CHECK (tipo IN ('nfe', 'nfce', 'nfse-sp', 'nfse-nacional')),
    ambiente TEXT NOT NULL CHECK (ambiente IN ('producao', 'homologacao')),
    emitente TEXT NOT NULL CHECK (length(emitente) BETWEEN 1 AND 14),
    serie TEXT NOT NULL CHECK (length(serie) BETWEEN 0 AND 5),
    numero INTEGER NOT NULL CHECK (numero >= 1),
    id_autoridade TEXT,
    id_idempotencia TEXT NOT NULL CHECK (length(id_idempotencia) BETWEEN 1 AND 255),
    idempotencia_key TEXT CHECK (idempotencia_key IS NULL OR length(idempotencia_key) BETWEEN 1 AND 255),
    estado TEXT NOT NULL,
    versao INTEGER NOT NULL CHECK (versao >= 1),
    marca TEXT NOT NULL,
    xml_sha256 TEXT CHECK (xml_sha256 IS NULL OR length(xml_sha256) = 64),
    chave_acesso TEXT,
    protocolo TEXT,
    autorizado_sha256 TEXT CHECK (autorizado_sha256 IS NULL OR length(autorizado_sha256) = 64),
    justificativa TEXT,
    pedido_sha256 TEXT CHECK (pedido_sha256 IS NULL OR length(pedido_sha256) = 64),
    protocolo_cancelamento TEXT,
    evento_sha256 TEXT CHECK (evento_sha256 IS NULL OR length(evento_sha256) = 64),
    mensagens TEXT NOT NULL,
    tentativas INTEGER NOT NULL,
    conciliacoes INTEGER NOT NULL,
    enviado_ate INTEGER,
    conciliar_em INTEGER,
    alerta TEXT,
    prazo_inutilizacao TEXT,
    reservado_em INTEGER,
    autorizado_em INTEGER,
    cancelado_em INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (tenant_id, id_idempotencia)
) STRICT;
CREATE UNIQUE INDEX documentos_fiscais_key ON documentos_fiscais (tenant_id, idempotencia_key)
    WHERE idempotencia_key IS NOT NULL;
CREATE INDEX documentos_fiscais_chave ON documentos_fiscais (tenant_id, chave_acesso)
    WHERE chave_acesso IS NOT NULL;
CREATE INDEX documentos_fiscais_conciliar ON documentos_fiscais (conciliar_em)
    WHERE conciliar_em IS NOT NULL;
CREATE INDEX documentos_fiscais_tenant ON documentos_fiscais (tenant_id);
CREATE INDEX documentos_fiscais_estado ON documentos_fiscais (tenant_id, estado);
CREATE INDEX documentos_fiscais_emitente ON documentos_fiscais (tenant_id, emitente);
CREATE INDEX documentos_fiscais_numero ON documentos_fiscais
    (tenant_id, emitente, tipo, serie, ambiente, numero);

CREATE TABLE documentos_xml (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    documento_id INTEGER NOT NULL REFERENCES documentos_fiscais (id),
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
    xml BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (documento_id, sha256)
) STRICT;

CREATE TABLE documentos_tentativas (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL,
    documento_id INTEGER NOT NULL REFERENCES documentos_fiscais (id),
    operacao TEXT NOT NULL,
    tentativa INTEGER NOT NULL,
    xml_sha256 TEXT,
    palavra TEXT,
    mensagens TEXT NOT NULL,
    http_status INTEGER,
    duracao_ms INTEGER,
    detalhe TEXT,
    em INTEGER NOT NULL
) STRICT;
CREATE INDEX documentos_tentativas_documento ON documentos_tentativas (documento_id);

CREATE TABLE faixas_numeracao (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL CHECK (length(tenant_id) BETWEEN 1 AND 64),
    emitente TEXT NOT NULL CHECK (length(emitente) BETWEEN 1 AND 14),
    tipo TEXT NOT NULL CHECK (tipo IN ('nfe', 'nfce', 'nfse-sp', 'nfse-nacional')),
    serie TEXT NOT NULL CHECK (length(serie) BETWEEN 0 AND 5),
    ambiente TEXT NOT NULL CHECK (ambiente IN ('producao', 'homologacao')),
    ultimo_numero INTEGER NOT NULL CHECK (ultimo_numero >= 0),
    numero_max INTEGER NOT NULL CHECK (numero_max >= ultimo_numero),
    bloqueado INTEGER NOT NULL CHECK (bloqueado IN (0, 1)),
    versao INTEGER NOT NULL CHECK (versao >= 1),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (tenant_id, emitente, tipo, serie, ambiente)
) STRICT;

CREATE TABLE fiscal_guarda (
    autoridade TEXT NOT NULL,
    ambiente TEXT NOT NULL,
    emitente TEXT NOT NULL,
    bloqueada_ate INTEGER NOT NULL,
    proxima_em INTEGER NOT NULL,
    PRIMARY KEY (autoridade, ambiente, emitente)
) STRICT, WITHOUT ROWID;
)";

// The same for PostgreSQL, whose indexes do not end with the id by themselves, and which parses the CHECKs
// of a table anew for every statement that writes to it: values are checked where they come in, and again
// where they are read.
constexpr std::string_view postgres_1 = R"(
CREATE TABLE documentos_fiscais (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    tipo text COLLATE "C" NOT NULL,
    ambiente text COLLATE "C" NOT NULL,
    emitente text COLLATE "C" NOT NULL,
    serie text COLLATE "C" NOT NULL,
    numero bigint NOT NULL,
    id_autoridade text COLLATE "C",
    id_idempotencia text COLLATE "C" NOT NULL,
    idempotencia_key text COLLATE "C",
    estado text COLLATE "C" NOT NULL,
    versao bigint NOT NULL,
    marca text COLLATE "C" NOT NULL,
    xml_sha256 text COLLATE "C",
    chave_acesso text COLLATE "C",
    protocolo text COLLATE "C",
    autorizado_sha256 text COLLATE "C",
    justificativa text,
    pedido_sha256 text COLLATE "C",
    protocolo_cancelamento text COLLATE "C",
    evento_sha256 text COLLATE "C",
    mensagens text NOT NULL,
    tentativas bigint NOT NULL,
    conciliacoes bigint NOT NULL,
    enviado_ate bigint,
    conciliar_em bigint,
    alerta text,
    prazo_inutilizacao text COLLATE "C",
    reservado_em bigint,
    autorizado_em bigint,
    cancelado_em bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    UNIQUE (tenant_id, id_idempotencia)
);
CREATE UNIQUE INDEX documentos_fiscais_key ON documentos_fiscais (tenant_id, idempotencia_key)
    WHERE idempotencia_key IS NOT NULL;
CREATE INDEX documentos_fiscais_chave ON documentos_fiscais (tenant_id, chave_acesso)
    WHERE chave_acesso IS NOT NULL;
CREATE INDEX documentos_fiscais_conciliar ON documentos_fiscais (conciliar_em)
    WHERE conciliar_em IS NOT NULL;
CREATE INDEX documentos_fiscais_tenant ON documentos_fiscais (tenant_id, id);
CREATE INDEX documentos_fiscais_estado ON documentos_fiscais (tenant_id, estado, id);
CREATE INDEX documentos_fiscais_emitente ON documentos_fiscais (tenant_id, emitente, id);
CREATE INDEX documentos_fiscais_numero ON documentos_fiscais
    (tenant_id, emitente, tipo, serie, ambiente, numero);

CREATE TABLE documentos_xml (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    documento_id bigint NOT NULL REFERENCES documentos_fiscais (id),
    sha256 text COLLATE "C" NOT NULL,
    xml bytea NOT NULL,
    created_at bigint NOT NULL,
    UNIQUE (documento_id, sha256)
);

CREATE TABLE documentos_tentativas (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    documento_id bigint NOT NULL REFERENCES documentos_fiscais (id),
    operacao text COLLATE "C" NOT NULL,
    tentativa bigint NOT NULL,
    xml_sha256 text COLLATE "C",
    palavra text COLLATE "C",
    mensagens text NOT NULL,
    http_status bigint,
    duracao_ms bigint,
    detalhe text,
    em bigint NOT NULL
);
CREATE INDEX documentos_tentativas_documento ON documentos_tentativas (documento_id, id);

CREATE TABLE faixas_numeracao (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    emitente text COLLATE "C" NOT NULL,
    tipo text COLLATE "C" NOT NULL,
    serie text COLLATE "C" NOT NULL,
    ambiente text COLLATE "C" NOT NULL,
    ultimo_numero bigint NOT NULL,
    numero_max bigint NOT NULL,
    bloqueado bigint NOT NULL,
    versao bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    UNIQUE (tenant_id, emitente, tipo, serie, ambiente)
);

CREATE TABLE fiscal_guarda (
    autoridade text COLLATE "C" NOT NULL,
    ambiente text COLLATE "C" NOT NULL,
    emitente text COLLATE "C" NOT NULL,
    bloqueada_ate bigint NOT NULL,
    proxima_em bigint NOT NULL,
    PRIMARY KEY (autoridade, ambiente, emitente)
);
)";

// A document has any number of keys: whoever sends it again may send another one. `pista`: what an adapter
// learnt of a document whose fate it could not find out, for its next question. `substituto_id`: the document
// that took its place. An authority tells an NFC-e that was issued off-line from one that was not by the
// same number, so it is up to us that no number has both.
constexpr std::string_view sqlite_2 = R"(
CREATE TABLE documentos_keys (
    tenant_id TEXT NOT NULL,
    idempotencia_key TEXT NOT NULL CHECK (length(idempotencia_key) BETWEEN 1 AND 255),
    documento_id INTEGER NOT NULL REFERENCES documentos_fiscais (id),
    PRIMARY KEY (tenant_id, idempotencia_key)
) STRICT, WITHOUT ROWID;
INSERT INTO documentos_keys (tenant_id, idempotencia_key, documento_id)
    SELECT tenant_id, idempotencia_key, id FROM documentos_fiscais WHERE idempotencia_key IS NOT NULL;
DROP INDEX documentos_fiscais_key;
ALTER TABLE documentos_fiscais ADD COLUMN pista TEXT;
ALTER TABLE documentos_fiscais ADD COLUMN substituto_id INTEGER REFERENCES documentos_fiscais (id);
CREATE UNIQUE INDEX documentos_fiscais_nfce ON documentos_fiscais
    (tenant_id, emitente, ambiente, serie, numero) WHERE tipo = 'nfce';
CREATE INDEX documentos_fiscais_prazo ON documentos_fiscais (tenant_id, prazo_inutilizacao)
    WHERE estado IN ('RESERVADO', 'REJEITADO') AND prazo_inutilizacao IS NOT NULL;
)";

constexpr std::string_view postgres_2 = R"(
CREATE TABLE documentos_keys (
    tenant_id text COLLATE "C" NOT NULL,
    idempotencia_key text COLLATE "C" NOT NULL,
    documento_id bigint NOT NULL REFERENCES documentos_fiscais (id),
    PRIMARY KEY (tenant_id, idempotencia_key)
);
INSERT INTO documentos_keys (tenant_id, idempotencia_key, documento_id)
    SELECT tenant_id, idempotencia_key, id FROM documentos_fiscais WHERE idempotencia_key IS NOT NULL;
DROP INDEX documentos_fiscais_key;
ALTER TABLE documentos_fiscais ADD COLUMN pista text COLLATE "C";
ALTER TABLE documentos_fiscais ADD COLUMN substituto_id bigint REFERENCES documentos_fiscais (id);
CREATE UNIQUE INDEX documentos_fiscais_nfce ON documentos_fiscais
    (tenant_id, emitente, ambiente, serie, numero) WHERE tipo = 'nfce';
CREATE INDEX documentos_fiscais_prazo ON documentos_fiscais (tenant_id, prazo_inutilizacao)
    WHERE estado IN ('RESERVADO', 'REJEITADO') AND prazo_inutilizacao IS NOT NULL;
)";

}  // namespace

std::span<const Migration> migrations(Dialect dialect)
{
    static const std::array sqlite = {
        Migration{.module = "fiscal", .version = 1, .sql = std::string{sqlite_1}},
        Migration{.module = "fiscal", .version = 2, .sql = std::string{sqlite_2}},
    };
    static const std::array postgres = {
        Migration{.module = "fiscal", .version = 1, .sql = std::string{postgres_1}},
        Migration{.module = "fiscal", .version = 2, .sql = std::string{postgres_2}},
    };
    switch (dialect) {
        case Dialect::sqlite: return sqlite;
        case Dialect::postgres: return postgres;
    }
    return {};
}

}  // namespace umavez::fiscal
