#pragma once

// What can be done to clients: actions that run inside the transaction of their record. They hold
// all they need by value and may run more than once. Thread-safe.

#include "key_protocol/protect.hpp"
#include "modules/parts/origin.hpp"
#include "modules/propostas/input.hpp"

#include <cstdint>
#include <optional>

namespace umavez::propostas {

// 201. A client that carries the key already is answered as a replay, although its record is gone.
key_protocol::AtomicAction criar_cliente(modules::Origin origin, NovoCliente novo);

// 200. `retention` is that of the row in idempotencia_operacoes; nullopt: for ever.
key_protocol::AtomicAction alterar_cliente(
    modules::Origin origin,
    std::int64_t id,
    ClienteChanges changes,
    std::optional<Duration> retention
);

}  // namespace umavez::propostas
