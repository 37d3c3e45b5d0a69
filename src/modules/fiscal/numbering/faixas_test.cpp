#include "modules/fiscal/numbering/test_office.hpp"

#include <gmock/gmock.h>

namespace umavez::fiscal {
namespace {

using testing::HasSubstr;

TEST(Faixas, BeginWithoutANumberGivenOut)
{
    Office office;

    const Answer made = office.open();

    ASSERT_EQ(made.status, 201) << made;
    EXPECT_EQ(made["ultimo_numero"], "0");
    EXPECT_EQ(made["numero_max"], "999999999999999");
    EXPECT_EQ(made["bloqueado"], "false");
    EXPECT_EQ(made["versao"], "1");
    EXPECT_EQ(made.header("Location"), "/api/v1/numeracao/faixas/1");
    EXPECT_EQ(office.get("/api/v1/numeracao/faixas/1").body, made.body);
    EXPECT_TRUE(office.open().is_replay());
}

TEST(Faixas, OneSeriesHasOneRange)
{
    Office office;
    office.open();

    const Answer second = office.open({.serie = "001"}, "another-key");

    EXPECT_TRUE(second.is_problem("faixa-existente")) << second;
    EXPECT_EQ(second["faixa_id"], "1");
    office.reserve("r");  // also when its numbers are in use
    EXPECT_TRUE(office.open({}, "third-key").is_problem("faixa-existente"));
    EXPECT_EQ(office.ask("SELECT count(*) FROM faixas_numeracao"), "1");
}

TEST(Faixas, AreListedByIssuerAndType)
{
    Office office;
    office.open();
    office.open({.emitente = Office::other_cnpj}, "k2");
    office.open({.tipo = "nfe"}, "k3");

    const auto count = [&](const std::string& query) {
        const Answer page = office.get("/api/v1/numeracao/faixas" + query);
        EXPECT_EQ(page.status, 200) << page;
        const auto tree = JsonTree::parse(page.body);
        return tree->root().find("itens")->elements().size();
    };
    EXPECT_EQ(count(""), 3u);
    EXPECT_EQ(count("?tipo=nfe"), 1u);
    EXPECT_EQ(count("?emitente=12ABC34501DE35"), 1u);
    EXPECT_EQ(count("?limit=2"), 2u);
    EXPECT_EQ(office.get("/api/v1/numeracao/faixas?tipo=nota").status, 422);
}

TEST(Faixas, OnlyWhoMayIssueHasNumbers)
{
    Office office;

    const Office::Where foreign{.emitente = "58716523000119"};
    EXPECT_TRUE(office.open(foreign, "k").is_problem("validation"));
    EXPECT_TRUE(office.reserve(foreign, "r").is_problem("validation"));
    EXPECT_EQ(office.ask("SELECT count(*) FROM faixas_numeracao"), "0");
}

TEST(Faixas, AreBlockedAndReleasedByThoseWhoSawThem)
{
    Office office;
    office.open();
    const std::string faixa = "/api/v1/numeracao/faixas/1";

    EXPECT_TRUE(
        office.patch(faixa, "p1", R"({"bloqueado":true,"versao":9})").is_problem("version-conflict")
    );
    const Answer blocked = office.patch(faixa, "p2", R"({"bloqueado":true,"versao":1})");
    ASSERT_EQ(blocked.status, 200) << blocked;
    EXPECT_EQ(blocked["bloqueado"], "true");
    EXPECT_EQ(blocked["versao"], "2");

    const Answer refused = office.reserve("r");
    EXPECT_EQ(refused.status, 409);
    EXPECT_TRUE(refused.is_problem("serie-bloqueada")) << refused;
    EXPECT_EQ(office.ask("SELECT count(*) FROM documentos_fiscais"), "0");

    office.patch(faixa, "p3", R"({"bloqueado":false,"versao":2})");
    // The refusal is not kept under the key: the same one gets the number now.
    const Answer reserved = office.reserve("r");
    EXPECT_EQ(reserved.status, 201) << reserved;
    EXPECT_EQ(reserved["numero"], "1");
    EXPECT_EQ(
        office.patch("/api/v1/numeracao/faixas/2", "p4", R"({"bloqueado":true,"versao":1})").status,
        404
    );
}

// A number that is given out is no change of the range: who saw version 1 may block it all the same.
TEST(Faixas, NumbersDoNotChangeTheVersion)
{
    Office office;
    office.open();
    office.reserve("r1");
    office.reserve("r2");

    const Answer blocked =
        office.patch("/api/v1/numeracao/faixas/1", "p", R"({"bloqueado":true,"versao":1})");

    EXPECT_EQ(blocked.status, 200) << blocked;
    EXPECT_EQ(blocked["ultimo_numero"], "2");
}

TEST(Faixas, TheLastNumberIsOnlyMended)
{
    Office office;
    office.open();
    for (const char* const key : {"a", "b", "c"}) office.reserve(key);
    const std::string faixa = "/api/v1/numeracao/faixas/1";
    const auto set = [&](const char* key, int numero) {
        return office.patch(
            faixa, key, fmt::format(R"({{"ultimo_numero":{},"versao":1}})", numero)
        );
    };

    EXPECT_THAT(set("p1", 2).body, HasSubstr("ultimo_numero"));  // back: would give 3 out twice
    EXPECT_EQ(set("p2", 2).status, 422);
    EXPECT_EQ(set("p3", 9).status, 422);  // ahead: would leave 4 to 9 out
    office.sql("UPDATE faixas_numeracao SET ultimo_numero = 1");
    EXPECT_EQ(set("p4", 2).status, 422);
    const Answer mended = set("p5", 3);
    EXPECT_EQ(mended.status, 200) << mended;
    EXPECT_EQ(mended["ultimo_numero"], "3");
    EXPECT_EQ(office.reserve("d")["numero"], "4");
}

TEST(Faixas, ARangeDoesNotBeginBelowItsDocuments)
{
    Office office;
    office.open({}, "k", 10);
    EXPECT_EQ(office.reserve("r")["numero"], "11");
    office.sql("DELETE FROM faixas_numeracao");

    EXPECT_EQ(office.open({}, "k2", 10).status, 422);
    EXPECT_EQ(office.open({}, "k3", 11).status, 201);
}

}  // namespace
}  // namespace umavez::fiscal
