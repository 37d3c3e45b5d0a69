#pragma once

// What a client can do with numbers: actions that run inside the transaction of their record. They hold all
// they need by value and may run more than once. Thread-safe.

#include "key_protocol/protect.hpp"
#include "key_protocol/resource_problems.hpp"
#include "modules/fiscal/numbering/input.hpp"
#include "modules/parts/origin.hpp"

#include <cstdint>

namespace umavez::fiscal {

// 201, not blocked.
key_protocol::AtomicAction criar_faixa(modules::Origin origin, NovaFaixa nova);

// 200 with the next version. `ultimo_numero` is only ever set to the largest number of a document of the
// series, and only upwards: that mends a range, and anything else would make one that lies.
key_protocol::AtomicAction alterar_faixa(
    modules::Origin origin,
    std::int64_t id,
    FaixaChanges changes,
    key_protocol::ExpectedVersion expected
);

// 201 with the document of the next number, in RESERVADO.
key_protocol::AtomicAction reservar_numero(modules::Origin origin, NovaReserva nova);

}  // namespace umavez::fiscal
