#pragma once

// The rows of clients. Functions run inside the caller's transaction; the tenant is part of every
// look-up. Confined to the thread of the transaction.

#include "modules/parts/page.hpp"
#include "modules/propostas/entities.hpp"
#include "modules/propostas/input.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <optional>
#include <string>
#include <vector>

namespace umavez::propostas {

// Nullopt: another row of the tenant has the key or the e-mail, and nothing was written.
Result<std::optional<Cliente>> insert_cliente(
    Transaction& transaction,
    const TenantId& tenant_id,
    const NovoCliente& novo,
    const std::optional<Key>& key
);

// False: another client has the e-mail, and nothing was written.
Result<bool> update_cliente(Transaction& transaction, const Cliente& cliente);

Result<std::optional<Cliente>> find_cliente(
    Transaction& transaction, const TenantId& tenant_id, std::int64_t id
);
Result<std::optional<Cliente>> find_cliente_by_key(
    Transaction& transaction, const TenantId& tenant_id, const Key& key
);

// Of whatever tenant: for an id that came out of a record, which was found inside its tenant.
Result<std::optional<Cliente>> find_cliente_of_record(Transaction& transaction, std::int64_t id);

// In the order of their ids; of one address where `email` is given.
Result<modules::Listed<Cliente>> list_clientes(
    Transaction& transaction,
    const TenantId& tenant_id,
    const std::optional<std::string>& email,
    const modules::Page& page
);

}  // namespace umavez::propostas
