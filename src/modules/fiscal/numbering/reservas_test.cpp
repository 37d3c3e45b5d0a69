#include "modules/fiscal/numbering/reserve.hpp"
#include "modules/fiscal/numbering/test_office.hpp"
#include "modules/fiscal/rules/void_deadline.hpp"

#include <gmock/gmock.h>

namespace umavez::fiscal {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

TEST(Reservas, TakeTheNextNumberForADocument)
{
    Office office;
    office.open({}, "k", 5305);

    const std::string deadline = to_text(void_deadline(system_clock().realtime()));
    const Answer made = office.reserve("r");
    // Another one, if a month ended meanwhile.
    const std::string later = to_text(void_deadline(system_clock().realtime()));

    ASSERT_EQ(made.status, 201) << made;
    EXPECT_EQ(made["numero"], "5306");
    EXPECT_EQ(made["estado"], "RESERVADO");
    EXPECT_EQ(made["serie"], "1");
    EXPECT_EQ(
        made["id_idempotencia"], "nfse-nacional:2:2111300_2_00574753000100_00001_000000000005306"
    );
    EXPECT_EQ(made["id_autoridade"], "DPS211130020057475300010000001000000000005306");
    EXPECT_THAT(made["prazo_inutilizacao"], AnyOf(deadline, later));
    EXPECT_EQ(made.header("Location"), "/api/v1/documentos-fiscais/" + made["id"]);
    EXPECT_EQ(office.get("/api/v1/numeracao/faixas/1")["ultimo_numero"], "5306");
}

TEST(Reservas, TheSameKeyHasTheSameNumber)
{
    Office office;
    office.open();

    const Answer first = office.reserve("r");
    const Answer again = office.reserve("r");

    EXPECT_EQ(again.body, first.body);
    EXPECT_TRUE(again.is_replay());
    EXPECT_EQ(office.get("/api/v1/numeracao/faixas/1")["ultimo_numero"], "1");
    EXPECT_TRUE(office.reserve({.serie = "2"}, "r").is_problem("idempotency-key-reused"));
}

TEST(Reservas, NeedAKeyAndARange)
{
    Office office;

    EXPECT_TRUE(office.reserve("r").is_problem("faixa-inexistente"));
    EXPECT_GE(
        office
            .send(
                "POST",
                "/api/v1/numeracao/reservas",
                fmt::format("{{{},{}}}", Office::series({}), Office::place({}))
            )
            .status,
        400
    );
    office.open();
    EXPECT_EQ(office.reserve("r")["numero"], "1");  // the refusal was not kept
}

TEST(Reservas, EndAtThePrintedWidth)
{
    Office office;
    const Office::Where nfe{.tipo = "nfe"};
    office.open(nfe, "k", 999'999'998);

    const Answer last = office.reserve(nfe, "r1");
    const Answer beyond = office.reserve(nfe, "r2");

    EXPECT_EQ(last["numero"], "999999999") << last;
    EXPECT_EQ(beyond.status, 422);
    EXPECT_TRUE(beyond.is_problem("numeracao-esgotada")) << beyond;
    EXPECT_EQ(office.ask("SELECT ultimo_numero FROM faixas_numeracao"), "999999999");
}

TEST(Reservas, SeriesTypesIssuersAndEnvironmentsAreIndependent)
{
    Office office;
    const std::vector<Office::Where> all{
        {},
        {.ambiente = "producao"},
        {.serie = "2"},
        {.emitente = Office::other_cnpj},
        {.tipo = "nfe"},
        {.tipo = "nfce"},
        {.tipo = "nfse-sp", .serie = "OL03"},
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(office.open(all[i], fmt::format("k{}", i)).status, 201) << i;
    }
    for (int round = 1; round <= 3; ++round) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Answer made = office.reserve(all[i], fmt::format("r{}-{}", round, i));
            EXPECT_EQ(made["numero"], std::to_string(round)) << made;
        }
    }
}

// A range that was restored from a copy says less than the documents know.
TEST(Reservas, ANumberIsNeverGivenOutTwice)
{
    Office office;
    office.open();
    for (int i = 0; i < 5; ++i) office.reserve(fmt::format("r{}", i));
    office.sql("UPDATE faixas_numeracao SET ultimo_numero = 2");

    const Answer refused = office.reserve("after");

    EXPECT_EQ(refused.status, 409);
    EXPECT_TRUE(refused.is_problem("numeracao-inconsistente")) << refused;
    EXPECT_EQ(refused["maior_numero"], "5");
    EXPECT_EQ(refused["ultimo_numero"], "2");
    EXPECT_EQ(office.ask("SELECT ultimo_numero FROM faixas_numeracao"), "2");
    EXPECT_EQ(office.ask("SELECT count(*) FROM documentos_fiscais"), "5");
    // In another town the natural key would be another one, but the number of the series is the same.
    EXPECT_TRUE(office.reserve({.municipio = "3550308"}, "b").is_problem("numeracao-inconsistente")
    );
}

