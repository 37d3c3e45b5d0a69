// What the outbox holds after each change: the right events in order, and none where nothing changed.

#include "modules/cobranca/commands.hpp"
#include "modules/cobranca/test_office.hpp"

namespace umavez::cobranca {
namespace {

TEST(Events, EveryChangeIsToldInOrder)
{
    Office office;
    office.open_invoice();
    office.patch("/api/v1/assinaturas/1", "a", R"({"valor":400,"versao":1})");
    office.post("/api/v1/faturas", "f2", R"({"assinatura_id":1,"competencia":"2026-02"})");
    office.post("/api/v1/faturas/2/cancelar", "c", R"({"versao":1})");
    office.pay("p1", "100");
    office.pay("p2", "200");

    EXPECT_EQ(
        office.events(),
        "assinatura.criada assinatura/1\n"
        "fatura.criada fatura/1\n"
        "assinatura.alterada assinatura/1\n"
        "fatura.criada fatura/2\n"
        "fatura.cancelada fatura/2\n"
        "pagamento.aplicado fatura/1\n"
        "pagamento.aplicado fatura/1\n"
        "fatura.paga fatura/1\n"
    );
}

TEST(Events, DataIsWhatTheApiShows)
{
    Office office;
    const Answer subscription = office.post("/api/v1/assinaturas", "k", Office::ouro);
    office.post("/api/v1/faturas", "f", Office::january);
    const Answer payment = office.pay("p", "300");
    const Answer invoice = office.get("/api/v1/faturas/1");

    const auto data = [&](const std::string& type) {
        return office.ask("SELECT data FROM umavez_outbox WHERE type = '" + type + "'") + "\n";
    };
    EXPECT_EQ(data("assinatura.criada"), subscription.body);
    EXPECT_EQ(data("pagamento.aplicado"), payment.body);
    EXPECT_EQ(data("fatura.paga"), invoice.body);
}

TEST(Events, ARefusalTellsNothing)
{
    Office office;
    office.open_invoice();
    office.pay("p", "300");
    const std::string before = office.events();

    EXPECT_EQ(office.pay("q", "1").status, 409);
    EXPECT_EQ(office.pay("r", "1", 9).status, 422);
    EXPECT_EQ(office.post("/api/v1/faturas", "s", Office::january).status, 409);
    EXPECT_EQ(office.post("/api/v1/faturas/1/cancelar", "t", R"({"versao":2})").status, 409);
    EXPECT_EQ(
        office.patch("/api/v1/assinaturas/1", "u", R"({"plano":"x","versao":7})").status, 409
    );

    EXPECT_EQ(office.events(), before);
}

TEST(Events, WhatIsRolledBackWasNeverTold)
{
    Office office;
    office.open_invoice();
    const std::string before = office.events();
    bool was_applied = false;

    const auto undone = office.database->transact([&](Transaction& transaction) -> Result<void> {
        const NovoPagamento novo{
            .fatura_id = 1, .valor = *Money::parse("300"), .meio = "pix", .origem = "teste"
        };
        const auto outcome = apply_payment(transaction, access::default_tenant(), novo);
        was_applied = outcome && std::holds_alternative<PaymentApplied>(*outcome);
        return fail(Errc::invalid_argument, "the caller changed its mind");
    });

    EXPECT_FALSE(undone);
    EXPECT_TRUE(was_applied);
    EXPECT_EQ(office.events(), before);
    EXPECT_EQ(office.ask("SELECT count(*) FROM pagamentos"), "0");
    EXPECT_EQ(office.ask("SELECT count(*) FROM concessoes"), "0");
    EXPECT_EQ(office.get("/api/v1/faturas/1")["valor_pago"], "0.00");
}

}  // namespace
}  // namespace umavez::cobranca
