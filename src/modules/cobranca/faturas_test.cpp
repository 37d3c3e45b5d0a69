// Invoices through the protocol and the engine: one for each month, and when they can be cancelled.

#include "modules/cobranca/test_office.hpp"

#include <gmock/gmock.h>

namespace umavez::cobranca {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Faturas, AnInvoiceKeepsTheAmountOfItsDay)
{
    Office office;
    office.post("/api/v1/assinaturas", "k", Office::ouro);

    const Answer made = office.post("/api/v1/faturas", "f", Office::january);
    office.patch("/api/v1/assinaturas/1", "a", R"({"valor":400,"versao":1})");
    const Answer february =
        office.post("/api/v1/faturas", "g", R"({"assinatura_id":1,"competencia":"2026-02"})");
    const Answer shown = office.get("/api/v1/faturas/1");

    EXPECT_EQ(made.status, 201) << made;
    EXPECT_EQ(made.header("Location"), "/api/v1/faturas/1");
    EXPECT_EQ(shown.body, made.body);
    EXPECT_EQ(shown["assinatura_id"], "1");
    EXPECT_EQ(shown["competencia"], "2026-01");
    EXPECT_EQ(shown["valor"], "300.00");
    EXPECT_EQ(shown["valor_pago"], "0.00");
    EXPECT_EQ(shown["saldo"], "300.00");
    EXPECT_EQ(shown["estado"], "aberta");
    EXPECT_EQ(shown["versao"], "1");
    EXPECT_EQ(shown.header("ETag"), "\"1\"");
    EXPECT_EQ(february["valor"], "400.00") << february;
}

TEST(Faturas, AMonthHasOneInvoiceWhateverTheKey)
{
    Office office;
    office.open_invoice();
    office.post("/api/v1/assinaturas", "other", Office::ouro);

    const Answer second = office.post("/api/v1/faturas", "g", Office::january);
    const Answer other =
        office.post("/api/v1/faturas", "h", R"({"assinatura_id":2,"competencia":"2026-01"})");
    office.post("/api/v1/faturas/1/cancelar", "c", R"({"versao":1})");
    const Answer after = office.post("/api/v1/faturas", "g", Office::january);

    EXPECT_EQ(second.status, 409) << second;
    EXPECT_TRUE(second.is_problem("fatura-existente"));
    EXPECT_EQ(second["fatura_id"], "1");
    EXPECT_EQ(second["estado"], "aberta");
    EXPECT_EQ(other.status, 201) << other;
    EXPECT_TRUE(after.is_problem("fatura-existente")) << after;
    EXPECT_EQ(after["estado"], "cancelada");
    EXPECT_EQ(office.ask("SELECT count(*) FROM faturas"), "2");
}

TEST(Faturas, ASubscriptionThatIsCancelledOrUnknownGetsNone)
{
    Office office;
    office.post("/api/v1/assinaturas", "k", Office::ouro);
    office.patch("/api/v1/assinaturas/1", "s", R"({"estado":"suspensa","versao":1})");
    EXPECT_EQ(office.post("/api/v1/faturas", "f", Office::january).status, 201);
    office.patch("/api/v1/assinaturas/1", "c", R"({"estado":"cancelada","versao":2})");

    const Answer cancelled =
        office.post("/api/v1/faturas", "g", R"({"assinatura_id":1,"competencia":"2026-02"})");
    const Answer unknown =
        office.post("/api/v1/faturas", "h", R"({"assinatura_id":7,"competencia":"2026-02"})");

    EXPECT_EQ(cancelled.status, 409) << cancelled;
    EXPECT_TRUE(cancelled.is_problem("invalid-transition"));
    EXPECT_EQ(cancelled["estado"], "cancelada");
    EXPECT_EQ(unknown.status, 422) << unknown;
    EXPECT_THAT(unknown.body, HasSubstr(R"("field":"assinatura_id")"));
    EXPECT_THAT(unknown.body, HasSubstr("there is no subscription 7"));
    EXPECT_EQ(office.ask("SELECT count(*) FROM faturas"), "1");
}

