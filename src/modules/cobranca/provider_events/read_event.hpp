#pragma once

// From what a provider sent to what it means here. Pure, thread-safe.

#include "base/money.hpp"
#include "modules/cobranca/provider_events/content.hpp"
#include "modules/cobranca/provider_events/shapes.hpp"

#include <umavez/time.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace umavez::cobranca {

struct ReportedPayment {
    std::string payment_id;
    std::int64_t fatura_id = 0;
    Money valor;
};

// Several, where an order was paid in parts.
using ReportedPayments = std::vector<ReportedPayment>;

struct ReportedState {
    std::int64_t assinatura_id = 0;
    EstadoAssinatura estado = EstadoAssinatura::ativa;
    Instant occurred_at{};
};

// Not about us: it names no invoice or subscription of ours, or nothing was paid yet.
struct NotOurs {
    std::string why;
};
// About us, and not to be understood: somebody must look at it.
struct Unreadable {
    std::string why;
};

std::variant<ReportedPayments, NotOurs, Unreadable> read_payments(
    const PaymentShape& shape, const Content& content
);
std::variant<ReportedState, NotOurs, Unreadable> read_state(
    const SubscriptionShape& shape, const Content& content
);

}  // namespace umavez::cobranca
