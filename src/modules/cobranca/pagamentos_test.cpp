// Payments through the protocol and the engine: they add up, never above the balance, and the one
// that pays the rest grants once.

#include "modules/cobranca/test_office.hpp"

#include <gmock/gmock.h>

namespace umavez::cobranca {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Pagamentos, PartialPaymentsAddUpAndTheLastOnePaysTheInvoice)
{
    Office office;
    office.open_invoice();

    const Answer first = office.pay("p1", "100.50");
    EXPECT_EQ(office.ask("SELECT count(*) FROM concessoes"), "0");
    const Answer second = office.pay("p2", "199.50");

    EXPECT_EQ(first.status, 201) << first;
    EXPECT_EQ(first.header("Location"), "/api/v1/pagamentos/1");
    EXPECT_EQ(first["fatura_id"], "1");
    EXPECT_EQ(first["valor"], "100.50");
    EXPECT_EQ(first["meio"], "pix");
    EXPECT_EQ(first["origem"], "api");
    EXPECT_EQ(first["referencia"], "null");
    EXPECT_THAT(
        first.body,
        HasSubstr(
            R"("fatura":{"id":1,"estado":"aberta","valor":300.00,"valor_pago":100.50,"saldo":199.50}})"
        )
    );
    EXPECT_EQ(second.status, 201) << second;
    EXPECT_THAT(
        second.body,
        HasSubstr(
            R"("fatura":{"id":1,"estado":"paga","valor":300.00,"valor_pago":300.00,"saldo":0.00}})"
        )
    );
    const Answer invoice = office.get("/api/v1/faturas/1");
    EXPECT_EQ(invoice["estado"], "paga");
    EXPECT_EQ(invoice["valor_pago"], "300.00");
    EXPECT_EQ(invoice["versao"], "3");
    EXPECT_EQ(office.ask("SELECT count(*) FROM concessoes"), "1");
}

TEST(Pagamentos, WhatIsAboveTheBalanceIsRefusedWithTheBalance)
{
    Office office;
    office.open_invoice();
    office.pay("p1", "100");

    const Answer refused = office.pay("p2", "200.01");
    const Answer portuguese = office.send(
        "POST",
        "/api/v1/pagamentos",
        Office::payment("200.01"),
        {{"Idempotency-Key", "p3"}, {"Accept-Language", "pt-BR"}}
    );

    EXPECT_EQ(refused.status, 422) << refused;
    EXPECT_TRUE(refused.is_problem("pagamento-excede-saldo"));
    EXPECT_EQ(refused["saldo"], "200.00");
    EXPECT_EQ(refused["title"], "The payment is above the balance");
    EXPECT_EQ(refused["detail"], "the balance of invoice 1 is 200.00");
    EXPECT_EQ(portuguese["title"], "O pagamento excede o saldo");
    EXPECT_EQ(portuguese["detail"], "o saldo da fatura 1 é 200.00");
    EXPECT_EQ(office.get("/api/v1/faturas/1")["valor_pago"], "100.00");
    EXPECT_EQ(office.ask("SELECT count(*) FROM pagamentos"), "1");
}

TEST(Pagamentos, AnInvoiceThatIsPaidCancelledOrUnknownTakesNone)
{
    Office office;
    office.open_invoice();
    office.post("/api/v1/faturas", "f2", R"({"assinatura_id":1,"competencia":"2026-02"})");
    office.pay("p1", "300");
    office.post("/api/v1/faturas/2/cancelar", "c", R"({"versao":1})");

    const Answer paid = office.pay("p2", "1");
    const Answer cancelled = office.pay("p3", "1", 2);
    const Answer unknown = office.pay("p4", "1", 9);
    const Answer zero = office.pay("p5", "0.00");

    EXPECT_EQ(paid.status, 409) << paid;
    EXPECT_TRUE(paid.is_problem("fatura-paga"));
    EXPECT_EQ(cancelled.status, 409) << cancelled;
    EXPECT_TRUE(cancelled.is_problem("fatura-cancelada"));
    EXPECT_EQ(unknown.status, 422) << unknown;
    EXPECT_THAT(unknown.body, HasSubstr(R"("field":"fatura_id")"));
    EXPECT_THAT(unknown.body, HasSubstr("there is no invoice 9"));
    EXPECT_EQ(zero.status, 422) << zero;
    EXPECT_THAT(zero.body, HasSubstr(R"("field":"valor")"));
    EXPECT_EQ(office.ask("SELECT count(*) FROM pagamentos"), "1");
    EXPECT_EQ(office.ask("SELECT count(*) FROM concessoes"), "1");
}

TEST(Pagamentos, PaymentsAndConcessionsAreShownAndListed)
{
    Office office;
    office.open_invoice();
    office.post("/api/v1/faturas", "f2", R"({"assinatura_id":1,"competencia":"2026-02"})");
    office.pay("p1", "300");
    office.pay("p2", "10", 2);
    office.pay("p3", "290", 2);

    const Answer payment = office.get("/api/v1/pagamentos/2");
    const Answer of_second = office.get("/api/v1/pagamentos?fatura_id=2&limit=1");
    const Answer grant = office.get("/api/v1/concessoes/2");
    const Answer grants = office.get("/api/v1/concessoes?assinatura_id=1");
    const Answer of_first = office.get("/api/v1/concessoes?fatura_id=1");

    EXPECT_EQ(payment.status, 200) << payment;
    EXPECT_EQ(payment["valor"], "10.00");
    EXPECT_EQ(payment["fatura"], "absent");
    EXPECT_THAT(of_second.body, HasSubstr(R"("id":2,"fatura_id":2)"));
    EXPECT_THAT(
        office.get("/api/v1/pagamentos?fatura_id=2&cursor=" + of_second["proximo"]).body,
        HasSubstr(R"("id":3,"fatura_id":2)")
    );
    EXPECT_EQ(grant.status, 200) << grant;
    EXPECT_EQ(grant["fatura_id"], "2");
    EXPECT_EQ(grant["assinatura_id"], "1");
    EXPECT_EQ(grant["competencia"], "2026-02");
    EXPECT_THAT(grants.body, HasSubstr(R"("id":1,"fatura_id":1)"));
    EXPECT_THAT(grants.body, HasSubstr(R"("id":2,"fatura_id":2)"));
    EXPECT_THAT(of_first.body, Not(HasSubstr(R"("fatura_id":2)")));
    EXPECT_EQ(office.get("/api/v1/pagamentos/9").status, 404);
    EXPECT_EQ(office.get("/api/v1/concessoes/9").status, 404);
    EXPECT_EQ(
        office.get("/api/v1/concessoes?assinatura_id=5").body, "{\"itens\":[],\"proximo\":null}\n"
    );
}

}  // namespace
}  // namespace umavez::cobranca
