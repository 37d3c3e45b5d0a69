#pragma once

// Where each provider writes what we need to know of a payment or a subscription: data, not code. A new event
// type is one more row. Immutable.

#include "modules/cobranca/estado.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace umavez::cobranca {

enum class AmountUnit : std::uint8_t { centavos, reais };

// JSON pointers; the first that has something counts, an empty one names nothing. "*" at the beginning stands
// for the element of `list` that was paid.
using Places = std::array<std::string_view, 3>;

struct PaymentShape {
    std::string_view scheme;
    std::string_view type;
    Places payment;  // the provider's id of the *payment*, which several events may report
    Places invoice;  // our fatura_id, as the payment was created with
    Places amount;
    AmountUnit unit = AmountUnit::centavos;
    Places currency = {};  // BRL where it is there
    Places status = {};    // where given, only where it is `paid`
    std::string_view paid = {};
    std::string_view list = {};  // of several attempts to pay, of which one may have succeeded
};

struct SubscriptionShape {
    std::string_view scheme;
    std::string_view type;
    Places subscription;  // our assinatura_id
    Places status;        // empty: the type alone tells `estado`
    Places occurred_at;
    EstadoAssinatura estado = EstadoAssinatura::ativa;
};

std::span<const PaymentShape> payment_shapes() noexcept;
std::span<const SubscriptionShape> subscription_shapes() noexcept;

// What a provider's word for the state of a subscription means here. False: nothing we know.
bool find_estado(std::string_view status, EstadoAssinatura& estado) noexcept;

}  // namespace umavez::cobranca
