#pragma once

// Numbers that were given out and never used: what has to be voided, and until when.
//
// A number is unused while no authority has stored it: its document is RESERVADO, or REJEITADO, which a
// correction may still use. One that is in doubt is never in the list: voiding it could meet the document.
// Confined to the thread of the transaction.

#include "modules/fiscal/numbering/faixa.hpp"
#include "modules/parts/page.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <optional>
#include <string>

namespace umavez::fiscal {

struct UnusedNumber {
    std::int64_t id = 0;  // of the document
    std::optional<TenantId> tenant_id;
    Serie serie;
    std::int64_t numero = 0;
    std::string estado;
    std::optional<Instant> reservado_em;
    std::string prazo_inutilizacao;  // "2026-12-10": the last day
    bool vencido = false;            // that day is over
};

std::string to_json(const UnusedNumber& number);

struct UnusedFilter {
    std::optional<Tipo> tipo;
    std::optional<std::string> emitente;
    std::optional<std::string> until;  // deadlines up to this day; nullopt: those that are over
};

// In the order of their ids.
Result<modules::Listed<UnusedNumber>> list_unused(
    Transaction& transaction,
    const TenantId& tenant_id,
    const UnusedFilter& filter,
    const modules::Page& page
);

// Of all tenants or of one, the nearest deadline first; at most `limit`.
Result<std::vector<UnusedNumber>> nearest_deadlines(
    Transaction& transaction, const std::optional<TenantId>& tenant_id, std::int64_t limit
);

}  // namespace umavez::fiscal
