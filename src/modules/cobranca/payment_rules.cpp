#include "modules/cobranca/payment_rules.hpp"

#include "base/assert.hpp"

namespace umavez::cobranca {

std::optional<PaymentRefusal> why_not_payable(const Fatura& fatura, Money valor) noexcept
{
    switch (fatura.estado) {
        case EstadoFatura::paga: return PaymentRefusal::already_paid;
        case EstadoFatura::cancelada: return PaymentRefusal::cancelled;
        case EstadoFatura::aberta: break;
    }
    if (valor > saldo_of(fatura)) return PaymentRefusal::exceeds_balance;
    return std::nullopt;
}

Fatura with_payment(Fatura fatura, Money valor, Instant now)
{
    UMAVEZ_ASSERT(!why_not_payable(fatura, valor));
    fatura.valor_pago = *Money::from_cents(fatura.valor_pago.cents() + valor.cents());
    if (fatura.valor_pago == fatura.valor) fatura.estado = EstadoFatura::paga;
    ++fatura.versao;
    fatura.updated_at = now;
    return fatura;
}

bool may_cancel(const Fatura& fatura) noexcept
{
    return fatura.estado == EstadoFatura::aberta && fatura.valor_pago.cents() == 0;
}

}  // namespace umavez::cobranca