TEST(Faturas, OnlyAnOpenInvoiceOfWhichNothingWasPaidIsCancelled)
{
    Office office;
    office.open_invoice();
    office.post("/api/v1/faturas", "f2", R"({"assinatura_id":1,"competencia":"2026-02"})");
    office.post("/api/v1/faturas", "f3", R"({"assinatura_id":1,"competencia":"2026-03"})");
    EXPECT_EQ(office.pay("p2", "1", 2).status, 201);
    EXPECT_EQ(office.pay("p3", "300", 3).status, 201);

    const Answer done = office.post("/api/v1/faturas/1/cancelar", "a", R"({"versao":1})");
    const Answer again = office.post("/api/v1/faturas/1/cancelar", "b", R"({"versao":2})");
    const Answer begun = office.post("/api/v1/faturas/2/cancelar", "c", R"({"versao":2})");
    const Answer paid = office.post("/api/v1/faturas/3/cancelar", "d", R"({"versao":2})");
    const Answer stale = office.post("/api/v1/faturas/2/cancelar", "e", R"({"versao":1})");
    const Answer header = office.send(
        "POST", "/api/v1/faturas/2/cancelar", "", {{"Idempotency-Key", "f"}, {"If-Match", "\"1\""}}
    );

    EXPECT_EQ(done.status, 200) << done;
    EXPECT_EQ(done["estado"], "cancelada");
    EXPECT_EQ(done["versao"], "2");
    for (const Answer& refused : {again, begun, paid}) {
        EXPECT_EQ(refused.status, 409) << refused;
        EXPECT_TRUE(refused.is_problem("invalid-transition"));
        EXPECT_EQ(refused["versao"], "2");
    }
    EXPECT_EQ(begun["valor_pago"], "1.00");
    EXPECT_EQ(begun["estado"], "aberta");
    EXPECT_TRUE(stale.is_problem("version-conflict")) << stale;
    EXPECT_EQ(header.status, 412) << header;
    EXPECT_EQ(office.post("/api/v1/faturas/9/cancelar", "g", R"({"versao":1})").status, 404);
    EXPECT_EQ(office.get("/api/v1/faturas/2")["estado"], "aberta");
}

TEST(Faturas, ListsAreFilteredAndPaged)
{
    Office office;
    office.open_invoice();
    office.post("/api/v1/assinaturas", "other", Office::ouro);
    office.post("/api/v1/faturas", "f2", R"({"assinatura_id":1,"competencia":"2026-02"})");
    office.post("/api/v1/faturas", "f3", R"({"assinatura_id":2,"competencia":"2026-02"})");
    office.pay("p", "300");

    const Answer one = office.get("/api/v1/faturas?assinatura_id=1");
    const Answer paid = office.get("/api/v1/faturas?assinatura_id=1&estado=paga");
    const Answer open = office.get("/api/v1/faturas?estado=aberta&limit=1");

    EXPECT_THAT(one.body, HasSubstr(R"("id":1,)"));
    EXPECT_THAT(one.body, HasSubstr(R"("id":2,)"));
    EXPECT_THAT(one.body, Not(HasSubstr(R"("id":3,)")));
    EXPECT_THAT(paid.body, HasSubstr(R"("id":1,)"));
    EXPECT_THAT(paid.body, Not(HasSubstr(R"("id":2,)")));
    EXPECT_THAT(open.body, HasSubstr(R"("id":2,)"));
    EXPECT_THAT(
        office.get("/api/v1/faturas?estado=aberta&cursor=" + open["proximo"]).body,
        HasSubstr(R"("id":3,)")
    );
    EXPECT_EQ(office.get("/api/v1/faturas?estado=ativa").status, 422);
    EXPECT_EQ(office.get("/api/v1/faturas?assinatura_id=0").status, 422);
}

}  // namespace
}  // namespace umavez::cobranca
