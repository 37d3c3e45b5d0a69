// Clients through the protocol and the engine, on SQLite: each row of the table of operations.

#include "modules/propostas/test_office.hpp"

namespace umavez::propostas {
namespace {

TEST(Clientes, TheFirstRequestCreatesAndARetryShowsTheSameClient)
{
    Office office;

    const Answer first = office.post("/api/v1/clientes", "client-001", Office::joao);
    const Answer retry = office.post("/api/v1/clientes", "client-001", Office::joao);

    EXPECT_EQ(first.status, 201) << first;
    EXPECT_FALSE(first.is_replay());
    EXPECT_EQ(first.header("Location"), "/api/v1/clientes/1");
    EXPECT_EQ(retry.status, 200) << retry;
    EXPECT_TRUE(retry.is_replay());
    EXPECT_EQ(retry.body, first.body);
    for (const Answer& answer : {first, retry}) {
        EXPECT_EQ(answer["id"], "1");
        EXPECT_EQ(answer["nome"], "João Silva");
        EXPECT_EQ(answer["email"], "joao@example.com");
        EXPECT_EQ(answer["documento"], "123.456.789-00");
        EXPECT_EQ(answer["idempotencia_key"], "client-001");
    }
    EXPECT_EQ(office.ask("SELECT count(*) FROM clientes"), "1");
}

TEST(Clientes, ARetryWithOtherDataShowsTheClientAsItIsNow)
{
    Office office;
    office.post("/api/v1/clientes", "k", Office::joao);
    EXPECT_EQ(office.patch("/api/v1/clientes/1", "p", R"({"nome":"João S."})").status, 200);

    const Answer other =
        office.post("/api/v1/clientes", "k", R"({"nome":"Ana","email":"ana@example.com"})");
    const Answer invalid = office.post("/api/v1/clientes", "k", R"({"nome":7})");

    for (const Answer& answer : {other, invalid}) {
        EXPECT_EQ(answer.status, 200) << answer;
        EXPECT_TRUE(answer.is_replay());
        EXPECT_EQ(answer["nome"], "João S.");
        EXPECT_EQ(answer["email"], "joao@example.com");
    }
    EXPECT_EQ(office.ask("SELECT count(*) FROM clientes"), "1");
}

TEST(Clientes, WithoutAKeyThereIsNoProtectionAndTheKeyIsNull)
{
    Office office;

    const Answer first = office.send("POST", "/api/v1/clientes", Office::joao);
    const Answer second = office.send("POST", "/api/v1/clientes", Office::joao);

    EXPECT_EQ(first.status, 201) << first;
    EXPECT_EQ(first["idempotencia_key"], "null");
    EXPECT_EQ(first.header("Idempotency-Guarantee"), "none");
    EXPECT_EQ(second.status, 409) << second;
    EXPECT_TRUE(second.is_problem("email-existente"));
}

TEST(Clientes, AnEmailBelongsToOneClientOfATenantAndTheRefusalFreesTheKey)
{
    Office office;
    office.post("/api/v1/clientes", "a", Office::joao);

    const Answer taken = office.post("/api/v1/clientes", "b", Office::joao);
    const Answer corrected =
        office.post("/api/v1/clientes", "b", R"({"nome":"Ana","email":"ana@example.com"})");

    EXPECT_EQ(taken.status, 409) << taken;
    EXPECT_TRUE(taken.is_problem("email-existente"));
    EXPECT_EQ(corrected.status, 201) << corrected;
    const std::string ana = "/api/v1/clientes/" + corrected["id"];  // ids may have gaps
    const Answer moved = office.patch(ana, "c", R"({"email":"joao@example.com"})");
    EXPECT_TRUE(moved.is_problem("email-existente")) << moved;
    EXPECT_EQ(office.get(ana)["email"], "ana@example.com");
}

TEST(Clientes, ValidationNamesTheFieldsAndLeavesNoRecord)
{
    Office office;

    const Answer refused = office.post("/api/v1/clientes", "k", R"({"nome":"","email":"nobody"})");

    EXPECT_EQ(refused.status, 422) << refused;
    EXPECT_TRUE(refused.is_problem("validation"));
    EXPECT_EQ(office.ask("SELECT count(*) FROM umavez_records"), "0");
    EXPECT_EQ(office.post("/api/v1/clientes", "k", Office::joao).status, 201);
}

TEST(Clientes, AChangeIsDoneOnceAndAnotherPayloadUnderItsKeyIsRefused)
{
    Office office;
    office.post("/api/v1/clientes", "k", Office::joao);

    const Answer first =
        office.patch("/api/v1/clientes/1", "p", R"({"nome":"A","documento":null})");
    EXPECT_EQ(office.patch("/api/v1/clientes/1", "q", R"({"nome":"B"})").status, 200);
    const Answer retry =
        office.patch("/api/v1/clientes/1", "p", R"({"documento":null,"nome":"A"})");
    const Answer other = office.patch("/api/v1/clientes/1", "p", R"({"nome":"C"})");

    EXPECT_EQ(first.status, 200) << first;
    EXPECT_EQ(first["documento"], "null");
    EXPECT_TRUE(retry.is_replay()) << retry;
    EXPECT_EQ(retry["nome"], "B");
    EXPECT_EQ(other.status, 409) << other;
    EXPECT_TRUE(other.is_problem("idempotency-key-reused"));
    EXPECT_EQ(
        office.ask(
            "SELECT " + office.joining() + "(tipo_operacao || ' ' || entidade_id || ' ' || " +
            office.json_member("resultado", "nome") + ", ', ') FROM idempotencia_operacoes"
        ),
        "alterar_cliente 1 A, alterar_cliente 1 B"
    );
}

TEST(Clientes, WhereTheRecordIsGoneTheKeyInTheRowAnswersAndTheRecordIsBack)
{
    Office office;
    office.post("/api/v1/clientes", "k", Office::joao);
    office.sql("DELETE FROM umavez_records");

    const Answer found =
        office.post("/api/v1/clientes", "k", R"({"nome":"Ana","email":"ana@example.com"})");
    const Answer retry = office.post("/api/v1/clientes", "k", Office::joao);

    for (const Answer& answer : {found, retry}) {
        EXPECT_EQ(answer.status, 200) << answer;
        EXPECT_TRUE(answer.is_replay());
        EXPECT_EQ(answer["id"], "1");
        EXPECT_EQ(answer["nome"], "João Silva");
    }
    EXPECT_EQ(office.ask("SELECT count(*) FROM clientes"), "1");
    EXPECT_EQ(office.ask("SELECT count(*) FROM umavez_records"), "1");
}

TEST(Clientes, ADeletedClientIsNeitherShownNorCreatedAgain)
{
    Office office;
    office.post("/api/v1/clientes", "k", Office::joao);
    office.sql("DELETE FROM clientes");
    // Whoever comes next does not get the deleted one's id.
    const Answer next =
        office.post("/api/v1/clientes", "n", R"({"nome":"Ana","email":"ana@example.com"})");
    EXPECT_EQ(next["id"], "2") << next;

    const Answer retry = office.post("/api/v1/clientes", "k", Office::joao);

    EXPECT_EQ(retry.status, 410) << retry;
    EXPECT_TRUE(retry.is_problem("entity-deleted"));
    EXPECT_NE(retry.body.find(R"("operation":"clientes.criar")"), std::string::npos);
    EXPECT_NE(retry.body.find(R"("entity_id":1)"), std::string::npos);
    EXPECT_EQ(office.ask("SELECT count(*) FROM clientes"), "1");
}

TEST(Clientes, ListsArePagedAndFiltered)
{
    Office office;
    for (const char* const name : {"a", "b", "c"}) {
        const std::string email = std::string{name} + "@example.com";
        office.send("POST", "/api/v1/clientes", R"({"nome":"N","email":")" + email + "\"}");
    }

