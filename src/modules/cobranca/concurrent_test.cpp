// Many at once on one invoice: nothing is lost, nothing is counted twice.

#include "modules/cobranca/commands.hpp"
#include "modules/cobranca/test_office.hpp"

namespace umavez::cobranca {
namespace {

using modules::at_once;
using modules::until_answered;

TEST(Concurrent, OfFiftyPaymentsAsManyAsFitAreApplied)
{
    Office office;
    office.open_invoice();

    const auto answers = at_once(50, [&](std::size_t i) {
        return until_answered([&] { return office.pay("k" + std::to_string(i), "10.00"); });
    });

    int applied = 0;
    for (const Answer& answer : answers) {
        if (answer.status == 201) {
            ++applied;
        } else {
            EXPECT_TRUE(answer.is_problem("fatura-paga")) << answer;
        }
    }
    EXPECT_EQ(applied, 30);
    const Answer invoice = office.get("/api/v1/faturas/1");
    EXPECT_EQ(invoice["valor_pago"], "300.00");
    EXPECT_EQ(invoice["estado"], "paga");
    EXPECT_EQ(invoice["versao"], "31");
    EXPECT_EQ(office.ask("SELECT count(*) FROM pagamentos"), "30");
    EXPECT_EQ(office.ask("SELECT count(*) FROM concessoes"), "1");
    EXPECT_EQ(
        office.ask("SELECT count(*) FROM umavez_outbox WHERE type = 'pagamento.aplicado'"), "30"
    );
    EXPECT_EQ(office.ask("SELECT count(*) FROM umavez_outbox WHERE type = 'fatura.paga'"), "1");
}

TEST(Concurrent, FiftySendsOfOneKeyAreOnePayment)
{
    Office office;
    office.open_invoice();
    std::atomic<bool> is_unsure = false;

    const auto answers = at_once(50, [&](std::size_t) {
        return until_answered([&] { return office.pay("k", "10.00"); }, &is_unsure);
    });

    int first = 0;
    for (const Answer& answer : answers) {
        EXPECT_EQ(answer.status, 201) << answer;
        EXPECT_EQ(answer.body, answers.front().body);
        if (!answer.is_replay()) ++first;
    }
    EXPECT_TRUE(first == 1 || (first == 0 && is_unsure)) << first;
    EXPECT_EQ(office.get("/api/v1/faturas/1")["valor_pago"], "10.00");
    EXPECT_EQ(office.ask("SELECT count(*) FROM pagamentos"), "1");
}

TEST(Concurrent, OnePaymentReportedByManyAtOnceIsAppliedOnce)
{
    Office office;
    office.open_invoice();
    const NovoPagamento novo{
        .fatura_id = 1,
        .valor = *Money::parse("300"),
        .meio = "cartao",
        .origem = "stripe",
        .referencia = "pay_1",
    };

    const auto answers = at_once(16, [&](std::size_t) {
        Answer answer;
        const auto payment = [&](Transaction& transaction) -> Result<void> {
            const auto outcome = apply_payment(transaction, access::default_tenant(), novo);
            if (!outcome) return std::unexpected(outcome.error());
            const auto* const applied = std::get_if<PaymentApplied>(&*outcome);
            answer.status = applied == nullptr ? 409 : applied->was_there ? 200 : 201;
            return {};
        };
        const auto done = modules::transact_in_the_end(*office.database, payment);
        if (!done) answer = {500, {}, done.error().detail};
        return answer;
    });

    int applied = 0;
    for (const Answer& answer : answers) {
        EXPECT_LT(answer.status, 300) << answer;
        if (answer.status == 201) ++applied;
    }
    EXPECT_EQ(applied, 1);
    EXPECT_EQ(office.get("/api/v1/faturas/1")["valor_pago"], "300.00");
}

TEST(Concurrent, AMonthInvoicedByManyHasOneInvoice)
{
    Office office;
    office.post("/api/v1/assinaturas", "k", Office::ouro);

    const auto answers = at_once(16, [&](std::size_t i) {
        return until_answered([&] {
            return office.post("/api/v1/faturas", "f" + std::to_string(i), Office::january);
        });
    });

    int made = 0;
    for (const Answer& answer : answers) {
        if (answer.status == 201) {
            ++made;
        } else {
            EXPECT_TRUE(answer.is_problem("fatura-existente")) << answer;
            EXPECT_EQ(answer["fatura_id"], office.ask("SELECT id FROM faturas"));
        }
    }
    EXPECT_EQ(made, 1);
}

TEST(Concurrent, OfManyWhoSawTheSameVersionOneChangesIt)
{
    Office office;
    office.post("/api/v1/assinaturas", "k", Office::ouro);

    const auto answers = at_once(8, [&](std::size_t i) {
        return until_answered([&] {
            return office.patch(
                "/api/v1/assinaturas/1", "p" + std::to_string(i), R"({"valor":9,"versao":1})"
            );
        });
    });

    int changed = 0;
    for (const Answer& answer : answers) {
        if (answer.status == 200) {
            ++changed;
        } else {
            EXPECT_TRUE(answer.is_problem("version-conflict")) << answer;
        }
    }
    EXPECT_EQ(changed, 1);
    EXPECT_EQ(office.get("/api/v1/assinaturas/1")["versao"], "2");
}

TEST(Concurrent, APaymentAndACancellationDoNotBothHappen)
{
    Office office;
    office.open_invoice();

    const auto answers = at_once(2, [&](std::size_t i) {
        return until_answered([&] {
            return i == 0 ? office.pay("p", "10")
                          : office.post("/api/v1/faturas/1/cancelar", "c", R"({"versao":1})");
        });
    });

    const bool is_paid = answers[0].status == 201;
    const bool is_cancelled = answers[1].status == 200;
    EXPECT_NE(is_paid, is_cancelled) << answers[0] << answers[1];
    const Answer invoice = office.get("/api/v1/faturas/1");
    EXPECT_EQ(invoice["estado"], is_paid ? "aberta" : "cancelada");
    EXPECT_EQ(invoice["valor_pago"], is_paid ? "10.00" : "0.00");
}

}  // namespace
}  // namespace umavez::cobranca
