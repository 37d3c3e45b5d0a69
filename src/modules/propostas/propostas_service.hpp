#pragma once

// What can be done to proposals: actions that run inside the transaction of their record. They hold
// all they need by value and may run more than once. Every change is a version, and a step of the
// history. Thread-safe.

#include "key_protocol/protect.hpp"
#include "key_protocol/resource_problems.hpp"
#include "modules/parts/origin.hpp"
#include "modules/propostas/estado.hpp"
#include "modules/propostas/input.hpp"

#include <cstdint>
#include <optional>

namespace umavez::propostas {

// 201 in rascunho with versao 1. A proposal that carries the key already is answered as a replay,
// although its record is gone.
key_protocol::AtomicAction criar_proposta(modules::Origin origin, NovaProposta nova);

// One step of a proposal, by somebody who has seen the version that is `expected`.
struct Step {
    std::int64_t proposta_id = 0;
    Passo passo = Passo::submeter;
    key_protocol::ExpectedVersion expected;
    std::optional<Money> valor;         // for alterar
    std::optional<Duration> retention;  // of the row in idempotencia_operacoes; nullopt: for ever
};

// 200 with the next version. Who has seen another version is told so before anything else.
key_protocol::AtomicAction dar_passo(modules::Origin origin, Step step);

// "submeter_proposta": the step's word in idempotencia_operacoes.
std::string tipo_operacao(Passo passo);

}  // namespace umavez::propostas
