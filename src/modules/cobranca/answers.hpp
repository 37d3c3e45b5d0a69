#pragma once

// Answers that speak of subscriptions, invoices and payments, and the problems only this module
// knows. Pure, thread-safe.

#include "http/problem.hpp"
#include "http/problem_catalogue.hpp"
#include "modules/cobranca/commands.hpp"
#include "modules/cobranca/entities.hpp"
#include "modules/parts/answers.hpp"

#include <umavez/response.hpp>

#include <cstdint>
#include <vector>

namespace umavez::cobranca {

using modules::Answered;
using modules::not_found;
using modules::refused;

// The entity as JSON: 201 with its Location, 200; with its version as ETag where it has one.
Response to_response(int status, const Assinatura& assinatura);
Response to_response(int status, const Fatura& fatura);
Response to_response(int status, const Pagamento& pagamento);
Response to_response(int status, const Concessao& concessao);

// The payment with its invoice.
Response to_response(int status, const PaymentApplied& applied);

// A subscription that is cancelled changes no more, and gets no more invoices.
http::Problem subscription_is_final(const Assinatura& assinatura);
http::Problem no_invoice_for(const Assinatura& assinatura);

http::Problem unknown_assinatura(std::int64_t assinatura_id, http::Language language);
http::Problem invoice_exists(const Fatura& fatura);
http::Problem cannot_cancel(const Fatura& fatura);

http::Problem payment_refused(
    const PaymentRefused& refused, std::int64_t fatura_id, http::Language language
);

// fatura-existente, pagamento-excede-saldo, fatura-paga, fatura-cancelada
std::vector<http::ProblemKind> problem_kinds();

}  // namespace umavez::cobranca
