#include "modules/cobranca/provider_events/shapes.hpp"

#include <algorithm>

namespace umavez::cobranca {
namespace {

constexpr Places stripe_invoice = {"/data/object/metadata/fatura_id"};
constexpr Places stripe_subscription = {"/data/object/metadata/assinatura_id"};
constexpr Places own_payment = {"/data/pagamento_id", "/data/payment_id", "/data/id"};
constexpr Places own_invoice = {"/data/fatura_id", "/data/invoice_id"};
constexpr Places own_subscription = {"/data/assinatura_id", "/data/subscription_id"};
constexpr Places own_status = {"/data/estado", "/data/status"};
constexpr Places own_time = {"/timestamp", "/data/ocorrido_em", "/data/occurred_at"};

constexpr PaymentShape own_payment_shape(std::string_view scheme, std::string_view type)
{
    return {
        .scheme = scheme,
        .type = type,
        .payment = own_payment,
        .invoice = own_invoice,
        .amount = {"/data/valor", "/data/amount"},
        .unit = AmountUnit::reais,
        .currency = {"/data/moeda", "/data/currency"},
    };
}

constexpr PaymentShape asaas_payment(std::string_view type)
{
    return {
        .scheme = "asaas",
        .type = type,
        .payment = {"/payment/id"},
        .invoice = {"/payment/externalReference"},
        .amount = {"/payment/value"},
        .unit = AmountUnit::reais,
    };
}

constexpr SubscriptionShape own_subscription_shape(std::string_view scheme, std::string_view type)
{
    return {scheme, type, own_subscription, own_status, own_time};
}

constexpr SubscriptionShape stripe_subscription_shape(std::string_view type)
{
    return {"stripe", type, stripe_subscription, {"/data/object/status"}, {"/created"}};
}

constexpr std::array payments = {
    PaymentShape{
        .scheme = "stripe",
        .type = "payment_intent.succeeded",
        .payment = {"/data/object/id"},
        .invoice = stripe_invoice,
        .amount = {"/data/object/amount_received", "/data/object/amount"},
        .currency = {"/data/object/currency"},
    },
    PaymentShape{
        .scheme = "stripe",
        .type = "charge.succeeded",
        .payment = {"/data/object/payment_intent", "/data/object/id"},
        .invoice = stripe_invoice,
        .amount = {"/data/object/amount"},
        .currency = {"/data/object/currency"},
        // What was only authorised is charged too, and not paid.
        .status = {"/data/object/captured"},
        .paid = "true",
    },
    // Newer versions of the API have the payment in a list. An id of another kind would be another payment.
    PaymentShape{
        .scheme = "stripe",
        .type = "invoice.paid",
        .payment =
            {"/data/object/payment_intent", "/data/object/payments/data/0/payment/payment_intent"},
        .invoice = stripe_invoice,
        .amount = {"/data/object/amount_paid"},
        .currency = {"/data/object/currency"},
    },
    // Confirmed and received are two steps of one payment.
    asaas_payment("PAYMENT_CONFIRMED"),
    asaas_payment("PAYMENT_RECEIVED"),
    // As its API answers; what the notification itself says is not signed.
    PaymentShape{
        .scheme = "mercadopago",
        .type = "payment",
        .payment = {"/id"},
        .invoice = {"/external_reference", "/metadata/fatura_id"},
        .amount = {"/transaction_amount"},
        .unit = AmountUnit::reais,
        .currency = {"/currency_id"},
        .status = {"/status"},
        .paid = "approved",
    },
    // An order with its charges, of which some may have been declined, or a charge alone.
    PaymentShape{
        .scheme = "pagbank",
        .type = "PAID",
        .payment = {"*/id", "/id"},
        .invoice = {"/reference_id", "*/reference_id"},
        .amount = {"*/amount/value", "/amount/value"},
        .currency = {"*/amount/currency", "/amount/currency"},
        .status = {"*/status", "/status"},
        .paid = "PAID",
        .list = "/charges",
    },
    PaymentShape{
        .scheme = "pagarme",
        .type = "transaction_status_changed",
        .payment = {"/id"},
        .invoice = {"/transaction/metadata/fatura_id", "/transaction/reference_key"},
        .amount = {"/transaction/paid_amount", "/transaction/amount"},
        .status = {"/current_status"},
        .paid = "paid",
    },
    PaymentShape{
        .scheme = "square",
        .type = "payment.updated",
        .payment = {"/data/object/payment/id"},
        .invoice = {"/data/object/payment/reference_id"},
        .amount = {"/data/object/payment/amount_money/amount"},
        .currency = {"/data/object/payment/amount_money/currency"},
        .status = {"/data/object/payment/status"},
        .paid = "COMPLETED",
    },
    own_payment_shape("standard-webhooks", "pagamento.confirmado"),
    own_payment_shape("standard-webhooks", "payment.succeeded"),
    own_payment_shape("token", "pagamento.confirmado"),
    own_payment_shape("token", "payment.succeeded"),
    own_payment_shape("hmac", "pagamento.confirmado"),
    own_payment_shape("hmac", "payment.succeeded"),
};

constexpr std::array subscriptions = {
    stripe_subscription_shape("customer.subscription.created"),
    stripe_subscription_shape("customer.subscription.updated"),
    SubscriptionShape{
        "stripe",
        "customer.subscription.deleted",
        stripe_subscription,
        {},
        {"/created"},
        EstadoAssinatura::cancelada,
    },
    own_subscription_shape("standard-webhooks", "assinatura.alterada"),
    own_subscription_shape("standard-webhooks", "subscription.updated"),
    own_subscription_shape("token", "assinatura.alterada"),
    own_subscription_shape("hmac", "assinatura.alterada"),
};

struct StatusWord {
    std::string_view status;
    EstadoAssinatura estado;
};
constexpr std::array words = {
    StatusWord{"ativa", EstadoAssinatura::ativa},
    StatusWord{"active", EstadoAssinatura::ativa},
    StatusWord{"trialing", EstadoAssinatura::ativa},
    StatusWord{"suspensa", EstadoAssinatura::suspensa},
    StatusWord{"past_due", EstadoAssinatura::suspensa},
    StatusWord{"unpaid", EstadoAssinatura::suspensa},
    StatusWord{"paused", EstadoAssinatura::suspensa},
    StatusWord{"cancelada", EstadoAssinatura::cancelada},
    StatusWord{"canceled", EstadoAssinatura::cancelada},
    StatusWord{"incomplete_expired", EstadoAssinatura::cancelada},
};

}  // namespace

std::span<const PaymentShape> payment_shapes() noexcept
{
    return payments;
}

std::span<const SubscriptionShape> subscription_shapes() noexcept
{
    return subscriptions;
}

bool find_estado(std::string_view status, EstadoAssinatura& estado) noexcept
{
    const auto found = std::ranges::find(words, status, &StatusWord::status);
    if (found == words.end()) return false;
    estado = found->estado;
    return true;
}

}  // namespace umavez::cobranca
