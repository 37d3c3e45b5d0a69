#include "modules/cobranca/subscription_change.hpp"

#include "modules/cobranca/assinaturas_table.hpp"
#include "modules/cobranca/commands.hpp"
#include "modules/cobranca/events.hpp"

#include <utility>

namespace umavez::cobranca {

Result<Assinatura> write_next_version(
    Transaction& transaction, const TenantId& tenant_id, Assinatura next
)
{
    ++next.versao;
    next.updated_at = transaction.now();
    if (const auto written = replace_assinatura(transaction, next); !written) {
        return std::unexpected(written.error());
    }
    const auto told = append_event(transaction, tenant_id, "assinatura.alterada", next);
    if (!told) return std::unexpected(told.error());
    return next;
}

Result<StateOutcome> set_subscription_state(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::int64_t assinatura_id,
    EstadoAssinatura estado,
    Instant occurred_at
)
{
    auto found = find_assinatura_locked(transaction, tenant_id, assinatura_id);
    if (!found) return std::unexpected(found.error());
    if (!*found) return StateOutcome::unknown_subscription;
    Assinatura next = **std::move(found);
    if (next.ultimo_evento_em && occurred_at < *next.ultimo_evento_em) return StateOutcome::stale;
    const bool is_there = next.estado == estado;
    if (!is_there && !may_become(next.estado, estado)) return StateOutcome::refused;
    next.ultimo_evento_em = occurred_at;
    if (is_there) {
        const auto noted = replace_assinatura(transaction, next);
        if (!noted) return std::unexpected(noted.error());
        return StateOutcome::applied;
    }
    next.estado = estado;
    const auto written = write_next_version(transaction, tenant_id, std::move(next));
    if (!written) return std::unexpected(written.error());
    return StateOutcome::applied;
}

}  // namespace umavez::cobranca
