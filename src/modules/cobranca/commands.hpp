#pragma once

// What others do to invoices and subscriptions inside a transaction of their own: the routes of this
// module, and whoever hears of payments in another way.
//
// A command changes its rows and appends its events, or changes nothing: a refusal is a value and
// leaves the transaction usable. An error means that the transaction must be given up. Nothing here
// deduplicates by key, that is the engine's; a payment with a reference is single by itself.
// Confined to the thread of the transaction.

#include "base/money.hpp"
#include "modules/cobranca/entities.hpp"
#include "modules/cobranca/payment_rules.hpp"

#include <umavez/names.hpp>
#include <umavez/transaction.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace umavez::cobranca {

struct NovoPagamento {
    std::int64_t fatura_id = 0;
    Money valor;                                 // above zero
    std::string meio;                            // 1 to 50 characters
    std::string origem;                          // 1 to 100: "api", or the provider's name
    std::optional<std::string> referencia = {};  // 1 to 255: the provider's id of the payment
};

struct PaymentApplied {
    Pagamento pagamento;
    Fatura fatura;  // as it is now
    bool was_there =
        false;  // by its reference: an earlier transaction applied it, this one did nothing
};

struct PaymentRefused {
    PaymentRefusal reason = PaymentRefusal::unknown_invoice;
    std::string detail;            // for people: "fatura 7 is paid"
    std::optional<Fatura> fatura;  // nullopt: unknown_invoice
};

using PaymentOutcome = std::variant<PaymentApplied, PaymentRefused>;

// Holds the invoice's row, so payments of one invoice follow one another. One that pays the rest makes
// the invoice `paga` and its concession. Events: pagamento.aplicado, then fatura.paga if it is.
//
// invalid_argument, before any statement: an amount of zero, or a text that is empty or too long.
Result<PaymentOutcome> apply_payment(
    Transaction& transaction, const TenantId& tenant_id, const NovoPagamento& novo
);

enum class StateOutcome : std::uint8_t {
    applied,  // or it was in that state already; then only the event's time is noted
    stale,    // an event that happened later was applied before
    unknown_subscription,
    refused,  // it is cancelled, and that is final
};

// `occurred_at` is the provider's time of what it reports. Event: assinatura.alterada, if the state
// changed.
Result<StateOutcome> set_subscription_state(
    Transaction& transaction,
    const TenantId& tenant_id,
    std::int64_t assinatura_id,
    EstadoAssinatura estado,
    Instant occurred_at
);

}  // namespace umavez::cobranca
