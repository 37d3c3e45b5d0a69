// What a key promises here: it is required, its first answer stands byte for byte, and another payload
// under it is refused.

#include "modules/cobranca/test_office.hpp"

namespace umavez::cobranca {
namespace {

struct Write {
    const char* method;
    const char* path;
    std::string body;
    std::string other;  // another body, also valid
};

// Every write of the module, in an order in which each is allowed. The last one needs an invoice that
// nobody paid.
std::vector<Write> writes()
{
    return {
        {"POST",
         "/api/v1/assinaturas",
         Office::ouro,
         R"({"cliente":"bia","plano":"ouro","valor":300,"ciclo":"mensal"})"},
        {"PATCH",
         "/api/v1/assinaturas/1",
         R"({"plano":"prata","versao":1})",
         R"({"plano":"bronze","versao":1})"},
        {"POST",
         "/api/v1/faturas",
         Office::january,
         R"({"assinatura_id":1,"competencia":"2026-02"})"},
        {"POST", "/api/v1/pagamentos", Office::payment("10"), Office::payment("11")},
        {"POST", "/api/v1/faturas/2/cancelar", R"({"versao":1})", R"({"versao":2})"},
    };
}

Answer send(Office& office, const Write& write, const std::string& body)
{
    return office.send(write.method, write.path, body, {{"Idempotency-Key", "k"}});
}

void open_second_invoice(Office& office)
{
    office.post("/api/v1/faturas", "second", R"({"assinatura_id":1,"competencia":"2026-03"})");
}

TEST(Keys, EveryWriteNeedsOne)
{
    Office office;
    office.open_invoice();
    const std::string before = office.events();

    for (const Write& write : writes()) {
        const Answer refused = office.send(write.method, write.path, write.body);
        EXPECT_EQ(refused.status, 400) << write.path << " " << refused;
        EXPECT_TRUE(refused.is_problem("idempotency-key-missing"));
    }
    EXPECT_EQ(office.events(), before);
}

TEST(Keys, ARetryGetsTheFirstAnswerByteForByteAndNothingHappensAgain)
{
    Office office;
    std::vector<Answer> firsts;
    for (const Write& write : writes()) {
        firsts.push_back(send(office, write, write.body));
        EXPECT_LT(firsts.back().status, 300) << write.path << " " << firsts.back();
        if (write.path == std::string{"/api/v1/faturas"}) open_second_invoice(office);
    }
    const std::string events = office.events();
    // The entities have changed since: the subscription and the invoices have other versions now.
    EXPECT_EQ(office.pay("later", "5").status, 201);
    const std::string later = office.events();
    EXPECT_NE(later, events);

    const std::vector<Write> all = writes();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Answer retry = send(office, all[i], all[i].body);
        EXPECT_EQ(retry.status, firsts[i].status) << all[i].path << " " << retry;
        EXPECT_EQ(retry.body, firsts[i].body);
        EXPECT_TRUE(retry.is_replay());
        EXPECT_EQ(retry.header("Location"), firsts[i].header("Location"));
        EXPECT_EQ(retry.header("ETag"), firsts[i].header("ETag"));
    }
    EXPECT_EQ(office.events(), later);
    EXPECT_EQ(office.ask("SELECT count(*) FROM assinaturas"), "1");
    EXPECT_EQ(office.get("/api/v1/faturas/1")["valor_pago"], "15.00");
}

TEST(Keys, AnotherPayloadUnderAKeyIsRefused)
{
    Office office;
    for (const Write& write : writes()) {
        EXPECT_LT(send(office, write, write.body).status, 300);
        const Answer other = send(office, write, write.other);
        EXPECT_EQ(other.status, 409) << write.path << " " << other;
        EXPECT_TRUE(other.is_problem("idempotency-key-reused"));
        if (write.path == std::string{"/api/v1/faturas"}) open_second_invoice(office);
    }
    // The same amount in other digits is the same payload.
    EXPECT_TRUE(office.pay("k", "10.00").is_replay());
    EXPECT_EQ(office.ask("SELECT count(*) FROM pagamentos"), "1");
}

TEST(Keys, ARefusalThatCannotChangeIsKeptAndOthersAreNot)
{
    Office office;
    office.open_invoice();

    const Answer above = office.pay("a", "301");
    const Answer again = office.pay("a", "301");
    EXPECT_EQ(above.status, 422) << above;
    EXPECT_NE(above.header("Idempotency-Key-Expires"), "");
    EXPECT_EQ(again.body, above.body);
    EXPECT_TRUE(again.is_replay());
    EXPECT_EQ(office.pay("a", "300").status, 409);

    const Answer invalid = office.pay("b", "0");
    EXPECT_EQ(invalid.header("Idempotency-Key-Expires"), "");
    const Answer stale = office.post("/api/v1/faturas/1/cancelar", "b", R"({"versao":9})");
    EXPECT_EQ(stale.status, 409) << stale;
    EXPECT_EQ(office.pay("b", "1").status, 201);
    EXPECT_EQ(office.post("/api/v1/faturas/1/cancelar", "b", R"({"versao":2})").status, 409);
}

TEST(Keys, AnswersAreKeptForADay)
{
    Office office;
    office.open_invoice();
    office.pay("p", "1");

    EXPECT_EQ(
        office.ask("SELECT count(*) FROM umavez_records "
                   "WHERE expires_at - completed_at BETWEEN 86400000000 AND 86401000000"),
        "3"
    );
}

}  // namespace
}  // namespace umavez::cobranca
