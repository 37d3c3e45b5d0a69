// Subscriptions through the protocol and the engine: what is made, changed, refused and listed.

#include "modules/cobranca/test_office.hpp"

#include <gmock/gmock.h>

namespace umavez::cobranca {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Assinaturas, ASubscriptionBeginsActiveInItsFirstVersion)
{
    Office office;

    const Answer made = office.post("/api/v1/assinaturas", "k", Office::ouro);
    const Answer shown = office.get("/api/v1/assinaturas/1");

    EXPECT_EQ(made.status, 201) << made;
    EXPECT_EQ(made.header("Location"), "/api/v1/assinaturas/1");
    EXPECT_EQ(shown.status, 200) << shown;
    EXPECT_EQ(shown.body, made.body);
    for (const Answer& answer : {made, shown}) {
        EXPECT_EQ(answer["id"], "1");
        EXPECT_EQ(answer["cliente"], "joao@example.com");
        EXPECT_EQ(answer["plano"], "ouro");
        EXPECT_EQ(answer["valor"], "300.00");
        EXPECT_EQ(answer["ciclo"], "mensal");
        EXPECT_EQ(answer["estado"], "ativa");
        EXPECT_EQ(answer["versao"], "1");
        EXPECT_EQ(answer.header("ETag"), "\"1\"");
    }
}

TEST(Assinaturas, AChangeKeepsWhatItDoesNotName)
{
    Office office;
    office.post("/api/v1/assinaturas", "k", Office::ouro);

    const Answer plan =
        office.patch("/api/v1/assinaturas/1", "a", R"({"plano":"prata","versao":1})");
    const Answer amount = office.send(
        "PATCH",
        "/api/v1/assinaturas/1",
        R"({"valor":99.9})",
        {{"Idempotency-Key", "b"}, {"If-Match", "\"2\""}}
    );

    EXPECT_EQ(plan.status, 200) << plan;
    EXPECT_EQ(plan["plano"], "prata");
    EXPECT_EQ(plan["valor"], "300.00");
    EXPECT_EQ(plan.header("ETag"), "\"2\"");
    EXPECT_EQ(amount.status, 200) << amount;
    EXPECT_EQ(amount["plano"], "prata");
    EXPECT_EQ(amount["valor"], "99.90");
    EXPECT_EQ(amount["versao"], "3");
    EXPECT_EQ(office.get("/api/v1/assinaturas/1").body, amount.body);
}

