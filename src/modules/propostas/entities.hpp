#pragma once

// Clients, proposals and the steps of a proposal's history, and how each is written as JSON. Plain
// values.

#include "base/money.hpp"
#include "modules/propostas/estado.hpp"

#include <umavez/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace umavez::propostas {

struct Cliente {
    std::int64_t id = 0;
    std::string nome;
    std::string email;
    std::optional<std::string> documento;
    std::optional<std::string> idempotencia_key;  // of the request that created it
    Instant created_at{};
    Instant updated_at{};
};

struct Proposta {
    std::int64_t id = 0;
    std::int64_t cliente_id = 0;
    Money valor;
    Estado estado = Estado::rascunho;
    std::int64_t versao = 1;
    std::optional<std::string> idempotencia_key;  // of the request that created it
    Instant created_at{};
    Instant updated_at{};
};

// How a proposal came to a version.
struct HistoricoStep {
    std::int64_t versao = 1;
    std::string operacao;                   // "criar", "submeter" …
    std::optional<Estado> estado_anterior;  // nullopt: created
    Estado estado = Estado::rascunho;
    Money valor;
    std::optional<std::string> usuario;
    Instant created_at{};
};

// `valor` is a number with two decimals; what is absent is null.
std::string to_json(const Cliente& cliente);
std::string to_json(const Proposta& proposta);
std::string to_json(const HistoricoStep& step);

}  // namespace umavez::propostas
