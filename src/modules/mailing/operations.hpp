#pragma once

// The operations of Mailing and how they behave under a key. A key is optional everywhere: orders are safe to
// repeat by themselves, and a retry under a key gets the mailing as it is now. Pure, thread-safe.

#include "modules/mailing/status.hpp"

#include <umavez/operation.hpp>

namespace umavez::mailing {

OperationSpec mailings_alterar();
OperationSpec mailings_order(Order order);  // "mailings.pausar"
OperationSpec supressoes_criar();
OperationSpec supressoes_remover();

}  // namespace umavez::mailing
