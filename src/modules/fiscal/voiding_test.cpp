// Numbers that are given up: once, with one request, never while their document may arrive; and documents
// whose place another one took.

#include "modules/fiscal/voiding.hpp"

#include "modules/fiscal/test_bench.hpp"

namespace umavez::fiscal {
namespace {

class Voiding : public Bench {
protected:
    void reserve(std::int64_t numero)
    {
        ASSERT_TRUE(database->transact([&](Transaction& transaction) -> Result<void> {
            const auto made = insert_reserved(
                transaction, tenant, {identidade_of(numero), std::string{"2026-12-10"}}
            );
            if (!made) return std::unexpected(made.error());
            return {};
        }));
    }
    static Result<Driven> give_up(Process& process, std::int64_t numero)
    {
        const std::string why = "falha do sistema de vendas";
        return void_number(process.module, tenant, identidade_of(numero).id_idempotencia, &why);
    }
    // Document `numero` is in doubt, and another one takes its place.
    Process& start_with_replaced(std::int64_t numero, Fault fault)
    {
        authority.emit_faults = {fault};
        authority.consult_faults.assign(3, Fault::request_lost);
        Process& process = start();
        EXPECT_EQ(how(emit(process, numero)), How::open);
        EXPECT_EQ(how(emit(process, numero + 1)), How::finished);
        EXPECT_TRUE(database->transact([&](Transaction& transaction) -> Result<void> {
            const auto one =
                find_by_id_idempotencia(transaction, tenant, identidade_of(numero).id_idempotencia);
            const auto other = find_by_id_idempotencia(
                transaction, tenant, identidade_of(numero + 1).id_idempotencia
            );
            if (!one || !other) return fail(Errc::not_found, "no document");
            return replace(transaction, **other, (*one)->id);
        }));
        return process;
    }
};

TEST_F(Voiding, IsRegisteredOnceAndKeepsItsRequest)
{
    reserve(1);
    Process& process = start();

    EXPECT_EQ(how(give_up(process, 1)), How::finished);
    const auto again = give_up(process, 1);

    EXPECT_EQ(to_text(again->outcome), "replayed");
    EXPECT_EQ(authority.voids, 1);
    EXPECT_EQ(row(1).estado, Estado::inutilizado);
    EXPECT_EQ(row(1).protocolo, "V1");
    EXPECT_EQ(row(1).justificativa, "falha do sistema de vendas");
    EXPECT_EQ(row(1).pedido_sha256, to_hex(sha256(authority.pedidos.front())));
    EXPECT_FALSE(row(1).conciliar_em);
}

TEST_F(Voiding, ALostAnswerIsFoundByTheSameRequest)
{
    for (const Fault fault : {Fault::answer_lost, Fault::request_lost}) {
        const std::int64_t numero = fault == Fault::answer_lost ? 1 : 2;
        reserve(numero);
        authority.void_faults = {fault};
        authority.pedidos.clear();
        Process& process = start();
        EXPECT_EQ(how(give_up(process, numero)), How::open);
        EXPECT_EQ(estado(numero), Estado::inutilizacao_pendente);

        converge(process);

        EXPECT_EQ(estado(numero), Estado::inutilizado);
        EXPECT_EQ(row(numero).protocolo, authority.voided["DPS" + std::to_string(numero)]);
        ASSERT_EQ(authority.pedidos.size(), 2u);
        EXPECT_EQ(authority.pedidos[0], authority.pedidos[1]);
    }
}

TEST_F(Voiding, ADoubtIsNotTakenBackByASecondCallThatDidNothing)
{
    std::int64_t numero = 0;
    for (const Fault fault : {Fault::unreached, Fault::later}) {
        reserve(++numero);
        authority.void_faults = {Fault::answer_lost, fault, fault, fault};
        Process& process = start();
        EXPECT_EQ(how(give_up(process, numero)), How::open);
        converge_until(
            "a second call did nothing", [&] { return authority.void_faults.size() < 3; }, process
        );
        EXPECT_NE(estado(numero), Estado::reservado);

        converge(process);

        EXPECT_EQ(estado(numero), Estado::inutilizado);
    }
}

TEST_F(Voiding, ADoubtIsNotTakenBackByABlock)
{
    reserve(1);
    authority.void_faults = {Fault::answer_lost};
    Process& process = start();
    EXPECT_EQ(how(give_up(process, 1)), How::open);
    ASSERT_TRUE(process.module.guard().block(authority, subject_of(row(1)), 1h));

    const std::string id = identidade_of(1).id_idempotencia;
    test::wait_until("it is tried again", [&] {
        const auto driven = void_number(process.module, tenant, id, nullptr, When::now);
        return driven && driven->ended && driven->ended->is_blocked;
    });

    EXPECT_EQ(estado(1), Estado::inutilizacao_pendente);
    EXPECT_EQ(authority.voids, 1);
}

TEST_F(Voiding, ANumberWithoutANameThatIsInUseIsNotOurs)
{
    Identidade nameless = identidade_of(1);
    nameless.id_autoridade = std::nullopt;
    ASSERT_TRUE(database->transact([&](Transaction& transaction) -> Result<void> {
        const auto made =
            insert_reserved(transaction, tenant, {nameless, std::string{"2026-12-10"}});
        if (!made) return std::unexpected(made.error());
        return {};
    }));
    authority.ledger["DPS1"] = {.xml = "theirs", .chave = "CHAVE-DPS1", .authorisations = 1};
    Process& process = start();

    EXPECT_EQ(how(give_up(process, 1)), How::gave_up);

    EXPECT_EQ(estado(1), Estado::reservado);
    EXPECT_EQ(row(1).alerta, describe(Concern::not_ours));
    EXPECT_EQ(authority.consults, 0);
}

TEST_F(Voiding, ARequestThatMayBeUnderWayIsNotSentAgain)
{
    reserve(1);
    settings.settle = 1h;
    authority.void_faults = {Fault::answer_lost};
    Process& process = start();
    EXPECT_EQ(how(give_up(process, 1)), How::open);

    const auto again =
        void_number(process.module, tenant, identidade_of(1).id_idempotencia, nullptr, When::now);

    EXPECT_EQ(to_text(again->outcome), "in_doubt");
    EXPECT_EQ(authority.voids, 1);
}

TEST_F(Voiding, ARefusalLeavesTheNumberAsItWas)
{
    reserve(1);
    authority.emit_faults = {Fault::refused};
    Process& process = start();
    EXPECT_EQ(how(emit(process, 2)), How::gave_up);
    authority.void_faults = {Fault::refused, Fault::refused};

    EXPECT_EQ(how(give_up(process, 1)), How::gave_up);
    EXPECT_EQ(how(give_up(process, 2)), How::gave_up);

    EXPECT_EQ(estado(1), Estado::reservado);
    EXPECT_EQ(estado(2), Estado::rejeitado);
    EXPECT_FALSE(row(1).pedido_sha256);
    EXPECT_EQ(how(emit(process, 1)), How::finished);
    EXPECT_EQ(how(give_up(process, 2)), How::finished);
}

TEST_F(Voiding, ARefusalAfterADoubtEndsIt)
{
    reserve(1);
    authority.void_faults = {Fault::request_lost, Fault::refused};
    Process& process = start();
    EXPECT_EQ(how(give_up(process, 1)), How::open);

    converge(process);

    EXPECT_EQ(estado(1), Estado::reservado);
    EXPECT_EQ(how(give_up(process, 1)), How::finished);
}

TEST_F(Voiding, ANumberThatIsInUseBelongsToItsDocument)
{
    reserve(1);
    authority.ledger["DPS1"] = {.xml = "theirs", .chave = "CHAVE-DPS1", .authorisations = 1};
    Process& process = start();

    give_up(process, 1);

    EXPECT_NE(estado(1), Estado::inutilizado);
    EXPECT_TRUE(authority.voided.empty());
    EXPECT_TRUE(row(1).alerta);
}

TEST_F(Voiding, OfADocumentInDoubtIsNotBegun)
{
    authority.emit_faults = {Fault::answer_lost};
    authority.consult_faults.assign(3, Fault::request_lost);
    Process& process = start();
    EXPECT_EQ(how(emit(process, 1)), How::open);

    EXPECT_EQ(how(give_up(process, 1)), How::gave_up);

    EXPECT_EQ(authority.voids, 0);
    converge(process);
    expect_agreement(1);
}

TEST_F(Voiding, ADeathAtEveryTransactionEndsInOneVoiding)
{
    using Fate = MortalDatabase::Fate;
    std::int64_t numero = 0;
    for (const Fate fate : {Fate::dies_before, Fate::dies_after}) {
        for (int at = 1; at <= 4; ++at) {
            reserve(++numero);
            MortalDatabase mortal{*database, [&](int call) {
                                      return call == at ? fate : Fate::answered;
                                  }};
            Process& process = start(mortal);
            auto begun = process.engine->begin(
                request_of(inutilizar_operation, tenant, identidade_of(numero).id_idempotencia)
            );
            ASSERT_TRUE(begun && std::holds_alternative<Lease>(*begun));
            {
                const std::string why = "falha do sistema de vendas";
                Lease lease = std::move(std::get<Lease>(*begun));
                static_cast<void>(run_voiding(process.module, lease, &why));
            }
            stop_last();
            end_leases();
            Process& next = start();
            converge(next);
            test::wait_until("the number is voided", [&] {
                if (estado(numero) == Estado::inutilizado) return true;
                give_up(next, numero);
                return false;
            });
            EXPECT_EQ(row(numero).protocolo, authority.voided["DPS" + std::to_string(numero)]);
        }
    }
}

TEST_F(Voiding, WhatAnotherDocumentTookThePlaceOfIsNotSentAgainAndCanBeVoided)
{
    Process& process = start_with_replaced(1, Fault::request_lost);

    converge(process);

    EXPECT_EQ(authority.emits, 2);  // of 1 and of 2
    EXPECT_EQ(estado(1), Estado::rejeitado);
    EXPECT_TRUE(row(1).prazo_inutilizacao);
    EXPECT_EQ(how(give_up(process, 1)), How::finished);
    EXPECT_EQ(estado(1), Estado::inutilizado);
}

TEST_F(Voiding, WhatAnotherDocumentTookThePlaceOfIsNotSentInACorrectedFormEither)
{
    Process& process = start_with_replaced(1, Fault::request_lost);
    converge(process);
    EXPECT_EQ(estado(1), Estado::rejeitado);

    EXPECT_EQ(how(emit(process, 1, "corrected")), How::gave_up);

    EXPECT_EQ(authority.emits, 2);
}

TEST_F(Voiding, WhatAnotherDocumentTookThePlaceOfAndIsAuthorisedIsSubstituted)
{
    Process& process = start_with_replaced(1, Fault::answer_lost);

    converge(process);

    EXPECT_EQ(estado(1), Estado::autorizado);
    EXPECT_EQ(row(1).alerta, describe(Concern::replaced));
    EXPECT_EQ(*prazo_substituicao(row(1)) - *row(1).autorizado_em, 168h);
    EXPECT_EQ(how(cancel(process, 1)), How::finished);
    EXPECT_EQ(estado(1), Estado::substituido);
    EXPECT_NE(authority.pedidos.back().find("por='CHAVE-DPS2'"), std::string::npos);
    EXPECT_FALSE(row(1).alerta);
}

TEST_F(Voiding, ADocumentIsAskedAboutNoMoreOftenThanItsAuthorityAllows)
{
    authority.enquiries_most = 5;
    authority.emit_faults = {Fault::answer_lost};
    authority.consult_faults.assign(20, Fault::request_lost);
    Process& process = start();
    EXPECT_EQ(how(emit(process, 1)), How::open);  // asks three times
    const std::string id = identidade_of(1).id_idempotencia;

    for (int i = 0; i < 5; ++i) {
        static_cast<void>(fiscal::emit(process.module, tenant, id, nullptr, When::now));
    }

    EXPECT_EQ(authority.consults, 5);
    EXPECT_GT(*row(1).conciliar_em - row(1).updated_at, 50min);
}

}  // namespace
}  // namespace umavez::fiscal