TEST(Reservas, NamesOfSeriesAreData)
{
    Office office;
    for (const std::string& name : {std::string{"A\"B"}, std::string{"');--"}, std::string{"$1"}}) {
        const Office::Where where{.tipo = "nfse-sp", .serie = name};
        EXPECT_EQ(office.open(where, "k" + std::to_string(name.size())).status, 201) << name;
        const Answer made = office.reserve(where, "r" + std::to_string(name.size()));
        EXPECT_EQ(made["serie"], name) << made;
        EXPECT_EQ(made["numero"], "1");
    }
    for (const std::string& name :
         {std::string{"x'); DROP TABLE faixas_numeracao; --"},
          std::string{"x'); DROP"},
          std::string{"1' OR '1'='1"}}) {
        EXPECT_EQ(office.open({.serie = name}, "h").status, 422) << name;
        EXPECT_EQ(office.reserve({.tipo = "nfse-sp", .serie = name}, "h").status, 422) << name;
    }
    EXPECT_EQ(office.ask("SELECT count(*) FROM faixas_numeracao"), "3");
}

TEST(Unreserved, ANumberBeyondTheLastIsNotTaken)
{
    Office office;
    office.open({}, "k", 5);
    const auto check = [&](std::int64_t numero, const std::string& serie = "1") {
        std::string name = "none";
        const auto done = office.database->read([&](Transaction& transaction) -> Result<void> {
            const auto problem = check_unreserved(
                transaction,
                access::default_tenant(),
                {.emitente = Office::cnpj, .serie = serie, .numero = numero},
                NumberCheck::to_tell
            );
            if (!problem) return std::unexpected(problem.error());
            if (*problem) name = (*problem)->name;
            return {};
        });
        EXPECT_TRUE(done);
        return name;
    };

    EXPECT_EQ(check(5), "none");
    EXPECT_EQ(check(6), "numero-nao-reservado");
    // Given to a document of one town it is not free in another.
    ASSERT_EQ(office.reserve("r")["numero"], "6");
    EXPECT_EQ(check(6), "numero-nao-reservado");
    EXPECT_EQ(check(5), "none");
    EXPECT_EQ(check(6, "2"), "none");  // nobody numbers that series here
    office.patch("/api/v1/numeracao/faixas/1", "p", R"({"bloqueado":true,"versao":1})");
    EXPECT_EQ(check(5), "serie-bloqueada");
}

class UnusedNumbers : public testing::Test {
protected:
    UnusedNumbers()
    {
        office.open();
        for (const char* const key : {"a", "b", "c", "d"}) office.reserve(key);
        office.sql(
            "UPDATE documentos_fiscais SET prazo_inutilizacao = '2020-01-10' WHERE numero > 1"
        );
        office.sql("UPDATE documentos_fiscais SET estado = 'INDETERMINADO' WHERE numero = 3");
        office.sql("UPDATE documentos_fiscais SET estado = 'REJEITADO' WHERE numero = 4");
    }
    Office office;
};

TEST_F(UnusedNumbers, AreListedWhenTheirDeadlineIsOver)
{
    const Answer page = office.get("/api/v1/numeracao/inutilizaveis");

    EXPECT_EQ(page.status, 200);
    EXPECT_THAT(page.body, HasSubstr(R"("numero":2,"estado":"RESERVADO")"));
    EXPECT_THAT(page.body, HasSubstr(R"("numero":4,"estado":"REJEITADO")"));
    EXPECT_THAT(page.body, HasSubstr(R"("prazo_inutilizacao":"2020-01-10","vencido":true)"));
    EXPECT_THAT(page.body, Not(HasSubstr(R"("numero":1,)")));  // there is time
    EXPECT_THAT(page.body, Not(HasSubstr(R"("numero":3,)")));  // nobody knows
}

TEST_F(UnusedNumbers, AreListedUpToADay)
{
    const std::string deadline = to_text(void_deadline(system_clock().realtime()));

    const Answer all = office.get("/api/v1/numeracao/inutilizaveis?ate=" + deadline);
    const Answer none = office.get("/api/v1/numeracao/inutilizaveis?ate=2019-12-31");
    const Answer other = office.get("/api/v1/numeracao/inutilizaveis?tipo=nfe");

    EXPECT_THAT(all.body, HasSubstr(R"("numero":1,)"));
    EXPECT_THAT(all.body, HasSubstr(R"("vencido":false)"));
    EXPECT_THAT(none.body, HasSubstr(R"("itens":[])"));
    EXPECT_THAT(other.body, HasSubstr(R"("itens":[])"));
    EXPECT_EQ(office.get("/api/v1/numeracao/inutilizaveis?ate=amanha").status, 422);
}

}  // namespace
}  // namespace umavez::fiscal
