#pragma once

// What the routes of destinations do, each in the transaction of its record. The actions are thread-safe.

#include "key_protocol/protect.hpp"
#include "messaging/deliveries_table.hpp"
#include "messaging/input.hpp"

#include <umavez/names.hpp>

#include <cstdint>

namespace umavez::messaging {

key_protocol::AtomicAction criar_destino(TenantId tenant_id, NovoDestino novo);
// Again and again: one that was removed stays so.
key_protocol::AtomicAction remover_destino(TenantId tenant_id, std::int64_t id);
key_protocol::AtomicAction girar_segredo(TenantId tenant_id, std::int64_t id);

key_protocol::ReadAction listar_destinos(TenantId tenant_id);
key_protocol::ReadAction mostrar_destino(TenantId tenant_id, std::int64_t id);
// Of one destination, also of one that was removed.
key_protocol::ReadAction listar_entregas(TenantId tenant_id, DeliveriesQuery query);

}  // namespace umavez::messaging
