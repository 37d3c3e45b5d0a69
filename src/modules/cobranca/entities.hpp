#pragma once

// Subscriptions, invoices, payments and what an invoice grants once it is paid, and how each is
// written as JSON. Plain values.

#include "base/money.hpp"
#include "modules/cobranca/estado.hpp"

#include <umavez/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace umavez::cobranca {

struct Assinatura {
    std::int64_t id = 0;
    std::string cliente;
    std::string plano;
    Money valor;
    Ciclo ciclo = Ciclo::mensal;
    EstadoAssinatura estado = EstadoAssinatura::ativa;
    std::int64_t versao = 1;
    std::optional<Instant> ultimo_evento_em;  // the provider's time of the newest event applied
    Instant created_at{};
    Instant updated_at{};
};

struct Fatura {
    std::int64_t id = 0;
    std::int64_t assinatura_id = 0;
    std::string competencia;  // "2026-01"
    Money valor;              // the subscription's, when the invoice was made
    Money valor_pago;
    EstadoFatura estado = EstadoFatura::aberta;
    std::int64_t versao = 1;
    Instant created_at{};
    Instant updated_at{};
};

struct Pagamento {
    std::int64_t id = 0;
    std::int64_t fatura_id = 0;
    Money valor;
    std::string meio;                       // "pix"
    std::string origem;                     // "api", or the provider that reported it
    std::optional<std::string> referencia;  // the provider's id of the payment
    Instant created_at{};
};

// Made once, when an invoice is paid.
struct Concessao {
    std::int64_t id = 0;
    std::int64_t fatura_id = 0;
    std::int64_t assinatura_id = 0;
    std::string competencia;
    Instant created_at{};
};

// What is still to be paid.
Money saldo_of(const Fatura& fatura);

// Amounts are numbers with two decimals; what is absent is null. `ultimo_evento_em` is not shown: it
// moves without the subscription changing.
std::string to_json(const Assinatura& assinatura);
std::string to_json(const Fatura& fatura);
std::string to_json(const Pagamento& pagamento);
std::string to_json(const Concessao& concessao);

// A payment with the invoice as it left it: {…, "fatura":{"id","estado","valor","valor_pago","saldo"}}
std::string to_json(const Pagamento& pagamento, const Fatura& fatura);

}  // namespace umavez::cobranca