TEST(Assinaturas, SuspendedAndActiveLeadToEachOtherAndCancelledIsFinal)
{
    Office office;
    office.post("/api/v1/assinaturas", "k", Office::ouro);
    const auto become = [&](const char* estado, int versao) {
        return office.patch(
            "/api/v1/assinaturas/1",
            std::string{estado} + std::to_string(versao),
            std::string{R"({"estado":")"} + estado + R"(","versao":)" + std::to_string(versao) + "}"
        );
    };

    EXPECT_EQ(become("suspensa", 1)["estado"], "suspensa");
    EXPECT_EQ(become("ativa", 2)["estado"], "ativa");
    EXPECT_EQ(become("cancelada", 3)["estado"], "cancelada");
    for (const char* const estado : {"ativa", "suspensa", "cancelada"}) {
        const Answer refused = become(estado, 4);
        EXPECT_EQ(refused.status, 409) << refused;
        EXPECT_TRUE(refused.is_problem("invalid-transition"));
        EXPECT_EQ(refused["estado"], "cancelada");
        EXPECT_EQ(refused["versao"], "4");
    }
    const Answer plan =
        office.patch("/api/v1/assinaturas/1", "p", R"({"plano":"prata","versao":4})");
    EXPECT_TRUE(plan.is_problem("invalid-transition")) << plan;
    EXPECT_EQ(office.get("/api/v1/assinaturas/1")["versao"], "4");
}

TEST(Assinaturas, WhoSawAnotherVersionIsToldTheCurrentOne)
{
    Office office;
    office.post("/api/v1/assinaturas", "k", Office::ouro);
    office.patch("/api/v1/assinaturas/1", "a", R"({"plano":"prata","versao":1})");
    const std::string path = "/api/v1/assinaturas/1";

    const Answer body = office.patch(path, "b", R"({"plano":"x","versao":1})");
    const Answer header = office.send(
        "PATCH", path, R"({"plano":"x"})", {{"Idempotency-Key", "c"}, {"If-Match", "\"1\""}}
    );
    const Answer neither = office.patch(path, "d", R"({"plano":"x"})");
    const Answer nobody = office.patch("/api/v1/assinaturas/9", "e", R"({"plano":"x","versao":1})");

    EXPECT_EQ(body.status, 409) << body;
    EXPECT_TRUE(body.is_problem("version-conflict"));
    EXPECT_EQ(body["versao"], "2");
    EXPECT_EQ(header.status, 412) << header;
    EXPECT_EQ(neither.status, 422) << neither;
    EXPECT_THAT(neither.body, HasSubstr(R"("field":"versao")"));
    EXPECT_EQ(nobody.status, 404) << nobody;
    EXPECT_EQ(office.get(path)["plano"], "prata");
}

TEST(Assinaturas, ListsAreFilteredAndPaged)
{
    Office office;
    for (const char* const cliente : {"ana", "bia", "ana", "ana"}) {
        office.post(
            "/api/v1/assinaturas",
            "k" + office.ask("SELECT count(*) FROM assinaturas"),
            std::string{R"({"cliente":")"} + cliente +
                R"(","plano":"ouro","valor":10,"ciclo":"anual"})"
        );
    }
    office.patch("/api/v1/assinaturas/3", "s", R"({"estado":"suspensa","versao":1})");

    const Answer first = office.get("/api/v1/assinaturas?cliente=ana&limit=2");
    const Answer second =
        office.get("/api/v1/assinaturas?cliente=ana&limit=2&cursor=" + first["proximo"]);
    const Answer both = office.get("/api/v1/assinaturas?cliente=ana&estado=suspensa");
    const Answer active = office.get("/api/v1/assinaturas?estado=ativa");

    EXPECT_THAT(first.body, HasSubstr(R"("id":1,)"));
    EXPECT_THAT(first.body, HasSubstr(R"("id":3,)"));
    EXPECT_THAT(first.header("Link"), HasSubstr("cliente=ana"));
    EXPECT_THAT(second.body, HasSubstr(R"("id":4,)"));
    EXPECT_EQ(second["proximo"], "null");
    EXPECT_THAT(both.body, HasSubstr(R"("id":3,)"));
    EXPECT_THAT(both.body, Not(HasSubstr(R"("id":1,)")));
    EXPECT_THAT(active.body, Not(HasSubstr(R"("id":3,)")));
    EXPECT_THAT(active.body, HasSubstr(R"("id":2,)"));
    EXPECT_EQ(office.get("/api/v1/assinaturas?estado=paga").status, 422);
    EXPECT_EQ(office.get("/api/v1/assinaturas/9").status, 404);
}

TEST(Assinaturas, TenantsDoNotSeeEachOther)
{
    Office office;
    const auto token = [&](const char* tenant) {
        access::TokenDraft draft{.tenant = *TenantId::parse(tenant), .role = access::Role::writer};
        return "Bearer " + office.tokens->create(draft)->text;
    };
    const Header acme{"Authorization", token("acme")};
    const Header zeta{"Authorization", token("zeta")};
    const Header key{"Idempotency-Key", "k"};
    office.send("POST", "/api/v1/assinaturas", Office::ouro, {acme, key});
    office.send("POST", "/api/v1/faturas", Office::january, {acme, key});

    const auto send = [&](const char* method, const char* path, std::string body) {
        return office.send(method, path, std::move(body), {zeta, key}).status;
    };
    EXPECT_EQ(send("GET", "/api/v1/assinaturas/1", ""), 404);
    EXPECT_EQ(send("PATCH", "/api/v1/assinaturas/1", R"({"plano":"x","versao":1})"), 404);
    EXPECT_EQ(send("POST", "/api/v1/faturas", Office::january), 422);
    EXPECT_EQ(send("GET", "/api/v1/faturas/1", ""), 404);
    EXPECT_EQ(send("POST", "/api/v1/faturas/1/cancelar", R"({"versao":1})"), 404);
    EXPECT_EQ(send("POST", "/api/v1/pagamentos", Office::payment("1")), 422);
    EXPECT_EQ(
        office.send("GET", "/api/v1/faturas", "", {zeta}).body, "{\"itens\":[],\"proximo\":null}\n"
    );
    EXPECT_EQ(
        office.send("POST", "/api/v1/pagamentos", Office::payment("1"), {acme, key}).status, 201
    );
}

}  // namespace
}  // namespace umavez::cobranca