    const Answer first = office.get("/api/v1/clientes?limit=2");
    const Answer second = office.get("/api/v1/clientes?limit=2&cursor=" + first["proximo"]);
    const Answer one = office.get("/api/v1/clientes?email=b%40example.com");

    EXPECT_EQ(
        first.header("Link"),
        "</api/v1/clientes?limit=2&cursor=" + first["proximo"] + ">; rel=\"next\""
    );
    EXPECT_NE(first.body.find("b@example.com"), std::string::npos);
    EXPECT_EQ(first.body.find("c@example.com"), std::string::npos);
    EXPECT_NE(second.body.find("c@example.com"), std::string::npos);
    EXPECT_EQ(second["proximo"], "null");
    EXPECT_EQ(second.header("Link"), "");
    EXPECT_EQ(one.body.find("a@example.com"), std::string::npos);
    EXPECT_NE(one.body.find("b@example.com"), std::string::npos);
    EXPECT_EQ(office.get("/api/v1/clientes?cursor=mine").status, 422);
    EXPECT_EQ(office.get("/api/v1/clientes/4").status, 404);
    EXPECT_EQ(office.get("/api/v1/clientes/x").status, 404);
}

TEST(Clientes, TenantsDoNotSeeEachOther)
{
    Office office;
    const auto token = [&](const char* tenant) {
        access::TokenDraft draft{.tenant = *TenantId::parse(tenant), .role = access::Role::writer};
        return "Bearer " + office.tokens->create(draft)->text;
    };
    const Header acme{"Authorization", token("acme")};
    const Header zeta{"Authorization", token("zeta")};
    const Header key{"Idempotency-Key", "k"};

    const Answer first = office.send("POST", "/api/v1/clientes", Office::joao, {acme, key});
    const Answer other = office.send("POST", "/api/v1/clientes", Office::joao, {zeta, key});

    EXPECT_EQ(first.status, 201) << first;
    EXPECT_EQ(other.status, 201) << other;
    EXPECT_EQ(office.send("GET", "/api/v1/clientes/1", "", {zeta}).status, 404);
    EXPECT_EQ(office.send("PATCH", "/api/v1/clientes/1", R"({"nome":"X"})", {zeta}).status, 404);
    const Answer listed = office.send("GET", "/api/v1/clientes", "", {zeta});
    EXPECT_NE(listed.body.find(R"("id":2)"), std::string::npos) << listed;
    EXPECT_EQ(listed.body.find(R"("id":1,)"), std::string::npos) << listed;
    EXPECT_EQ(office.get("/api/v1/clientes/1").status, 401);
}

}  // namespace
}  // namespace umavez::propostas
