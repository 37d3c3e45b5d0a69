#include "modules/cobranca/provider_events/handlers.hpp"

#include "base/digest.hpp"
#include "base/shown.hpp"
#include "modules/cobranca/commands.hpp"
#include "modules/cobranca/provider_events/read_event.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

namespace umavez::cobranca {
namespace {

using webhook::Applied;
using webhook::Failed;
using webhook::Handled;
using webhook::Ignored;
using webhook::ReceivedEvent;
using webhook::Refused;
using webhook::Stale;

// What is not kept as final: an operator may put things right and drive the event again.
constexpr int refused_status = 409;

// By the provider and its payment, not by the event: several events report one payment. The middle dot is no
// visible ASCII, so no key that an API client sends is one of these.
Result<Key> key_of(const ReceivedEvent& event, const ReportedPayment& payment)
{
    std::string text = fmt::format("{}·{}", event.provider, payment.payment_id);
    constexpr std::size_t key_bytes_max = 255;
    if (text.size() > key_bytes_max)
        text = fmt::format("{}·{}", event.provider, to_hex(sha256(text)));
    return Key::parse(text);
}

Result<Request> request_of(const ReceivedEvent& event, const ReportedPayment& payment)
{
    auto key = key_of(event, payment);
    if (!key) return std::unexpected(key.error());
    const std::string said = fmt::format("{} {}", payment.fatura_id, payment.valor.text());
    return Request{
        .tenant_id = event.tenant_id,
        .operation = *Operation::parse("pagamentos.aplicar"),
        .key = *std::move(key),
        .target = make_target({"webhook", event.provider}),
        .fingerprint = fingerprint_bytes("text/plain", said),
    };
}

NovoPagamento to_novo(const ReceivedEvent& event, const ReportedPayment& payment)
{
    return {
        .fatura_id = payment.fatura_id,
        .valor = payment.valor,
        .meio = std::string{event.provider},
        .origem = std::string{event.provider},
        .referencia = payment.payment_id,
    };
}

// An invoice that is not there yet may come; the rest is for people.
Handled to_handled(const PaymentRefused& refused)
{
    if (refused.reason == PaymentRefusal::unknown_invoice) return Failed{refused.detail};
    return Refused{refused.detail};
}

Handled to_handled(const Outcome& outcome, const std::optional<PaymentRefused>& refused)
{
    if (refused) return to_handled(*refused);
    if (std::holds_alternative<Executed>(outcome) || std::holds_alternative<Replayed>(outcome)) {
        return Applied{};
    }
    if (std::holds_alternative<Mismatch>(outcome)) {
        return Refused{"this payment was reported before with another fatura or amount"};
    }
    return Failed{fmt::format("the payment is {}", to_text(outcome))};
}

Result<Handled> pay(
    Engine& engine,
    Transaction& transaction,
    const ReceivedEvent& event,
    const ReportedPayment& payment
)
{
    auto request = request_of(event, payment);
    if (!request) return Refused{request.error().detail};
    const NovoPagamento novo = to_novo(event, payment);
    std::optional<PaymentRefused> refused;
    const auto outcome = engine.atomically(
        transaction,
        *std::move(request),
        [&](Transaction& inner) -> Result<Response> {
            refused.reset();
            auto done = apply_payment(inner, event.tenant_id, novo);
            if (!done && done.error().code == Errc::invalid_argument) {
                refused = PaymentRefused{PaymentRefusal::other_content, done.error().detail, {}};
                return Response{.status = refused_status};
            }
            if (!done) return std::unexpected(done.error());
            if (auto* const no = std::get_if<PaymentRefused>(&*done)) {
                refused = std::move(*no);
                return Response{.status = refused_status};
            }
            const auto& applied = std::get<PaymentApplied>(*done);
            Response response{.status = 201, .body = to_json(applied.pagamento)};
            response.was_done = applied.was_there;
            return response;
        }
    );
    if (!outcome) return std::unexpected(outcome.error());
    return to_handled(*outcome, refused);
}

// What was applied stays: should one of them be refused, driving the event again finds the others there.
Result<Handled> pay_all(
    Engine& engine,
    Transaction& transaction,
    const ReceivedEvent& event,
    const ReportedPayments& payments
)
{
    Handled worst = Applied{};
    for (const ReportedPayment& payment : payments) {
        auto handled = pay(engine, transaction, event, payment);
        if (!handled) return handled;
        if (!std::holds_alternative<Applied>(*handled)) worst = *std::move(handled);
    }
    return worst;
}

Result<Handled> set_state(
    Transaction& transaction, const ReceivedEvent& event, const ReportedState& reported
)
{
    // It would make every later event stale.
    if (reported.occurred_at > transaction.now() + std::chrono::hours{24}) {
        return Refused{
            fmt::format("assinatura {}: the event is of the future", reported.assinatura_id)
        };
    }
    const auto done = set_subscription_state(
        transaction, event.tenant_id, reported.assinatura_id, reported.estado, reported.occurred_at
    );
    if (!done) return std::unexpected(done.error());
    switch (*done) {
        case StateOutcome::applied: return Applied{};
        case StateOutcome::stale: return Stale{"a later event was applied before"};
        case StateOutcome::unknown_subscription:
            return Failed{fmt::format("there is no assinatura {}", reported.assinatura_id)};
        case StateOutcome::refused:
            return Refused{
                fmt::format("assinatura {} is cancelled for good", reported.assinatura_id)
            };
    }
    return Applied{};
}

// What only reading can tell.
template <typename Read>
std::optional<Handled> unless_read(const Read& read)
{
    if (const auto* const foreign = std::get_if<NotOurs>(&read)) return Ignored{foreign->why};
    if (const auto* const unreadable = std::get_if<Unreadable>(&read))
        return Refused{unreadable->why};
    return std::nullopt;
}

}  // namespace

void add_event_handlers(webhook::EventHandlers& handlers, Engine& engine)
{
    for (const PaymentShape& shape : payment_shapes()) {
        handlers.add(
            std::string{shape.scheme},
            std::string{shape.type},
            [&shape,
             &engine](Transaction& transaction, const ReceivedEvent& event) -> Result<Handled> {
                const auto read = read_payments(shape, Content{event.content});
                if (auto handled = unless_read(read)) return *std::move(handled);
                return pay_all(engine, transaction, event, std::get<ReportedPayments>(read));
            }
        );
    }
    for (const SubscriptionShape& shape : subscription_shapes()) {
        handlers.add(
            std::string{shape.scheme},
            std::string{shape.type},
            [&shape](Transaction& transaction, const ReceivedEvent& event) -> Result<Handled> {
                const auto read = read_state(shape, Content{event.content});
                if (auto handled = unless_read(read)) return *std::move(handled);
                return set_state(transaction, event, std::get<ReportedState>(read));
            }
        );
    }
}

}  // namespace umavez::cobranca
