#pragma once

// What events of providers do to Cobrança: a payment that was made is applied to its invoice, the state of a
// subscription follows. Each in the transaction that ends the event's run.

#include "webhook/inbox/event_handlers.hpp"

#include <umavez/engine.hpp>

namespace umavez::cobranca {

// The engine outlives the handlers; `pagamentos.aplicar` is declared on it.
void add_event_handlers(webhook::EventHandlers& handlers, Engine& engine);

}  // namespace umavez::cobranca
