// Cancellation against an authority that misbehaves: one event, and a row that says what the ledger says.

#include "modules/fiscal/test_bench.hpp"

namespace umavez::fiscal {
namespace {

class Cancellation : public Bench {
protected:
    Process& start_with_document()
    {
        Process& process = start();
        EXPECT_EQ(how(emit(process, 1)), How::finished);
        return process;
    }
};

TEST_F(Cancellation, IsRegisteredAndKeepsItsRequest)
{
    Process& process = start_with_document();

    EXPECT_EQ(how(cancel(process, 1)), How::finished);

    const Documento here = row(1);
    EXPECT_EQ(here.estado, Estado::cancelado);
    EXPECT_TRUE(here.cancelado_em);
    EXPECT_TRUE(here.pedido_sha256);
    EXPECT_TRUE(here.evento_sha256);
    EXPECT_FALSE(here.alerta);
    expect_agreement(1);
}

TEST_F(Cancellation, OfWhatIsCancelledIsAReplay)
{
    Process& process = start_with_document();
    EXPECT_EQ(how(cancel(process, 1)), How::finished);

    const auto again = cancel(process, 1);

    EXPECT_TRUE(std::holds_alternative<Replayed>(again->outcome));
    EXPECT_EQ(authority.cancels, 1);
}

TEST_F(Cancellation, ALostAnswerIsFoundByAsking)
{
    authority.cancel_faults = {Fault::answer_lost};
    Process& process = start_with_document();

    const auto driven = cancel(process, 1);

    EXPECT_EQ(how(driven), How::finished);
    EXPECT_TRUE(driven->ended->was_found);
    EXPECT_EQ(authority.cancels, 1);
    expect_agreement(1);
}

TEST_F(Cancellation, WhatIsNotRegisteredIsSentAgainOnlyOnceNothingIsUnderWay)
{
    authority.cancel_faults = {Fault::request_lost};
    settings.settle = 50min;
    Process& process = start_with_document();

    EXPECT_EQ(how(cancel(process, 1)), How::open);
    EXPECT_EQ(estado(1), Estado::cancelamento_pendente);
    EXPECT_EQ(authority.cancels, 1);
    let_an_hour_pass();
    converge(process);

    EXPECT_EQ(authority.cancels, 2);
    EXPECT_EQ(authority.pedidos[0], authority.pedidos[1]) << "the same bytes";
    EXPECT_EQ(estado(1), Estado::cancelado);
    expect_agreement(1);
}

TEST_F(Cancellation, WhatArrivesLateIsFoundAndNotRepeated)
{
    authority.cancel_faults = {Fault::lands_later};
    Process& process = start_with_document();
    authority.consult_faults = {Fault::request_lost, Fault::request_lost, Fault::request_lost};

    EXPECT_EQ(how(cancel(process, 1)), How::open);
    authority.land();
    converge(process);

    EXPECT_EQ(authority.cancels, 1);
    EXPECT_EQ(estado(1), Estado::cancelado);
    expect_agreement(1);
}

TEST_F(Cancellation, ARefusalOfTheSecondCopyIsNotTheEndWhileTheFirstMayArrive)
{
    authority.cancel_faults = {Fault::lands_later, Fault::refused};
    settings.settle = 50min;
    Process& process = start_with_document();
    EXPECT_EQ(how(cancel(process, 1)), How::open);
    // The first takes longer than anybody thought, and the second is refused meanwhile.
    let_an_hour_pass();
    converge_until("the second copy is refused", [&] { return authority.cancels == 2; }, process);

    EXPECT_EQ(estado(1), Estado::cancelamento_pendente);
    authority.land();
    let_an_hour_pass();
    converge(process);

    EXPECT_EQ(authority.cancels, 2);
    EXPECT_EQ(estado(1), Estado::cancelado);
    expect_agreement(1);
}

TEST_F(Cancellation, ARefusalOfTheSecondCopyHoldsOnceTheFirstCannotArriveAnyMore)
{
    authority.cancel_faults = {Fault::request_lost, Fault::refused};
    settings.settle = 40ms;
    Process& process = start_with_document();
    EXPECT_NE(how(cancel(process, 1)), How::finished);

    converge(process);

    EXPECT_EQ(authority.cancels, 2);
    EXPECT_EQ(estado(1), Estado::autorizado);
    EXPECT_FALSE(row(1).pedido_sha256);
    EXPECT_EQ(how(cancel(process, 1)), How::finished);
    expect_agreement(1);
}

TEST_F(Cancellation, ACodeThatNobodyKnowsOfAnEventThatIsNotThereWasARefusal)
{
    authority.cancel_faults = {Fault::unclear, Fault::unclear};
    settings.settle = 40ms;
    Process& process = start_with_document();
    EXPECT_NE(how(cancel(process, 1)), How::finished);

    converge(process);

    EXPECT_EQ(authority.cancels, 1);
    EXPECT_EQ(estado(1), Estado::autorizado);
    EXPECT_TRUE(row(1).alerta);
}

// An event may be registered while the answer that there is none is on its way.
TEST_F(Cancellation, AnAnswerIsAsOldAsItsQuestion)
{
    authority.cancel_faults = {Fault::request_lost};
    settings.settle = 100ms;
    std::vector<Duration> asked;
    authority.before_answer = [&] {
        asked.push_back(system_clock().boottime());
        test::wait_until("the answer is late", [&] {
            return system_clock().boottime() > asked.back() + 2 * settings.settle;
        });
    };
    Process& process = start_with_document();
    const Duration began = system_clock().boottime();

    EXPECT_EQ(how(cancel(process, 1)), How::finished);

    EXPECT_EQ(authority.cancels, 2);
    EXPECT_GE(asked.back(), began + settings.settle) << "the second copy left too early";
    expect_agreement(1);
}

TEST_F(Cancellation, ARefusalLeavesTheDocumentAuthorisedAndTheNextRequestIsANewOne)
{
    authority.cancel_faults = {Fault::refused};
    Process& process = start_with_document();

    const auto refused = cancel(process, 1);

    EXPECT_EQ(how(refused), How::gave_up);
    EXPECT_EQ(refused->ended->word, Word::refused);
    EXPECT_EQ(estado(1), Estado::autorizado);
    EXPECT_FALSE(row(1).pedido_sha256);
    expect_agreement(1);
    EXPECT_EQ(how(cancel(process, 1)), How::finished);
    expect_agreement(1);
}

TEST_F(Cancellation, ACodeThatNobodyKnowsIsARefusalWhereNoEventIsThere)
{
    authority.cancel_faults = {Fault::unclear};
    Process& process = start_with_document();
    authority.consult_faults = {Fault::request_lost, Fault::request_lost, Fault::request_lost};

    EXPECT_EQ(how(cancel(process, 1)), How::open);
    converge(process);

    EXPECT_EQ(estado(1), Estado::autorizado);
    EXPECT_NE(row(1).mensagens.find("X8"), std::string::npos) << row(1).mensagens;
    EXPECT_FALSE(row(1).pedido_sha256);
    EXPECT_EQ(authority.cancels, 1);
    expect_agreement(1);
}

TEST_F(Cancellation, WhatTheAuthorityDidNotTakeLeavesTheDocumentAuthorised)
{
    authority.cancel_faults = {Fault::unreached, Fault::later, Fault::later};
    Process& process = start_with_document();

    EXPECT_EQ(how(cancel(process, 1)), How::gave_up);

    EXPECT_EQ(authority.cancels, 3);
    EXPECT_EQ(estado(1), Estado::autorizado);
    expect_agreement(1);
}

TEST_F(Cancellation, TheTaxOfficeIsWaitedForAndGrants)
{
    authority.cancel_faults = {Fault::analysis};
    Process& process = start_with_document();
    EXPECT_EQ(how(cancel(process, 1)), How::open);
    EXPECT_EQ(estado(1), Estado::cancelamento_em_analise);
    EXPECT_TRUE(row(1).conciliar_em);

    authority.decide_analysis("DPS1", true);
    converge(process);

    EXPECT_EQ(estado(1), Estado::cancelado);
    EXPECT_EQ(authority.cancels, 1);
}

TEST_F(Cancellation, TheTaxOfficeIsWaitedForAndRefuses)
{
    authority.cancel_faults = {Fault::analysis};
    Process& process = start_with_document();
    EXPECT_EQ(how(cancel(process, 1)), How::open);

    authority.decide_analysis("DPS1", false);
    converge(process);

    EXPECT_EQ(estado(1), Estado::autorizado);
    EXPECT_EQ(authority.cancels, 1);
    EXPECT_EQ(how(cancel(process, 1)), How::finished) << "the key is free again";
}

TEST_F(Cancellation, WhatWasCancelledBehindOurBackIsSaidToBeThere)
{
    Process& process = start_with_document();
    authority.cancel_behind("DPS1");

    const auto driven = cancel(process, 1);

    EXPECT_EQ(how(driven), How::finished);
    EXPECT_TRUE(driven->ended->was_found);
    EXPECT_EQ(authority.entry("DPS1").cancellations, 0) << "the event is not ours";
    EXPECT_EQ(estado(1), Estado::cancelado);
}

TEST_F(Cancellation, AClosedKeyOfWhatTheAuthorityDoesNotHaveIsOpenedAgain)
{
    Process& process = start();
    EXPECT_EQ(how(emit(process, 1)), How::finished);
    authority.cancel_faults = {Fault::request_lost};
    authority.consult_faults = {Fault::request_lost, Fault::request_lost, Fault::request_lost};
    EXPECT_EQ(how(cancel(process, 1)), How::open);
    const Request request =
        request_of(cancelar_operation, tenant, identidade_of(1).id_idempotencia);
    ASSERT_TRUE(process.engine->resolve(
        {request.tenant_id, request.operation, *request.key},
        Resolution::succeeded,
        {},
        "seen at the portal, of another document"
    ));

    converge(process);

    EXPECT_EQ(authority.cancels, 2);
    EXPECT_EQ(estado(1), Estado::cancelado);
    expect_agreement(1);
}

TEST_F(Cancellation, OfADocumentInDoubtIsNotBegun)
{
    authority.emit_faults = {Fault::answer_lost};
    authority.consult_faults = {Fault::request_lost, Fault::request_lost, Fault::request_lost};
    Process& process = start();
    EXPECT_EQ(how(emit(process, 1)), How::open);

    EXPECT_EQ(how(cancel(process, 1)), How::gave_up);

    EXPECT_EQ(authority.cancels, 0);
    converge(process);
    expect_agreement(1);
}

TEST_F(Cancellation, AnAuthorisedDocumentThatIsAskedAboutIsFoundCancelled)
{
    Process& process = start_with_document();
    authority.cancel_behind("DPS1");

    const Ended asked = ask_about(process.module, row(1));

    EXPECT_EQ(asked.how, How::finished);
    EXPECT_EQ(estado(1), Estado::cancelado);
    EXPECT_TRUE(row(1).alerta);
}

}  // namespace
}  // namespace umavez::fiscal
