#include "modules/cobranca/events.hpp"

#include "messaging/outbox.hpp"

#include <utility>

namespace umavez::cobranca {

Result<void> append_event(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::string type,
    const Assinatura& assinatura
)
{
    const messaging::OutboxEvent event{
        .tenant_id = tenant_id,
        .aggregate = "assinatura/" + std::to_string(assinatura.id),
        .type = std::move(type),
        .data = to_json(assinatura),
    };
    return messaging::append_event(transaction, event);
}

Result<void> append_event(
    Transaction& transaction, const TenantId& tenant_id, std::string type, const Fatura& fatura
)
{
    const messaging::OutboxEvent event{
        .tenant_id = tenant_id,
        .aggregate = "fatura/" + std::to_string(fatura.id),
        .type = std::move(type),
        .data = to_json(fatura),
    };
    return messaging::append_event(transaction, event);
}

Result<void> append_payment_event(
    Transaction& transaction,
    const TenantId& tenant_id,
    const Pagamento& pagamento,
    const Fatura& fatura
)
{
    const messaging::OutboxEvent event{
        .tenant_id = tenant_id,
        .aggregate = "fatura/" + std::to_string(fatura.id),
        .type = "pagamento.aplicado",
        .data = to_json(pagamento, fatura),
    };
    return messaging::append_event(transaction, event);
}

}  // namespace umavez::cobranca
