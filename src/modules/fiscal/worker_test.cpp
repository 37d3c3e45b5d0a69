// The worker: who is left alone, how it stops, and the rows it works by.

#include "modules/fiscal/test_bench.hpp"

namespace umavez::fiscal {
namespace {

class Worker : public Bench {
protected:
    // A document that nobody knows anything of.
    Process& start_with_doubt(std::int64_t numero)
    {
        authority.emit_faults = {Fault::answer_lost};
        authority.consult_faults = {Fault::request_lost, Fault::request_lost, Fault::request_lost};
        Process& process = start();
        EXPECT_EQ(how(emit(process, numero)), How::open);
        return process;
    }
};

TEST_F(Worker, ABlockedAuthorityIsLeftAlone)
{
    Process& process = start_with_doubt(1);
    ASSERT_TRUE(process.module.guard().block(authority, subject_of(row(1)), 1h));
    const int before = authority.consults;

    ASSERT_TRUE(work_on(process.module, row(1)));

    EXPECT_EQ(authority.consults, before);
    EXPECT_GT(*row(1).conciliar_em - row(1).updated_at, 50min);
}

TEST_F(Worker, WhoIsBusyIsComeBackToAndNothingElseIsWritten)
{
    authority.close();
    Process& process = start();
    Process& other = start();
    {
        std::jthread client{[&] { static_cast<void>(emit(process, 1)); }};
        authority.wait_for_callers(1);
        const Documento seen = row(1);
        EXPECT_EQ(seen.estado, Estado::transmitido);

        ASSERT_TRUE(work_on(other.module, seen));

        EXPECT_EQ(row(1).versao, seen.versao);
        EXPECT_TRUE(row(1).conciliar_em);
        EXPECT_EQ(authority.consults, 0);
        authority.open();
    }
    expect_agreement(1);
}

TEST_F(Worker, AStopEndsCallsThatTakeTooLongAndAnotherProcessGoesOn)
{
    authority.emit_faults = {Fault::request_lost};
    authority.consult_faults = {Fault::request_lost, Fault::request_lost, Fault::request_lost};
    authority.settles_after = 5ms;
    Process& process = start();
    EXPECT_EQ(how(emit(process, 1)), How::open);
    authority.close();
    {
        FiscalWorker worker{process.module, {.threads = 1, .period = 5ms, .stop_grace = 20ms}};
        authority.wait_for_callers(1);
        worker.stop();
        EXPECT_FALSE(worker.take_trouble());
    }
    authority.open();
    Process& next = start();
    converge(next);

    expect_agreement(1);
    EXPECT_EQ(estado(1), Estado::autorizado);
}

TEST_F(Worker, AKeyWhoseProcessDiedBeforeItsDocumentWasWrittenIsFreed)
{
    const Request request = request_of(emitir_operation, tenant, identidade_of(1).id_idempotencia);
    {
        Process& dead = start();
        auto begun = dead.engine->begin(request);
        ASSERT_TRUE(begun && std::holds_alternative<Lease>(*begun));
        // It leaves without a word.
        const Lease lease = std::move(std::get<Lease>(*begun));
    }
    stop_last();
    end_leases();
    Process& next = start();

    converge_until(
        "the key is freed",
        [&] {
            const auto story =
                next.engine->explain({request.tenant_id, request.operation, *request.key});
            return story && story->record && story->record->status == Status::failed;
        },
        next
    );

    EXPECT_EQ(authority.consults, 0);
    EXPECT_FALSE(has_row(1));
    EXPECT_EQ(how(emit(next, 1)), How::finished);
    expect_agreement(1);
}

TEST_F(Worker, WhatWasTakenAndNotBegunIsGivenBackAtAStop)
{
    settings.lease = 9min;  // whoever takes a document hides it for at least so long
    authority.settles_after = 5ms;
    Process& process = start();
    authority.emit_faults = {Fault::answer_lost};
    authority.emit_faults.resize(4, Fault::request_lost);
    authority.consult_faults.resize(12, Fault::request_lost);
    for (int numero = 1; numero <= 4; ++numero) EXPECT_EQ(how(emit(process, numero)), How::open);
    let_an_hour_pass();  // so that none is too early for its key
    sql("UPDATE documentos_fiscais SET conciliar_em = numero");
    authority.close();
    {
        // Documents are taken by twos. The first is found at once and makes room for the third and fourth;
        // the second and the third are sent, and wait outside.
        FiscalWorker worker{process.module, {.threads = 2, .period = 5ms, .stop_grace = 20ms}};
        authority.wait_for_callers(2);
        worker.stop();
    }

    EXPECT_EQ(estado(1), Estado::autorizado);
    const auto seen = look(*database, tenant, identidade_of(4).id_idempotencia);
    EXPECT_LT(*seen->documento->conciliar_em - seen->now, 1min);
    authority.open();
}

TEST_F(Worker, ADocumentIsTakenByOneAndHiddenFromOthers)
{
    start_with_doubt(1);
    std::vector<Documento> first;
    std::vector<Documento> second;
    ASSERT_TRUE(database->transact([&](Transaction& transaction) -> Result<void> {
        const auto due = transaction.execute("UPDATE documentos_fiscais SET conciliar_em = 1");
        if (!due) return std::unexpected(due.error());
        auto taken = take_due(transaction, 1h, 10);
        if (!taken) return std::unexpected(taken.error());
        first = *std::move(taken);
        auto again = take_due(transaction, 1h, 10);
        if (!again) return std::unexpected(again.error());
        second = *std::move(again);
        return {};
    }));

    EXPECT_EQ(first.size(), 1u);
    EXPECT_TRUE(second.empty());
}

class Rows : public Bench {
protected:
    Result<void> write(const Documento& seen, Documento next)
    {
        return database->transact([&](Transaction& transaction) -> Result<void> {
            const auto changed = change_estado(transaction, seen, next);
            if (!changed) return std::unexpected(changed.error());
            return {};
        });
    }
};

TEST_F(Rows, AreWrittenOverTheVersionThatWasSeenAndOnlyWhereTheTableLeads)
{
    Process& process = start();
    EXPECT_EQ(how(emit(process, 1)), How::finished);
    const Documento seen = row(1);
    Documento next = seen;
    next.marca = make_marca();
    next.estado = Estado::cancelamento_pendente;

    EXPECT_TRUE(write(seen, next));
    EXPECT_TRUE(write(seen, next)) << "the same write again finds itself";
    next.marca = make_marca();
    EXPECT_EQ(write(seen, next).error().code, Errc::lease_lost);
    Documento back = row(1);
    back.estado = Estado::reservado;
    EXPECT_EQ(write(row(1), back).error().code, Errc::invalid_argument);
}

TEST_F(Rows, ANaturalKeyIsThereOnceAndAKeyMeansOneDocument)
{
    const auto insert = [&](std::int64_t numero) {
        std::optional<Documento> made;
        EXPECT_TRUE(database->transact([&](Transaction& transaction) -> Result<void> {
            auto inserted = insert_documento(
                transaction, {.tenant_id = tenant, .identidade = identidade_of(numero)}
            );
            if (!inserted) return std::unexpected(inserted.error());
            made = *std::move(inserted);
            return {};
        }));
        return made;
    };
    const auto keep = [&](const Documento& documento, const std::string& key) {
        bool is_kept = false;
        EXPECT_TRUE(database->transact([&](Transaction& transaction) -> Result<void> {
            const auto kept = keep_key(transaction, documento, key);
            if (!kept) return std::unexpected(kept.error());
            is_kept = *kept;
            return {};
        }));
        return is_kept;
    };

    const auto first = insert(1);
    const auto second = insert(2);
    ASSERT_TRUE(first && second);
    EXPECT_FALSE(insert(1));
    EXPECT_TRUE(keep(*first, "a"));
    EXPECT_TRUE(keep(*first, "a"));
    EXPECT_TRUE(keep(*first, "b"));
    EXPECT_FALSE(keep(*second, "a"));
    EXPECT_TRUE(keep(*second, "c"));
}

TEST_F(Rows, BytesThatAreDamagedAreNotSent)
{
    authority.emit_faults = {Fault::request_lost};
    authority.settles_after = 1h;
    Process& process = start();
    EXPECT_EQ(how(emit(process, 1)), How::open);
    const std::string blob = database->dialect() == Dialect::postgres ? "'\\x00'::bytea" : "x'00'";
    ASSERT_TRUE(database->transact([&](Transaction& transaction) -> Result<void> {
        const auto spoilt = transaction.execute("UPDATE documentos_xml SET xml = " + blob);
        if (!spoilt) return std::unexpected(spoilt.error());
        return {};
    }));

    for (int i = 0; i < 3; ++i) static_cast<void>(work_on(process.module, row(1)));

    EXPECT_EQ(authority.emits, 1);
    EXPECT_EQ(estado(1), Estado::indeterminado);
}

}  // namespace
}  // namespace umavez::fiscal
