// What a payment does to an invoice, as a table.

#include "modules/cobranca/payment_rules.hpp"

#include <gtest/gtest.h>

namespace umavez::cobranca {
namespace {

Money money(const char* text)
{
    return *Money::parse(text);
}

Fatura invoice(EstadoFatura estado, const char* paid)
{
    return {
        .id = 1,
        .assinatura_id = 1,
        .competencia = "2026-01",
        .valor = money("300"),
        .valor_pago = money(paid),
        .estado = estado,
        .versao = 4,
    };
}

TEST(PaymentRules, OnlyAnOpenInvoiceTakesAPaymentAndNoMoreThanItsBalance)
{
    struct Case {
        EstadoFatura estado;
        const char* paid;
        const char* valor;
        std::optional<PaymentRefusal> expected;
    };
    const Case cases[] = {
        {EstadoFatura::aberta, "0", "0.01", std::nullopt},
        {EstadoFatura::aberta, "0", "300", std::nullopt},
        {EstadoFatura::aberta, "0", "300.01", PaymentRefusal::exceeds_balance},
        {EstadoFatura::aberta, "299.99", "0.01", std::nullopt},
        {EstadoFatura::aberta, "299.99", "0.02", PaymentRefusal::exceeds_balance},
        {EstadoFatura::paga, "300", "0.01", PaymentRefusal::already_paid},
        {EstadoFatura::cancelada, "0", "0.01", PaymentRefusal::cancelled},
        {EstadoFatura::cancelada, "0", "900", PaymentRefusal::cancelled},
    };

    for (const Case& each : cases) {
        EXPECT_EQ(
            why_not_payable(invoice(each.estado, each.paid), money(each.valor)), each.expected
        ) << to_text(each.estado)
          << " " << each.paid << " + " << each.valor;
    }
}

TEST(PaymentRules, ThePaymentThatLeavesNothingPaysTheInvoice)
{
    const Instant now = from_micros(1'000'000);

    const Fatura part = with_payment(invoice(EstadoFatura::aberta, "100"), money("199.99"), now);
    const Fatura all = with_payment(part, money("0.01"), now);

    EXPECT_EQ(part.estado, EstadoFatura::aberta);
    EXPECT_EQ(part.valor_pago.text(), "299.99");
    EXPECT_EQ(saldo_of(part).text(), "0.01");
    EXPECT_EQ(part.versao, 5);
    EXPECT_EQ(part.updated_at, now);
    EXPECT_EQ(all.estado, EstadoFatura::paga);
    EXPECT_EQ(saldo_of(all).text(), "0.00");
    EXPECT_EQ(all.versao, 6);
}

TEST(PaymentRules, AnInvoiceIsCancelledOnlyWhileNothingWasPaid)
{
    EXPECT_TRUE(may_cancel(invoice(EstadoFatura::aberta, "0")));
    EXPECT_FALSE(may_cancel(invoice(EstadoFatura::aberta, "0.01")));
    EXPECT_FALSE(may_cancel(invoice(EstadoFatura::paga, "300")));
    EXPECT_FALSE(may_cancel(invoice(EstadoFatura::cancelada, "0")));
}

}  // namespace
}  // namespace umavez::cobranca
