#pragma once

// What a payment does to an invoice, and when it may not. Pure, thread-safe.

#include "base/money.hpp"
#include "modules/cobranca/entities.hpp"

#include <cstdint>
#include <optional>

namespace umavez::cobranca {

enum class PaymentRefusal : std::uint8_t {
    unknown_invoice,
    exceeds_balance,
    already_paid,
    cancelled,
    other_content,  // its origin and reference belong to a payment of another invoice or amount
};

// Nullopt: the invoice takes it.
std::optional<PaymentRefusal> why_not_payable(const Fatura& fatura, Money valor) noexcept;

// The next version, with the payment; `paga` where nothing is left to pay. The invoice takes it.
Fatura with_payment(Fatura fatura, Money valor, Instant now);

// Only while it is open and nobody has paid anything.
bool may_cancel(const Fatura& fatura) noexcept;

}  // namespace umavez::cobranca
