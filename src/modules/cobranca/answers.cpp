#include "modules/cobranca/answers.hpp"

#include "http/validation.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace umavez::cobranca {
namespace {

using modules::entity_response;

http::Problem wrong_field(std::string field, http::Text message, http::Language language)
{
    return http::validation_problem({{std::move(field), std::move(message)}}, language);
}

http::Problem invalid_transition(const Assinatura& assinatura, http::Text detail)
{
    return {
        .name = "invalid-transition",
        .detail = std::move(detail),
        .members =
            {http::text_member("estado", to_text(assinatura.estado)),
             http::number_member("versao", assinatura.versao)},
        .headers = {modules::etag(assinatura.versao)},
    };
}

// The invoice takes no payment, whatever its amount.
http::Problem closed_invoice(std::string name, const Fatura& fatura, http::Text detail)
{
    return {
        .name = std::move(name),
        .detail = std::move(detail),
        .members =
            {
                http::number_member("fatura_id", fatura.id),
                http::text_member("estado", to_text(fatura.estado)),
            },
    };
}

}  // namespace

Response to_response(int status, const Assinatura& assinatura)
{
    return entity_response(
        status, {"assinaturas", assinatura.id, assinatura.versao}, to_json(assinatura)
    );
}

Response to_response(int status, const Fatura& fatura)
{
    return entity_response(status, {"faturas", fatura.id, fatura.versao}, to_json(fatura));
}

Response to_response(int status, const Pagamento& pagamento)
{
    return entity_response(status, {"pagamentos", pagamento.id}, to_json(pagamento));
}

Response to_response(int status, const Concessao& concessao)
{
    return entity_response(status, {"concessoes", concessao.id}, to_json(concessao));
}

Response to_response(int status, const PaymentApplied& applied)
{
    return entity_response(
        status, {"pagamentos", applied.pagamento.id}, to_json(applied.pagamento, applied.fatura)
    );
}

http::Problem subscription_is_final(const Assinatura& assinatura)
{
    return invalid_transition(
        assinatura,
        {"a subscription that is cancelada does not change any more; create a new one",
         "uma assinatura cancelada não muda mais; crie outra"}
    );
}

http::Problem no_invoice_for(const Assinatura& assinatura)
{
    return invalid_transition(
        assinatura,
        {fmt::format("subscription {} is cancelada and gets no more invoices", assinatura.id),
         fmt::format("a assinatura {} está cancelada e não recebe mais faturas", assinatura.id)}
    );
}

http::Problem unknown_assinatura(std::int64_t assinatura_id, http::Language language)
{
    return wrong_field(
        "assinatura_id",
        {fmt::format("there is no subscription {}", assinatura_id),
         fmt::format("não há assinatura {}", assinatura_id)},
        language
    );
}

http::Problem invoice_exists(const Fatura& fatura)
{
    return {
        .name = "fatura-existente",
        .detail =
            {fmt::format(
                 "subscription {} has invoice {} for {}",
                 fatura.assinatura_id,
                 fatura.id,
                 fatura.competencia
             ),
             fmt::format(
                 "a assinatura {} já tem a fatura {} de {}",
                 fatura.assinatura_id,
                 fatura.id,
                 fatura.competencia
             )},
        .members =
            {
                http::number_member("fatura_id", fatura.id),
                http::text_member("estado", to_text(fatura.estado)),
            },
    };
}

http::Problem cannot_cancel(const Fatura& fatura)
{
    http::Text detail{
        fmt::format("an invoice that is {} cannot be cancelled", to_text(fatura.estado)),
        fmt::format("uma fatura {} não pode ser cancelada", to_text(fatura.estado)),
    };
    if (fatura.estado == EstadoFatura::aberta) {
        detail = {
            fmt::format("{} of this invoice was paid already", fatura.valor_pago.text()),
            fmt::format("{} desta fatura já foi pago", fatura.valor_pago.text()),
        };
    }
    return {
        .name = "invalid-transition",
        .detail = std::move(detail),
        .members =
            {http::text_member("estado", to_text(fatura.estado)),
             http::Member{"valor_pago", fatura.valor_pago.text()},
             http::number_member("versao", fatura.versao)},
        .headers = {modules::etag(fatura.versao)},
    };
}

http::Problem payment_refused(
    const PaymentRefused& refused, std::int64_t fatura_id, http::Language language
)
{
    // Every other reason comes with its invoice.
    if (!refused.fatura) {
        return wrong_field(
            "fatura_id",
            {fmt::format("there is no invoice {}", fatura_id),
             fmt::format("não há fatura {}", fatura_id)},
            language
        );
    }
    const Fatura& fatura = *refused.fatura;
    switch (refused.reason) {
        case PaymentRefusal::already_paid:
            return closed_invoice(
                "fatura-paga",
                fatura,
                {fmt::format("invoice {} is paid", fatura.id),
                 fmt::format("a fatura {} está paga", fatura.id)}
            );
        case PaymentRefusal::cancelled:
            return closed_invoice(
                "fatura-cancelada",
                fatura,
                {fmt::format("invoice {} is cancelled", fatura.id),
                 fmt::format("a fatura {} está cancelada", fatura.id)}
            );
        case PaymentRefusal::exceeds_balance: break;
        case PaymentRefusal::unknown_invoice:
        case PaymentRefusal::other_content:
            return wrong_field("fatura_id", {refused.detail, refused.detail}, language);
    }
    const std::string saldo = saldo_of(fatura).text();
    return {
        .name = "pagamento-excede-saldo",
        .detail =
            {fmt::format("the balance of invoice {} is {}", fatura.id, saldo),
             fmt::format("o saldo da fatura {} é {}", fatura.id, saldo)},
        .members = {http::Member{"saldo", saldo}},
    };
}

}  // namespace umavez::cobranca
