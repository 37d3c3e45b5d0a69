#pragma once

// Taking a number: the next of its series, bound for ever to the document that is made for it in the same
// transaction. Confined to the thread of the transaction.

#include "http/problem.hpp"
#include "modules/fiscal/entities.hpp"
#include "modules/fiscal/numbering/input.hpp"
#include "modules/fiscal/settings.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <expected>
#include <optional>

namespace umavez::fiscal {

// The document, in RESERVADO, or why there is no number: no range, blocked, none left, or documents beyond
// the last number of the range. On a problem the caller undoes its transaction: a number may have been taken.
Result<std::expected<Documento, http::Problem>> reserve_number(
    Transaction& transaction, const TenantId& tenant_id, const NovaReserva& nova
);

// Why a document that has no row yet may not have its number: the series is numbered here, and has not come
// so far, is blocked, or gave the number to another document (in another town, say, where the natural key is
// another one). Nullopt: it may. Below the last number it may, too: those that were used before the series
// was numbered here may be sent again.
Result<std::optional<http::Problem>> check_unreserved(
    Transaction& transaction,
    const TenantId& tenant_id,
    const Identidade& identidade,
    NumberCheck why
);

}  // namespace umavez::fiscal
