// NFC-e of contingency, and numbers that are voided, as clients see them.

#include "modules/fiscal/test_office.hpp"

namespace umavez::fiscal {
namespace {

Answer emit_nfce(Office& office, std::int64_t numero, char tp_emis, const std::string& more = "")
{
    return office.send(
        "POST",
        "/api/v1/documentos-fiscais",
        R"({"tipo":"nfce","xml":")" + test_nfce(numero, tp_emis) + R"(")" + more + "}"
    );
}

Answer give_up(Office& office, int first, int last)
{
    return office.send(
        "POST",
        "/api/v1/documentos-fiscais/inutilizacoes",
        R"({"tipo":"nfce","ambiente":"homologacao","emitente":"00574753000100","serie":"001",)"
        R"("numero_inicial":)" +
            std::to_string(first) + R"(,"numero_final":)" + std::to_string(last) +
            R"(,"justificativa":"falha do sistema de vendas"})"
    );
}

TEST(Contingency, ANumberThatMayHaveBeenSentIsNotUsedOffLine)
{
    Office office;
    office.authority.settles_after = 1h;
    office.authority.emit_faults = {Fault::request_lost};
    EXPECT_EQ(emit_nfce(office, 1, '1').status, 202);

    const Answer refused = emit_nfce(office, 1, '9');

    EXPECT_EQ(refused.status, 409);
    EXPECT_TRUE(refused.is_problem("numero-em-uso")) << refused;
    EXPECT_EQ(office.authority.emits, 1);
    EXPECT_EQ(office.ask("SELECT count(*) FROM documentos_fiscais"), "1");
}

TEST(Contingency, TheOffLineNoteTakesANewNumberAndThePlaceOfThePendingOne)
{
    Office office;
    office.authority.settles_after = 1h;
    office.authority.emit_faults = {Fault::request_lost};
    EXPECT_EQ(emit_nfce(office, 1, '1').status, 202);

    const Answer offline = emit_nfce(office, 2, '9', R"(,"substitui":1)");
    EXPECT_EQ(offline.status, 201) << offline;
    EXPECT_EQ(emit_nfce(office, 2, '9', R"(,"substitui":1)").status, 200);
    const Answer pending = office.conciliar(1);

    EXPECT_EQ(pending.status, 202) << pending;
    EXPECT_EQ(Office::of(pending, "substituto_id"), "2") << pending;
    EXPECT_EQ(office.authority.emits, 2);
    EXPECT_EQ(emit_nfce(office, 1, '1').status, 202);
    EXPECT_EQ(office.authority.emits, 2);
}

TEST(Contingency, TwoNotesDoNotTakeEachOthersPlace)
{
    Office office;
    office.authority.settles_after = 1h;
    office.authority.emit_faults = {Fault::request_lost, Fault::request_lost};
    EXPECT_EQ(emit_nfce(office, 1, '9').status, 202);
    EXPECT_EQ(emit_nfce(office, 2, '9', R"(,"substitui":1)").status, 202);

    const Answer cycle = emit_nfce(office, 1, '9', R"(,"substitui":2)");

    EXPECT_TRUE(cycle.is_problem("substituicao-impossivel")) << cycle;
}

TEST(Contingency, ASubstituteThatCameToNothingTakesNoPlace)
{
    Office office;
    EXPECT_EQ(emit_nfce(office, 1, '1').status, 201);
    EXPECT_EQ(emit_nfce(office, 2, '9', R"(,"substitui":1)").status, 201);
    EXPECT_EQ(Office::of(office.cancel(2), "estado"), "CANCELADO");

    EXPECT_EQ(emit_nfce(office, 3, '9', R"(,"substitui":1)").status, 201);
    EXPECT_EQ(Office::of(office.cancel(3), "estado"), "CANCELADO");
    const Answer plain = office.cancel(1);

    EXPECT_EQ(plain.status, 200) << plain;
    EXPECT_EQ(Office::of(plain, "estado"), "CANCELADO");
}

TEST(Contingency, FiftyOfOneNoteAtOnceAreNotToldToTakeAnotherNumber)
{
    Office office;
    const auto answers =
        modules::at_once(50, [&](std::size_t) { return emit_nfce(office, 1, '1'); });
    for (const Answer& answer : answers) EXPECT_FALSE(answer.is_problem("numero-em-uso")) << answer;
}

TEST(Contingency, TheSubstituteComesFirst)
{
    Office office;
    EXPECT_EQ(emit_nfce(office, 1, '1').status, 201);
    office.authority.emit_faults = {Fault::refused};
    EXPECT_EQ(emit_nfce(office, 2, '9', R"(,"substitui":1)").status, 422);

    const Answer early = office.cancel(1);
    EXPECT_TRUE(early.is_problem("estado-nao-permite")) << early;
    EXPECT_NE(early["detail"].find("document 2"), std::string::npos) << early;
    EXPECT_EQ(emit_nfce(office, 2, '9').status, 201);
    const Answer cancelled = office.cancel(1);

    EXPECT_EQ(cancelled.status, 200) << cancelled;
    EXPECT_EQ(Office::of(cancelled, "estado"), "SUBSTITUIDO");
    EXPECT_EQ(office.cancel(1)["origem"], "cache");
}

TEST(Contingency, OnlyAnOffLineNoteTakesThePlaceOfAKinsman)
{
    Office office;
    EXPECT_EQ(office.emit(1).status, 201);
    EXPECT_EQ(emit_nfce(office, 1, '1').status, 201);

    EXPECT_TRUE(emit_nfce(office, 2, '1', R"(,"substitui":2)").is_problem("substituicao-impossivel")
    );
    EXPECT_TRUE(emit_nfce(office, 2, '9', R"(,"substitui":1)").is_problem("substituicao-impossivel")
    );
    EXPECT_TRUE(emit_nfce(office, 2, '9', R"(,"substitui":7)").is_problem("substituicao-impossivel")
    );
    EXPECT_EQ(emit_nfce(office, 2, '9', R"(,"substitui":2)").status, 201);
    const Answer taken = emit_nfce(office, 3, '9', R"(,"substitui":2)");
    EXPECT_TRUE(taken.is_problem("substituicao-impossivel")) << taken;
}

TEST(Inutilizacoes, NumbersThatWereRefusedAreVoidedTogetherOrNotAtAll)
{
    Office office;
    office.authority.emit_faults = {Fault::refused, Fault::refused};
    EXPECT_EQ(emit_nfce(office, 1, '1').status, 422);
    EXPECT_EQ(emit_nfce(office, 2, '1').status, 422);
    EXPECT_EQ(emit_nfce(office, 3, '1').status, 201);

    const Answer some = give_up(office, 2, 4);
    EXPECT_EQ(some.status, 409);
    EXPECT_TRUE(some.is_problem("numeros-nao-inutilizaveis")) << some;
    EXPECT_EQ(office.authority.voids, 0);

    const Answer done = give_up(office, 1, 2);
    EXPECT_EQ(done.status, 200) << done;
    EXPECT_EQ(done["sucesso"], "true");
    EXPECT_EQ(done["origem"], "emissao");
    EXPECT_EQ(give_up(office, 1, 2)["origem"], "cache");
    EXPECT_EQ(office.authority.voids, 2);
    EXPECT_TRUE(emit_nfce(office, 1, '1').is_problem("estado-nao-permite"));
}

TEST(Inutilizacoes, WhatWasRefusedAndIsThereAfterAllIsNotVoided)
{
    Office office;
    office.authority.emit_faults = {Fault::refused};
    EXPECT_EQ(emit_nfce(office, 1, '1').status, 422);
    const std::string chave = *read_test_nfce(test_nfce(1))->id_autoridade;
    office.authority.ledger[chave] = {
        .xml = test_nfce(1), .chave = "CHAVE-" + chave, .authorisations = 1
    };

    const Answer refused = give_up(office, 1, 1);

    EXPECT_TRUE(refused.is_problem("numeros-nao-inutilizaveis")) << refused;
    EXPECT_EQ(office.authority.voids, 0);
    EXPECT_EQ(office.ask("SELECT estado FROM documentos_fiscais"), "AUTORIZADO");
}

TEST(Inutilizacoes, ARefusalAndALostAnswerAreTold)
{
    Office office;
    office.authority.emit_faults = {Fault::refused};
    EXPECT_EQ(emit_nfce(office, 1, '1').status, 422);
    office.authority.void_faults = {
        Fault::refused, Fault::later, Fault::later, Fault::later, Fault::answer_lost
    };

    EXPECT_TRUE(give_up(office, 1, 1).is_problem("inutilizacao-recusada"));
    EXPECT_TRUE(give_up(office, 1, 1).is_problem("autoridade-indisponivel"));
    const Answer unknown = give_up(office, 1, 1);

    EXPECT_EQ(unknown.status, 202) << unknown;
    EXPECT_EQ(unknown["effect"], "unknown");
}

TEST(Inutilizacoes, APartThatWasDoneIsToldAndTheRestFollows)
{
    Office office;
    office.authority.emit_faults.assign(3, Fault::refused);
    for (int numero = 1; numero <= 3; ++numero)
        EXPECT_EQ(emit_nfce(office, numero, '1').status, 422);
    office.authority.void_faults = {Fault::none, Fault::later, Fault::later, Fault::later};

    const Answer part = give_up(office, 1, 3);

    EXPECT_EQ(part.status, 202) << part;
    EXPECT_EQ(part["sucesso"], "false");
    EXPECT_EQ(part["effect"], "applied");
    EXPECT_FALSE(part.header("Retry-After").empty());
    EXPECT_EQ(give_up(office, 1, 3).status, 200);
    EXPECT_EQ(office.authority.voids, 6);
}

TEST(Inutilizacoes, WhatIsAskedForIsChecked)
{
    Office office;
    const auto post = [&](const std::string& body) {
        return office.send("POST", "/api/v1/documentos-fiscais/inutilizacoes", body);
    };
    EXPECT_TRUE(post(R"({"tipo":"nfse-nacional"})").is_problem("inutilizacao-nao-oferecida"));
    EXPECT_EQ(post(R"({"tipo":"nfe"})").status, 422);
    EXPECT_EQ(give_up(office, 5, 4).status, 422);
    EXPECT_EQ(give_up(office, 1, 101).status, 422);
    EXPECT_EQ(give_up(office, 0, 1).status, 422);
}

}  // namespace
}  // namespace umavez::fiscal
