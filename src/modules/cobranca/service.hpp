#pragma once

// What a client of the API can do: actions that run inside the transaction of their record. They hold
// all they need by value and may run more than once. Thread-safe.

#include "key_protocol/protect.hpp"
#include "key_protocol/resource_problems.hpp"
#include "modules/cobranca/input.hpp"
#include "modules/parts/origin.hpp"

#include <cstdint>

namespace umavez::cobranca {

// 201 in ativa with versao 1.
key_protocol::AtomicAction criar_assinatura(modules::Origin origin, NovaAssinatura nova);

// 200 with the next version. Who has seen another version than `expected` is told so before anything
// else.
key_protocol::AtomicAction alterar_assinatura(
    modules::Origin origin,
    std::int64_t id,
    AssinaturaChanges changes,
    key_protocol::ExpectedVersion expected
);

// 201 in aberta, over the subscription's amount of now.
key_protocol::AtomicAction criar_fatura(modules::Origin origin, NovaFatura nova);

// 200 in cancelada.
key_protocol::AtomicAction cancelar_fatura(
    modules::Origin origin, std::int64_t id, key_protocol::ExpectedVersion expected
);

// 201 with the payment and its invoice.
key_protocol::AtomicAction aplicar_pagamento(modules::Origin origin, PagamentoBody body);

}  // namespace umavez::cobranca
