// Emission against an authority that misbehaves: one authorisation, and a row that says what the ledger says.

#include "modules/fiscal/test_bench.hpp"

namespace umavez::fiscal {
namespace {

class Emission : public Bench {};

TEST_F(Emission, IsAuthorisedAndKeepsWhatWasSentAndGiven)
{
    Process& process = start();

    EXPECT_EQ(how(emit(process, 1)), How::finished);

    const Documento here = row(1);
    EXPECT_EQ(here.estado, Estado::autorizado);
    EXPECT_EQ(here.versao, 2);
    EXPECT_EQ(here.tentativas, 1);
    EXPECT_TRUE(here.autorizado_em);
    EXPECT_FALSE(here.conciliar_em);
    EXPECT_EQ(count("SELECT count(*) FROM documentos_xml"), 2);
    EXPECT_EQ(count("SELECT count(*) FROM documentos_tentativas WHERE palavra = 'authorised'"), 1);
    expect_agreement(1);
}

TEST_F(Emission, ASecondPostIsAReplayAndSendsNothing)
{
    Process& process = start();
    EXPECT_EQ(how(emit(process, 1)), How::finished);

    const auto again = emit(process, 1);

    ASSERT_TRUE(again);
    EXPECT_TRUE(std::holds_alternative<Replayed>(again->outcome));
    EXPECT_FALSE(again->ended);
    EXPECT_EQ(authority.emits, 1);
}

TEST_F(Emission, ALostAnswerIsFoundByAskingUnderTheSameLease)
{
    authority.emit_faults = {Fault::answer_lost};
    Process& process = start();

    const auto driven = emit(process, 1);

    EXPECT_EQ(how(driven), How::finished);
    EXPECT_TRUE(driven->ended->was_found);
    EXPECT_EQ(authority.emits, 1);
    expect_agreement(1);
}

TEST_F(Emission, AnAbsenceIsBelievedAtOnceWhereARepetitionDoesNoHarm)
{
    authority.emit_faults = {Fault::request_lost};
    authority.dedupes = true;
    Process& process = start();

    EXPECT_EQ(how(emit(process, 1)), How::finished);

    EXPECT_EQ(authority.emits, 2);
    expect_agreement(1);
}

TEST_F(Emission, AnAbsenceIsNotBelievedWhileTheCallMayStillArrive)
{
    authority.emit_faults = {Fault::lands_later};
    authority.settles_after = 50min;
    Process& process = start();

    EXPECT_EQ(how(emit(process, 1)), How::open);
    EXPECT_EQ(estado(1), Estado::indeterminado);
    EXPECT_TRUE(row(1).conciliar_em);
    authority.land();
    converge(process);

    EXPECT_EQ(authority.emits, 1);
    expect_agreement(1);
}

TEST_F(Emission, WhatWasLostIsSentAgainByTheWorkerOnceTheAbsenceIsSettled)
{
    authority.emit_faults = {Fault::request_lost};
    authority.settles_after = 50min;
    Process& process = start();

    EXPECT_EQ(how(emit(process, 1)), How::open);
    EXPECT_EQ(authority.emits, 1);
    let_an_hour_pass();
    converge(process);

    EXPECT_EQ(authority.emits, 2);
    EXPECT_EQ(estado(1), Estado::autorizado);
    expect_agreement(1);
}

// A document may arrive while the answer that there is none is on its way.
TEST_F(Emission, AnAnswerIsAsOldAsItsQuestion)
{
    authority.emit_faults = {Fault::request_lost};
    authority.settles_after = 100ms;
    std::vector<Duration> asked;
    authority.before_answer = [&] {
        asked.push_back(system_clock().boottime());
        test::wait_until("the answer is late", [&] {
            return system_clock().boottime() > asked.back() + 2 * authority.settles_after;
        });
    };
    Process& process = start();
    const Duration began = system_clock().boottime();

    EXPECT_EQ(how(emit(process, 1)), How::finished);

    EXPECT_EQ(authority.emits, 2);
    EXPECT_GE(asked.back(), began + authority.settles_after) << "the second copy left too early";
    expect_agreement(1);
}

TEST_F(Emission, ARefusalFreesTheNumberForCorrectedBytes)
{
    authority.emit_faults = {Fault::refused};
    Process& process = start();
    EXPECT_EQ(how(emit(process, 1)), How::gave_up);
    EXPECT_EQ(estado(1), Estado::rejeitado);
    EXPECT_NE(row(1).mensagens.find("E0160"), std::string::npos);

    EXPECT_EQ(how(emit(process, 1, "12.00")), How::finished);

    EXPECT_EQ(authority.entry("DPS1").xml, test_xml(1, "12.00"));
    expect_agreement(1);
}

TEST_F(Emission, ARefusalOfTheSecondCopyIsNotTheEndWhileTheFirstMayArrive)
{
    authority.dedupes = true;  // and so the second copy goes out at once
    authority.emit_faults = {Fault::lands_later, Fault::refused};
    settings.settle = 50min;
    Process& process = start();

    EXPECT_EQ(how(emit(process, 1)), How::open);

    EXPECT_EQ(authority.emits, 2);
    EXPECT_EQ(estado(1), Estado::indeterminado);
    EXPECT_TRUE(row(1).conciliar_em);
    authority.land();
    let_an_hour_pass();
    converge(process);
    EXPECT_EQ(authority.emits, 2);
    EXPECT_EQ(estado(1), Estado::autorizado);
    expect_agreement(1);
}

TEST_F(Emission, ARefusalOfTheSecondCopyHoldsOnceTheFirstCannotArriveAnyMore)
{
    authority.dedupes = true;
    authority.emit_faults = {Fault::request_lost, Fault::refused};
    settings.settle = 60ms;
    Process& process = start();

    EXPECT_NE(how(emit(process, 1)), How::finished);
    converge(process);

    EXPECT_EQ(authority.emits, 2);
    EXPECT_EQ(estado(1), Estado::rejeitado);
    EXPECT_NE(row(1).mensagens.find("E0160"), std::string::npos) << row(1).mensagens;
    EXPECT_EQ(how(emit(process, 1, "12.00")), How::finished);
    expect_agreement(1);
}

TEST_F(Emission, ACodeThatNobodyKnowsOfWhatIsNotThereWasARefusal)
{
    for (const bool dedupes : {false, true}) {
        authority.dedupes = dedupes;
        authority.emit_faults = {Fault::unclear, Fault::unclear, Fault::unclear};
        authority.settles_after = dedupes ? 0ms : 30ms;
        const std::int64_t numero = dedupes ? 1 : 2;
        const int before = authority.emits;
        Process& process = start();

        EXPECT_NE(how(emit(process, numero)), How::finished);
        converge(process);

        EXPECT_EQ(authority.emits, before + 1) << "sent again it would be answered in the same way";
        EXPECT_EQ(estado(numero), Estado::rejeitado);
        EXPECT_TRUE(row(numero).alerta);
        EXPECT_NE(row(numero).mensagens.find("X8"), std::string::npos);
        authority.emit_faults = {};
        EXPECT_EQ(how(emit(process, numero, "12.00")), How::finished);
        expect_agreement(numero);
    }
}

TEST_F(Emission, WhatAnEnquiryFoundOnItsWayIsKeptForTheNext)
{
    authority.emit_faults = {Fault::answer_lost};
    authority.consult_faults = {Fault::half, Fault::half, Fault::half};
    Process& process = start();

    EXPECT_EQ(how(emit(process, 1)), How::open);

    EXPECT_EQ(estado(1), Estado::indeterminado);
    EXPECT_FALSE(row(1).chave_acesso);
    EXPECT_EQ(row(1).pista, "CHAVE-DPS1");
    EXPECT_EQ(authority.asked_with, (std::vector<std::string>{"", "CHAVE-DPS1", "CHAVE-DPS1"}));
    converge(process);
    EXPECT_EQ(authority.asked_with.back(), "CHAVE-DPS1");
    EXPECT_FALSE(row(1).pista);
    expect_agreement(1);
}

TEST_F(Emission, ADenialIsTheEndOfTheNumber)
{
    authority.emit_faults = {Fault::denied};
    Process& process = start();

    EXPECT_EQ(how(emit(process, 1)), How::finished);

    EXPECT_EQ(estado(1), Estado::denegado);
    const auto again = emit(process, 1);
    EXPECT_TRUE(std::holds_alternative<Replayed>(again->outcome));
    EXPECT_EQ(authority.emits, 1);
}

TEST_F(Emission, WhatTheAuthorityDidNotTakeIsTriedThreeTimesAndLetGo)
{
    authority.emit_faults = {Fault::later, Fault::unreached, Fault::later};
    Process& process = start();

    EXPECT_EQ(how(emit(process, 1)), How::gave_up);

    EXPECT_EQ(estado(1), Estado::reservado);
    EXPECT_FALSE(row(1).conciliar_em);
    EXPECT_EQ(authority.emits, 3);
    EXPECT_EQ(how(emit(process, 1)), How::finished);
    expect_agreement(1);
}

TEST_F(Emission, ADoubtIsNotTakenBackByALaterRefusalForNow)
{
    authority.dedupes = true;
    authority.emit_faults = {Fault::lands_later, Fault::later, Fault::later};
    Process& process = start();

    EXPECT_EQ(how(emit(process, 1)), How::open);
    EXPECT_EQ(estado(1), Estado::indeterminado);
    authority.land();
    converge(process);

    EXPECT_EQ(authority.emits, 3);
    expect_agreement(1);
}

TEST_F(Emission, ANumberThatWasTakenByACallThatDidNothingIsListedWhateverStoppedTheNext)
{
    authority.emit_faults = {Fault::later};
    Process& process = start();
    Process& other = start();
    authority.close();
    {
        std::jthread client{[&] { EXPECT_EQ(how(emit(process, 1)), How::gave_up); }};
        authority.wait_for_callers(1);
        ASSERT_TRUE(other.module.guard().block(authority, subject_of(row(1)), 1h));
        authority.open();
    }

    EXPECT_EQ(estado(1), Estado::reservado);
    EXPECT_TRUE(row(1).prazo_inutilizacao);
    EXPECT_FALSE(row(1).conciliar_em);
}

TEST_F(Emission, ThrottledBlocksTheAuthorityForEverybody)
{
    authority.emit_faults = {Fault::throttled};
    Process& process = start();
    const auto throttled = emit(process, 1);
    EXPECT_EQ(how(throttled), How::gave_up);
    EXPECT_TRUE(throttled->ended->is_blocked);
    EXPECT_EQ(estado(1), Estado::reservado);

    Process& other = start();
    const auto blocked = emit(other, 2);

    EXPECT_EQ(how(blocked), How::gave_up);
    EXPECT_TRUE(blocked->ended->is_blocked);
    EXPECT_GT(blocked->ended->retry_after, 50min);
    EXPECT_FALSE(has_row(2)) << "nothing is marked as sent";
    EXPECT_EQ(authority.emits, 1);
}

TEST_F(Emission, WhatIsSaidToBeThereIsOursIfItIs)
{
    authority.emit_faults = {Fault::duplicate};
    Process& process = start();

    const auto driven = emit(process, 1);

    EXPECT_EQ(how(driven), How::finished);
    EXPECT_TRUE(driven->ended->was_found);
    expect_agreement(1);
}

TEST_F(Emission, WhatIsThereAndNotOursIsForAPerson)
{
    authority.dedupes = true;
    authority.ledger["DPS1"] = {
        .xml = "<dps n='1'>somebody else's</dps>", .chave = "X", .authorisations = 1
    };
    Process& process = start();

    EXPECT_EQ(how(emit(process, 1)), How::open);

    EXPECT_EQ(estado(1), Estado::indeterminado);
    EXPECT_TRUE(row(1).alerta);
    EXPECT_FALSE(row(1).conciliar_em) << "asking again cannot change it";
    EXPECT_FALSE(row(1).chave_acesso);
    EXPECT_EQ(alerts.size(), 1u);
}

TEST_F(Emission, AnEarlierVersionThatArrivedAfterAllIsRecognised)
{
    // The first version is refused although a copy of it is still under way; the second meets it.
    authority.dedupes = true;
    authority.emit_faults = {Fault::lands_later, Fault::refused};
    settings.settle = 0ms;  // too short
    Process& process = start();
    EXPECT_EQ(how(emit(process, 1, "first")), How::gave_up);
    EXPECT_EQ(estado(1), Estado::rejeitado);
    authority.land();

    const int before = authority.consults;
    EXPECT_EQ(how(emit(process, 1, "second")), How::finished);

    EXPECT_EQ(row(1).xml_sha256, to_hex(sha256(test_xml(1, "first"))));
    EXPECT_EQ(authority.consults, before + 1);  // versions are compared, not asked about
    expect_agreement(1);
}

TEST_F(Emission, CancelledBehindOurBackIsNeverSentAgain)
{
    authority.emit_faults = {Fault::cancel_behind};
    Process& process = start();

    EXPECT_EQ(how(emit(process, 1)), How::finished);

    EXPECT_EQ(estado(1), Estado::cancelado);
    EXPECT_TRUE(row(1).alerta);
    EXPECT_EQ(authority.emits, 1);
    expect_agreement(1);
}

TEST_F(Emission, ACodeThatNobodyKnowsIsAskedAboutAndNoted)
{
    authority.emit_faults = {Fault::rubbish};
    authority.consult_faults = {Fault::request_lost, Fault::request_lost, Fault::request_lost};
    Process& process = start();

    EXPECT_EQ(how(emit(process, 1)), How::open);
    EXPECT_TRUE(row(1).alerta);
    EXPECT_FALSE(alerts.empty());
    converge(process);

    EXPECT_FALSE(row(1).alerta);
    expect_agreement(1);
}

TEST_F(Emission, ACodeThatNobodyKnowsIsARefusalWhereNothingIsThere)
{
    authority.emit_faults = {Fault::unclear};
    settings.settle = 0ms;
    Process& process = start();

    EXPECT_EQ(how(emit(process, 1)), How::gave_up);

    EXPECT_EQ(estado(1), Estado::rejeitado);
    EXPECT_NE(row(1).mensagens.find("X8"), std::string::npos) << row(1).mensagens;
    EXPECT_TRUE(row(1).alerta);
    EXPECT_EQ(authority.emits, 1) << "the same bytes would be answered in the same way";
}

TEST_F(Emission, ARefusalThatNobodyUnderstoodIsRecognisedByTheWorkerToo)
{
    authority.emit_faults = {Fault::unclear};
    authority.consult_faults = {Fault::request_lost, Fault::request_lost, Fault::request_lost};
    Process& process = start();
    EXPECT_EQ(how(emit(process, 1)), How::open);

    converge(process);

    EXPECT_EQ(estado(1), Estado::rejeitado);
    EXPECT_NE(row(1).mensagens.find("X8"), std::string::npos) << row(1).mensagens;
    EXPECT_EQ(authority.emits, 1);
    EXPECT_EQ(how(emit(process, 1, "12.00")), How::finished);
    expect_agreement(1);
}

TEST_F(Emission, AReservedNumberIsSentUnderItsRow)
{
    Process& process = start();
    ASSERT_TRUE(database->transact([](Transaction& transaction) -> Result<void> {
        const auto made = insert_reserved(transaction, tenant, {identidade_of(1), "2026-02-10"});
        if (!made) return std::unexpected(made.error());
        return {};
    }));
    const std::int64_t id = row(1).id;

    EXPECT_EQ(how(emit(process, 1)), How::finished);

    EXPECT_EQ(row(1).id, id);
    EXPECT_TRUE(row(1).reservado_em);
    expect_agreement(1);
}

TEST_F(Emission, AStopDuringACallLeavesADoubtThatTheNextProcessResolves)
{
    authority.close();
    Process& process = start();
    std::optional<Result<Driven>> driven;
    {
        std::jthread client{[&] { driven = emit(process, 1); }};
        authority.wait_for_callers(1);
        process.module.leave();
        process.module.cut();
    }
    EXPECT_EQ(how(*driven), How::open);
    EXPECT_EQ(estado(1), Estado::indeterminado);
    authority.open();

    Process& next = start();
    converge(next);

    expect_agreement(1);
    EXPECT_EQ(estado(1), Estado::autorizado);
}

TEST_F(Emission, AClosedKeyWithAnOpenRowIsAskedAboutAndNotSent)
{
    authority.emit_faults = {Fault::answer_lost};
    authority.consult_faults = {Fault::request_lost, Fault::request_lost, Fault::request_lost};
    Process& process = start();
    EXPECT_EQ(how(emit(process, 1)), How::open);
    const Request request = request_of(emitir_operation, tenant, identidade_of(1).id_idempotencia);
    ASSERT_TRUE(process.engine->resolve(
        {request.tenant_id, request.operation, *request.key},
        Resolution::succeeded,
        {},
        "seen at the portal"
    ));

    converge(process);

    expect_agreement(1);
    EXPECT_EQ(estado(1), Estado::autorizado);
}

TEST_F(Emission, AClosedKeyOfWhatTheAuthorityDoesNotHaveIsOpenedAgain)
{
    authority.emit_faults = {Fault::request_lost};
    authority.consult_faults = {Fault::request_lost, Fault::request_lost, Fault::request_lost};
    Process& process = start();
    EXPECT_EQ(how(emit(process, 1)), How::open);
    const Request request = request_of(emitir_operation, tenant, identidade_of(1).id_idempotencia);
    ASSERT_TRUE(process.engine->resolve(
        {request.tenant_id, request.operation, *request.key},
        Resolution::succeeded,
        {},
        "seen at the portal, of another document"
    ));

    converge(process);

    EXPECT_EQ(authority.emits, 2);
    EXPECT_EQ(estado(1), Estado::autorizado);
    expect_agreement(1);
}

TEST_F(Emission, WhoWantsToKnowNowDoesNotWaitForTheNextEnquiry)
{
    settings.settle = 1h;
    settings.reconcile_longest = 1h;
    authority.emit_faults = {Fault::answer_lost};
    authority.consult_faults = {Fault::request_lost, Fault::request_lost, Fault::request_lost};
    Process& process = start();
    EXPECT_EQ(how(emit(process, 1)), How::open);
    const std::string id = identidade_of(1).id_idempotencia;

    const auto patient = fiscal::emit(process.module, tenant, id);
    EXPECT_EQ(to_text(patient->outcome), "in_doubt");
    EXPECT_EQ(authority.consults, 3);
    const auto impatient = fiscal::emit(process.module, tenant, id, nullptr, When::now);

    EXPECT_EQ(to_text(impatient->outcome), "replayed");
    EXPECT_EQ(estado(1), Estado::autorizado);
    expect_agreement(1);
}

TEST_F(Emission, ACertificateThatIsNotTakenIsNotTriedAgain)
{
    authority.emit_faults = {Fault::certificate};
    Process& process = start();

    const auto driven = emit(process, 1);

    EXPECT_EQ(how(driven), How::gave_up);
    EXPECT_TRUE(driven->ended->is_certificate_refused);
    EXPECT_EQ(authority.emits, 1);
    EXPECT_EQ(estado(1), Estado::reservado);
    EXPECT_EQ(row(1).alerta, describe(Concern::certificate_refused));
    EXPECT_EQ(how(emit(process, 1)), How::finished);
    EXPECT_FALSE(row(1).alerta);
    expect_agreement(1);
}

TEST_F(Emission, ACertificateThatIsNotTakenLeavesADoubtWhereItWasAndTellsAPerson)
{
    authority.emit_faults = {Fault::answer_lost};
    authority.consult_faults = {Fault::certificate};
    Process& process = start();

    EXPECT_EQ(how(emit(process, 1)), How::open);

    EXPECT_EQ(authority.consults, 1);
    EXPECT_EQ(estado(1), Estado::indeterminado);
    EXPECT_EQ(row(1).alerta, describe(Concern::certificate_refused));
    converge(process);
    EXPECT_FALSE(row(1).alerta);
    expect_agreement(1);
}

TEST_F(Emission, AKeyThatAnOperatorReleasedIsAskedAboutBeforeAnythingIsSent)
{
    authority.emit_faults = {Fault::answer_lost};
    authority.consult_faults = {Fault::request_lost, Fault::request_lost, Fault::request_lost};
    Process& process = start();
    EXPECT_EQ(how(emit(process, 1)), How::open);
    const Request request = request_of(emitir_operation, tenant, identidade_of(1).id_idempotencia);
    ASSERT_TRUE(
        process.engine->release({request.tenant_id, request.operation, *request.key}, "by mistake")
    );

    EXPECT_EQ(how(emit(process, 1)), How::finished);

    EXPECT_EQ(authority.emits, 1);
    expect_agreement(1);
}

}  // namespace
}  // namespace umavez::fiscal
