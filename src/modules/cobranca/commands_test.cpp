// Commands as others use them, inside transactions of their own: a payment that a provider reports
// again and again, and states that arrive out of order.

#include "modules/cobranca/commands.hpp"

#include "modules/cobranca/test_office.hpp"

#include <gmock/gmock.h>

namespace umavez::cobranca {
namespace {

const TenantId tenant = access::default_tenant();

NovoPagamento reported(const char* valor, const char* referencia, std::int64_t fatura_id = 1)
{
    return {
        .fatura_id = fatura_id,
        .valor = *Money::parse(valor),
        .meio = "cartao",
        .origem = "stripe",
        .referencia = referencia,
    };
}

Result<PaymentOutcome> apply(
    Office& office, const NovoPagamento& novo, const TenantId& whose = tenant
)
{
    Result<PaymentOutcome> outcome = fail(Errc::store_unavailable, "not asked");
    const auto done = office.database->transact([&](Transaction& transaction) -> Result<void> {
        outcome = apply_payment(transaction, whose, novo);
        if (!outcome) return std::unexpected(outcome.error());
        return {};
    });
    if (!done) return std::unexpected(done.error());
    return outcome;
}

// "applied", "was there", or the reason of the refusal.
std::string told(const Result<PaymentOutcome>& outcome)
{
    if (!outcome) return "error: " + outcome.error().detail;
    if (const auto* const applied = std::get_if<PaymentApplied>(&*outcome)) {
        return applied->was_there ? "was there" : "applied";
    }
    return std::get<PaymentRefused>(*outcome).detail;
}

StateOutcome become(Office& office, EstadoAssinatura estado, std::int64_t at, std::int64_t id = 1)
{
    StateOutcome outcome = StateOutcome::refused;
    const auto done = office.database->transact([&](Transaction& transaction) -> Result<void> {
        const auto set = set_subscription_state(transaction, tenant, id, estado, from_micros(at));
        if (!set) return std::unexpected(set.error());
        outcome = *set;
        return {};
    });
    EXPECT_TRUE(done) << done.error().detail;
    return outcome;
}

TEST(ApplyPayment, AReportedPaymentIsSingleForEverEvenAfterItPaidTheInvoice)
{
    Office office;
    office.open_invoice();

    EXPECT_EQ(told(apply(office, reported("100", "pay_1"))), "applied");
    EXPECT_EQ(told(apply(office, reported("100", "pay_1"))), "was there");
    EXPECT_EQ(told(apply(office, reported("200", "pay_2"))), "applied");
    const std::string events = office.events();
    const auto again = apply(office, reported("200", "pay_2"));

    EXPECT_EQ(told(again), "was there");
    EXPECT_EQ(std::get<PaymentApplied>(*again).pagamento.referencia, "pay_2");
    EXPECT_EQ(std::get<PaymentApplied>(*again).fatura.estado, EstadoFatura::paga);
    EXPECT_EQ(office.events(), events);
    EXPECT_EQ(office.ask("SELECT count(*) FROM pagamentos"), "2");
    EXPECT_EQ(office.ask("SELECT count(*) FROM concessoes"), "1");
    const Answer shown = office.get("/api/v1/pagamentos/1");
    EXPECT_EQ(shown["origem"], "stripe");
    EXPECT_EQ(shown["referencia"], "pay_1");
}

TEST(ApplyPayment, AReferenceWithOtherContentIsRefused)
{
    Office office;
    office.open_invoice();
    office.post("/api/v1/faturas", "f2", R"({"assinatura_id":1,"competencia":"2026-02"})");
    apply(office, reported("100", "pay_1"));

    for (const NovoPagamento& other :
         {reported("99", "pay_1"), reported("100", "pay_1", 2), reported("100", "pay_1", 9)}) {
        const auto outcome = apply(office, other);
        ASSERT_TRUE(outcome) << outcome.error().detail;
        ASSERT_TRUE(std::holds_alternative<PaymentRefused>(*outcome)) << told(outcome);
        EXPECT_EQ(std::get<PaymentRefused>(*outcome).reason, PaymentRefusal::other_content);
    }
    NovoPagamento elsewhere = reported("100", "pay_1");
    elsewhere.origem = "pagarme";
    EXPECT_EQ(told(apply(office, elsewhere)), "applied");
    EXPECT_EQ(office.get("/api/v1/faturas/1")["valor_pago"], "200.00");
    EXPECT_EQ(office.get("/api/v1/faturas/2")["valor_pago"], "0.00");
}

TEST(ApplyPayment, ARefusalSaysWhy)
{
    Office office;
    office.open_invoice();
    office.post("/api/v1/faturas", "f2", R"({"assinatura_id":1,"competencia":"2026-02"})");
    office.post("/api/v1/faturas/2/cancelar", "c", R"({"versao":1})");

    EXPECT_EQ(told(apply(office, reported("1", "a", 9))), "there is no fatura 9");
    EXPECT_EQ(told(apply(office, reported("1", "a", 2))), "fatura 2 is cancelled");
    EXPECT_EQ(
        told(apply(office, reported("301", "a"))),
        "301.00 is more than the balance of fatura 1, 300.00"
    );
    EXPECT_EQ(
        told(apply(office, reported("1", "a"), *TenantId::parse("zeta"))), "there is no fatura 1"
    );
    apply(office, reported("300", "b"));
    EXPECT_EQ(told(apply(office, reported("1", "a"))), "fatura 1 is paid");
    EXPECT_EQ(office.ask("SELECT count(*) FROM pagamentos"), "1");
}

TEST(ApplyPayment, WhatNoPaymentCanBeIsAnErrorBeforeAnyStatement)
{
    Office office;
    office.open_invoice();
    NovoPagamento nameless = reported("1", "a");
    nameless.meio = "";
    NovoPagamento endless = reported("1", "a");
    endless.referencia = std::string(256, 'x');

    for (const NovoPagamento& wrong : {reported("0", "a"), nameless, endless}) {
        const auto outcome = apply(office, wrong);
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().code, Errc::invalid_argument);
        EXPECT_THAT(outcome.error().detail, ::testing::HasSubstr("a payment whose"));
    }
    // 255 letters of two bytes each are not too long.
    std::string letters;
    for (int i = 0; i < 255; ++i) letters += "ã";
    EXPECT_EQ(told(apply(office, reported("1", letters.c_str()))), "applied");
}

TEST(SetSubscriptionState, AnOlderEventDoesNotUndoANewerOne)
{
    Office office;
    office.post("/api/v1/assinaturas", "k", Office::ouro);

    EXPECT_EQ(become(office, EstadoAssinatura::suspensa, 2000), StateOutcome::applied);
    EXPECT_EQ(become(office, EstadoAssinatura::ativa, 1999), StateOutcome::stale);
    EXPECT_EQ(office.get("/api/v1/assinaturas/1")["estado"], "suspensa");
    EXPECT_EQ(become(office, EstadoAssinatura::ativa, 2000), StateOutcome::applied);
    EXPECT_EQ(office.get("/api/v1/assinaturas/1")["estado"], "ativa");
    EXPECT_EQ(office.get("/api/v1/assinaturas/1")["versao"], "3");
    EXPECT_EQ(
        office.events(),
        "assinatura.criada assinatura/1\n"
        "assinatura.alterada assinatura/1\n"
        "assinatura.alterada assinatura/1\n"
    );
}

TEST(SetSubscriptionState, WhatIsThereAlreadyOnlyMovesTheTimeOfTheNewestEvent)
{
    Office office;
    office.post("/api/v1/assinaturas", "k", Office::ouro);

    EXPECT_EQ(become(office, EstadoAssinatura::ativa, 5000), StateOutcome::applied);

    EXPECT_EQ(office.get("/api/v1/assinaturas/1")["versao"], "1");
    EXPECT_EQ(office.events(), "assinatura.criada assinatura/1\n");
    EXPECT_EQ(office.ask("SELECT ultimo_evento_em FROM assinaturas"), "5000");
    EXPECT_EQ(become(office, EstadoAssinatura::suspensa, 4999), StateOutcome::stale);
}

TEST(SetSubscriptionState, WhatIsOlderThanADecisionOverTheApiIsStale)
{
    Office office;
    office.post("/api/v1/assinaturas", "k", Office::ouro);
    const auto suspended =
        office.patch("/api/v1/assinaturas/1", "k2", R"({"estado":"suspensa","versao":1})");
    ASSERT_EQ(suspended.status, 200) << suspended.body;
    EXPECT_EQ(become(office, EstadoAssinatura::ativa, 2000), StateOutcome::stale);
    EXPECT_EQ(office.get("/api/v1/assinaturas/1")["estado"], "suspensa");
}

TEST(SetSubscriptionState, CancelledIsFinalAndNobodyIsUnknown)
{
    Office office;
    office.post("/api/v1/assinaturas", "k", Office::ouro);

    EXPECT_EQ(become(office, EstadoAssinatura::cancelada, 1000), StateOutcome::applied);
    EXPECT_EQ(become(office, EstadoAssinatura::ativa, 2000), StateOutcome::refused);
    EXPECT_EQ(become(office, EstadoAssinatura::cancelada, 2000), StateOutcome::applied);
    EXPECT_EQ(become(office, EstadoAssinatura::ativa, 3000, 7), StateOutcome::unknown_subscription);
    EXPECT_EQ(office.get("/api/v1/assinaturas/1")["estado"], "cancelada");
    EXPECT_EQ(office.get("/api/v1/assinaturas/1")["versao"], "2");
}

}  // namespace
}  // namespace umavez::cobranca
