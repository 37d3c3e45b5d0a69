// Proposals through the protocol and the engine, on SQLite: each row of the table of operations.

#include "modules/propostas/test_office.hpp"

namespace umavez::propostas {
namespace {

TEST(Propostas, ARetryKeepsTheOriginalAmount)
{
    Office office;
    office.post("/api/v1/clientes", "client-001", Office::joao);

    const Answer first =
        office.post("/api/v1/propostas", "proposta-001", R"({"cliente_id":1,"valor":1500.00})");
    const Answer retry =
        office.post("/api/v1/propostas", "proposta-001", R"({"cliente_id":1,"valor":2000.00})");

    EXPECT_EQ(first.status, 201) << first;
    EXPECT_EQ(first.header("Location"), "/api/v1/propostas/1");
    EXPECT_EQ(retry.status, 200) << retry;
    EXPECT_TRUE(retry.is_replay());
    for (const Answer& answer : {first, retry}) {
        EXPECT_EQ(answer["id"], "1");
        EXPECT_EQ(answer["cliente_id"], "1");
        EXPECT_EQ(answer["valor"], "1500.00");
        EXPECT_EQ(answer["estado"], "rascunho");
        EXPECT_EQ(answer["versao"], "1");
        EXPECT_EQ(answer["idempotencia_key"], "proposta-001");
        EXPECT_EQ(answer.header("ETag"), "\"1\"");
    }
}

TEST(Propostas, AmountsAreExactOrRefused)
{
    Office office;
    office.post("/api/v1/clientes", "c", Office::joao);
    const auto create = [&](const std::string& valor) {
        return office.send(
            "POST", "/api/v1/propostas", R"({"cliente_id":1,"valor":)" + valor + "}"
        );
    };

    for (const char* const valor : {"1500", "1500.0", "1500.00", "1.5e3"}) {
        EXPECT_EQ(create(valor)["valor"], "1500.00") << valor;
    }
    EXPECT_EQ(create("0")["valor"], "0.00");
    EXPECT_EQ(create("99999999.99")["valor"], "99999999.99");
    for (const char* const valor : {"0.001", "100000000", "-0.01", "\"1500.00\"", "null", "true"}) {
        EXPECT_EQ(create(valor).status, 422) << valor;
    }
    EXPECT_EQ(create("1e400").status, 400);
}

TEST(Propostas, AProposalForNobodyIsRefusedByItsField)
{
    Office office;

    const Answer refused = office.post("/api/v1/propostas", "k", R"({"cliente_id":9,"valor":1})");

    EXPECT_EQ(refused.status, 422) << refused;
    EXPECT_NE(refused.body.find(R"("field":"cliente_id")"), std::string::npos);
    office.post("/api/v1/clientes", "c", Office::joao);
    EXPECT_EQ(office.post("/api/v1/propostas", "k", R"({"cliente_id":1,"valor":1})").status, 201);
}

TEST(Propostas, ASubmissionIsDoneOnceAndARetryShowsTheCurrentState)
{
    Office office;
    office.open_draft();
    const std::string path = "/api/v1/propostas/1/submeter";

    const Answer first = office.post(path, "submit-001", R"({"versao":1})");
    const Answer retry = office.post(path, "submit-001", R"({"versao":1})");
    EXPECT_EQ(office.post("/api/v1/propostas/1/aceitar", "accept", R"({"versao":2})").status, 200);
    const Answer later = office.post(path, "submit-001", R"({"versao":7})");

    EXPECT_EQ(first.status, 200) << first;
    EXPECT_FALSE(first.is_replay());
    for (const Answer& answer : {first, retry}) {
        EXPECT_EQ(answer["id"], "1");
        EXPECT_EQ(answer["estado"], "enviada");
        EXPECT_EQ(answer["versao"], "2");
    }
    EXPECT_TRUE(retry.is_replay());
    EXPECT_EQ(later.status, 200) << later;
    EXPECT_TRUE(later.is_replay());
    EXPECT_EQ(later["estado"], "aceita");
    EXPECT_EQ(later["versao"], "3");
    EXPECT_EQ(
        office.ask(
            "SELECT tipo_operacao || ' ' || entidade_id || ' ' || idempotencia_key || ' ' || " +
            office.json_member("resultado", "estado") +
            " FROM idempotencia_operacoes WHERE id = 1"
        ),
        "submeter_proposta 1 submit-001 enviada"
    );
}

TEST(Propostas, WhoSawAnotherVersionIsToldTheCurrentOne)
{
    Office office;
    office.open_draft();
    const std::string path = "/api/v1/propostas/1/submeter";
    EXPECT_EQ(
        office.patch("/api/v1/propostas/1", "a", R"({"valor":10,"versao":1})")["versao"], "2"
    );

    const Answer body = office.post(path, "b", R"({"versao":1})");
    const Answer header = office.send("POST", path, "", {{"If-Match", "\"1\""}});
    const Answer both = office.send("POST", path, R"({"versao":1})", {{"If-Match", "\"2\""}});
    const Answer neither = office.send("POST", path, "{}");
    const Answer right =
        office.send("POST", path, "", {{"If-Match", "\"2\""}, {"Idempotency-Key", "b"}});

    EXPECT_EQ(body.status, 409) << body;
    EXPECT_TRUE(body.is_problem("version-conflict"));
    EXPECT_EQ(body["versao"], "2");
    EXPECT_EQ(header.status, 412) << header;
    EXPECT_TRUE(header.is_problem("version-conflict"));
    EXPECT_EQ(header.header("ETag"), "\"2\"");
    EXPECT_EQ(both.status, 400) << both;
    EXPECT_EQ(neither.status, 422) << neither;
    EXPECT_NE(neither.body.find(R"("field":"versao")"), std::string::npos);
    EXPECT_EQ(right.status, 200) << right;
    EXPECT_EQ(right.header("ETag"), "\"3\"");
}

TEST(Propostas, AForbiddenStepChangesNothing)
{
    Office office;
    office.open_draft();

    const Answer refused = office.post("/api/v1/propostas/1/aceitar", "a", R"({"versao":1})");
    EXPECT_EQ(refused.status, 409) << refused;
    EXPECT_TRUE(refused.is_problem("invalid-transition"));
    EXPECT_EQ(refused["estado"], "rascunho");
    EXPECT_EQ(
        office.post("/api/v1/propostas/1/cancelar", "c", R"({"versao":1})")["estado"], "cancelada"
    );
    const Answer late = office.patch("/api/v1/propostas/1", "d", R"({"valor":1,"versao":2})");
    EXPECT_TRUE(late.is_problem("invalid-transition")) << late;
    EXPECT_EQ(office.post("/api/v1/propostas/7/submeter", "e", R"({"versao":1})").status, 404);
    EXPECT_EQ(office.ask("SELECT count(*) FROM idempotencia_operacoes"), "1");
}

TEST(Propostas, OnlyASubmissionTakesAnotherPayloadForARetry)
{
    Office office;
    office.open_draft();
    office.post("/api/v1/propostas/1/submeter", "s", R"({"versao":1})");
    office.post("/api/v1/propostas/1/recusar", "r", R"({"versao":2})");

    EXPECT_TRUE(office.post("/api/v1/propostas/1/submeter", "s", R"({"versao":9})").is_replay());
    const Answer other = office.post("/api/v1/propostas/1/recusar", "r", R"({"versao":9})");
    EXPECT_EQ(other.status, 409) << other;
    EXPECT_TRUE(other.is_problem("idempotency-key-reused"));
}

TEST(Propostas, AKeyIsIndependentPerOperationAndBoundToItsTarget)
{
    Office office;
    office.open_draft();
    office.send("POST", "/api/v1/propostas", R"({"cliente_id":1,"valor":2})");

    EXPECT_EQ(office.post("/api/v1/propostas/1/submeter", "k", R"({"versao":1})").status, 200);
    EXPECT_EQ(office.post("/api/v1/propostas/1/aceitar", "k", R"({"versao":2})").status, 200);
    const Answer elsewhere = office.post("/api/v1/propostas/2/submeter", "k", R"({"versao":1})");

    EXPECT_EQ(elsewhere.status, 409) << elsewhere;
    EXPECT_TRUE(elsewhere.is_problem("idempotency-key-reused"));
    EXPECT_EQ(office.get("/api/v1/propostas/2")["estado"], "rascunho");
    // The row knows it too, where the record is gone.
    office.sql("DELETE FROM umavez_records");
    const Answer again = office.post("/api/v1/propostas/2/submeter", "k", R"({"versao":1})");
    EXPECT_TRUE(again.is_problem("idempotency-key-reused")) << again;
    EXPECT_EQ(office.get("/api/v1/propostas/2")["estado"], "rascunho");
}

TEST(Propostas, WhereRecordsAreGoneRowsAnswer)
{
    Office office;
    office.open_draft();
    office.post("/api/v1/propostas/1/submeter", "s", R"({"versao":1})");
    office.sql("DELETE FROM umavez_records");

    const Answer created =
        office.post("/api/v1/propostas", "proposta-001", R"({"cliente_id":1,"valor":7})");
    const Answer submitted = office.post("/api/v1/propostas/1/submeter", "s", R"({"versao":1})");

    for (const Answer& answer : {created, submitted}) {
        EXPECT_EQ(answer.status, 200) << answer;
        EXPECT_TRUE(answer.is_replay());
        EXPECT_EQ(answer["valor"], "1500.00");
        EXPECT_EQ(answer["versao"], "2");
    }
    EXPECT_EQ(office.ask("SELECT count(*) FROM umavez_records"), "2");
    EXPECT_EQ(office.ask("SELECT count(*) FROM propostas_historico"), "2");
}

TEST(Propostas, ADeletedProposalIsGoneForEveryRetry)
{
    Office office;
    office.open_draft();
    office.post("/api/v1/propostas/1/submeter", "s", R"({"versao":1})");
    office.sql("DELETE FROM propostas");

    const Answer created =
        office.post("/api/v1/propostas", "proposta-001", R"({"cliente_id":1,"valor":1500})");
    const Answer submitted = office.post("/api/v1/propostas/1/submeter", "s", R"({"versao":1})");

    EXPECT_EQ(created.status, 410) << created;
    EXPECT_EQ(submitted.status, 410) << submitted;
    EXPECT_TRUE(submitted.is_problem("entity-deleted"));
    EXPECT_NE(submitted.body.find(R"("operation":"propostas.submeter")"), std::string::npos);
    EXPECT_EQ(office.ask("SELECT count(*) FROM propostas"), "0");
}

TEST(Propostas, TheHistoryTellsWhoDidWhat)
{
    Office office;
    office.send("POST", "/api/v1/clientes", Office::joao);
    const Header maria{"X-Usuario", "maria"};
    office.send("POST", "/api/v1/propostas", R"({"cliente_id":1,"valor":5})", {maria});
    office.send("PATCH", "/api/v1/propostas/1", R"({"valor":6,"versao":1})", {maria});
    office.send("POST", "/api/v1/propostas/1/submeter", R"({"versao":2})");

    const Answer history = office.get("/api/v1/propostas/1/historico");

    EXPECT_EQ(history.status, 200) << history;
    const auto tree = JsonTree::parse(history.body);
    ASSERT_TRUE(tree);
    std::string told;
    for (const JsonValue step : tree->root().find("itens")->elements()) {
        told += std::string{step.find("versao")->number()} + " " +
                std::string{step.find("operacao")->string()} + " " +
                std::string{step.find("valor")->number()} + " " +
                std::string{step.find("estado")->string()} + " ";
        const auto usuario = *step.find("usuario");
        told += usuario.kind() == JsonKind::null ? "-\n" : std::string{usuario.string()} + "\n";
    }
    EXPECT_EQ(
        told,
        "1 criar 5.00 rascunho maria\n"
        "2 alterar 6.00 rascunho maria\n"
        "3 submeter 6.00 enviada -\n"
    );
    EXPECT_EQ(office.get("/api/v1/propostas/2/historico").status, 404);
}

TEST(Propostas, ListsAreFilteredByClientAndState)
{
    Office office;
    office.open_draft();
    office.send("POST", "/api/v1/propostas", R"({"cliente_id":1,"valor":2})");
    office.post("/api/v1/propostas/2/submeter", "s", R"({"versao":1})");

    const Answer drafts = office.get("/api/v1/propostas?estado=rascunho&cliente_id=1");
    const Answer nobody = office.get("/api/v1/propostas?cliente_id=5");

    EXPECT_NE(drafts.body.find(R"("id":1,)"), std::string::npos) << drafts;
    EXPECT_EQ(drafts.body.find(R"("id":2,)"), std::string::npos) << drafts;
    EXPECT_EQ(nobody.body, "{\"itens\":[],\"proximo\":null}\n");
    EXPECT_EQ(office.get("/api/v1/propostas?estado=outra").status, 422);
    EXPECT_EQ(office.get("/api/v1/propostas?limit=201").status, 422);
    EXPECT_EQ(office.get("/api/v1/propostas/1").header("ETag"), "\"1\"");
}

}  // namespace
}  // namespace umavez::propostas
