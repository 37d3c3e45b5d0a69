#pragma once

// A fiscal document as its row has it, and how it is written as JSON. Plain values.

#include "modules/fiscal/authority/authority.hpp"
#include "modules/fiscal/ids/tipo.hpp"
#include "modules/fiscal/rules/estado.hpp"

#include <umavez/names.hpp>
#include <umavez/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace umavez::fiscal {

// What a document is before anything is known of its content: its natural key and the names made of it.
struct Identidade {
    Tipo tipo = Tipo::nfse_nacional;
    Ambiente ambiente = Ambiente::homologacao;
    std::string emitente;  // CNPJ or CPF, without punctuation
    std::string serie;
    std::int64_t numero = 0;
    std::string id_idempotencia;  // natural key and environment; the key of the engine too
    std::optional<std::string> id_autoridade;  // nullopt: known once there is an XML
    friend bool operator==(const Identidade&, const Identidade&) = default;
};

struct Documento {
    std::int64_t id = 0;
    TenantId tenant_id;
    Identidade identidade;
    std::optional<std::string> idempotencia_key;  // the header of the first POST that had one
    Estado estado = Estado::reservado;
    std::int64_t versao = 1;
    std::string marca;  // who wrote the row last

    std::optional<std::string> xml_sha256;  // the bytes that were sent last, or will be
    std::optional<std::string> chave_acesso;
    std::optional<std::string> pista;  // what the adapter wants to be told at its next question
    std::optional<std::string> protocolo;
    std::optional<std::string> autorizado_sha256;  // what the authority gave back
    std::optional<std::string> justificativa;      // of the cancellation
    std::optional<std::string> pedido_sha256;      // its signed request
    std::optional<std::string> protocolo_cancelamento;
    std::optional<std::string> evento_sha256;  // its registration

    std::string mensagens = "[]";   // what the authority said last, JSON
    std::int64_t tentativas = 0;    // how often it was sent
    std::int64_t conciliacoes = 0;  // how often a worker asked since something new was learnt
    std::optional<Instant>
        enviado_ate;  // until then a call that changes something may be under way
    std::optional<Instant>
        conciliar_em;                   // when a worker looks at it; nullopt: nothing is to be done
    std::optional<std::string> alerta;  // what a person has to look at
    std::optional<std::string> prazo_inutilizacao;  // "2026-02-10"
    std::optional<Instant> reservado_em;
    std::optional<Instant> autorizado_em;
    std::optional<Instant> cancelado_em;
    Instant created_at{};
    Instant updated_at{};
    std::optional<std::int64_t> substituto_id = {};  // the document that took its place
};

// Until when a document that another one took the place of can be cancelled by substitution.
std::optional<Instant> prazo_substituicao(const Documento& documento);

// [{"codigo","descricao"}]
std::string to_json(const std::vector<Mensagem>& mensagens);

// As documents tell it; what is absent is null.
std::string to_json(const Documento& documento);

}  // namespace umavez::fiscal
