// A process that dies, or whose commits get no answer, at every point of its way: what it leaves is brought
// to its end by another, and the ledger never shows anything twice.
//
// Death is a database that does not answer any more and a lease that nobody holds: nothing of the process
// reaches the world afterwards, and its key is free when the lease is over.

#include "modules/fiscal/test_bench.hpp"

namespace umavez::fiscal {
namespace {

using Fate = MortalDatabase::Fate;

constexpr int transactions_most = 12;  // more than any of these ways has

std::string told(const Result<Begun>& begun)
{
    if (!begun) return begun.error().detail;
    const auto* const outcome = std::get_if<Outcome>(&*begun);
    if (outcome == nullptr) return "a lease";
    const auto* const away = std::get_if<Unavailable>(outcome);
    return std::string{to_text(*outcome)} + (away != nullptr ? ": " + away->detail : "");
}

class Death : public Bench {
protected:
    // The handler of a process whose n-th transaction has this fate; then its lease is left to itself. Tells
    // whether it came that far.
    bool emit_and_die(int at, Fate fate, std::int64_t numero)
    {
        MortalDatabase mortal{*database, [&](int call) {
                                  return call == at ? fate : Fate::answered;
                              }};
        Process& process = start(mortal);
        const Nova nova = nova_of(numero);
        auto begun = process.engine->begin(
            request_of(emitir_operation, tenant, nova.identidade.id_idempotencia)
        );
        EXPECT_TRUE(begun && std::holds_alternative<Lease>(*begun)) << told(begun);
        if (!begun || !std::holds_alternative<Lease>(*begun)) return false;
        {
            Lease lease = std::move(std::get<Lease>(*begun));
            static_cast<void>(run_emission(process.module, lease, &nova));
        }
        leave_for_dead();
        return mortal.calls >= at;
    }
    bool cancel_and_die(int at, Fate fate, std::int64_t numero)
    {
        MortalDatabase mortal{*database, [&](int call) {
                                  return call == at ? fate : Fate::answered;
                              }};
        Process& process = start(mortal);
        const std::string why = "pedido do cliente, em duplicidade";
        auto begun = process.engine->begin(
            request_of(cancelar_operation, tenant, identidade_of(numero).id_idempotencia)
        );
        EXPECT_TRUE(begun && std::holds_alternative<Lease>(*begun)) << told(begun);
        if (!begun || !std::holds_alternative<Lease>(*begun)) return false;
        {
            Lease lease = std::move(std::get<Lease>(*begun));
            static_cast<void>(run_cancellation(process.module, lease, &why));
        }
        leave_for_dead();
        return mortal.calls >= at;
    }

    // What it sent arrives before anybody may take over.
    void leave_for_dead()
    {
        stop_last();
        authority.land();
        end_leases();
    }

    // The client comes again, as often as it takes.
    void emit_until_known(Process& process, std::int64_t numero)
    {
        test::wait_until("the document comes to its end", [&] {
            const auto driven = emit(process, numero);
            EXPECT_TRUE(driven) << driven.error().detail;
            if (!driven) return false;
            return std::holds_alternative<Replayed>(driven->outcome) ||
                   (driven->ended && driven->ended->how == How::finished);
        });
    }
};

class DeathOf : public Death, public ::testing::WithParamInterface<std::pair<Fate, Fault>> {};

TEST_P(DeathOf, AnEmitterAtEveryTransaction)
{
    const auto [fate, fault] = GetParam();
    authority.settles_after = 30ms;
    authority.arrives_within = 10ms;
    settings.emit_limit = 30ms;
    std::int64_t numero = 0;
    for (int at = 1; at <= transactions_most; ++at) {
        authority.emit_faults = {fault};
        const bool came_far = emit_and_die(at, fate, ++numero);
        authority.emit_faults.clear();
        Process& next = start();
        converge(next);
        emit_until_known(next, numero);
        expect_agreement(numero);
        EXPECT_EQ(estado(numero), Estado::autorizado) << "transaction " << at;
        if (!came_far) break;
    }
    EXPECT_GT(numero, 2);
}

TEST_P(DeathOf, ACancellerAtEveryTransaction)
{
    const auto [fate, fault] = GetParam();
    settings.settle = 30ms;
    settings.cancel_limit = 30ms;
    authority.arrives_within = 10ms;
    std::int64_t numero = 0;
    for (int at = 1; at <= transactions_most; ++at) {
        Process& first = start();
        emit_until_known(first, ++numero);
        authority.cancel_faults = {fault};
        const bool came_far = cancel_and_die(at, fate, numero);
        authority.cancel_faults.clear();
        Process& next = start();
        converge(next);
        expect_agreement(numero);
        if (!came_far) break;
    }
    EXPECT_GT(numero, 2);
}

std::string name_of(const ::testing::TestParamInfo<std::pair<Fate, Fault>>& info)
{
    static constexpr const char* fates[] = {
        "Answered", "LostBefore", "LostAfter", "DiesBefore", "DiesAfter"
    };
    return std::string{fates[static_cast<int>(info.param.first)]} + "Fault" +
           std::to_string(static_cast<int>(info.param.second));
}

INSTANTIATE_TEST_SUITE_P(
    Every,
    DeathOf,
    ::testing::Values(
        std::pair{Fate::lost_before, Fault::none},
        std::pair{Fate::lost_after, Fault::none},
        std::pair{Fate::lost_after, Fault::answer_lost},
        std::pair{Fate::dies_before, Fault::none},
        std::pair{Fate::dies_after, Fault::none},
        std::pair{Fate::dies_before, Fault::answer_lost},
        std::pair{Fate::dies_after, Fault::answer_lost},
        std::pair{Fate::dies_before, Fault::request_lost},
        std::pair{Fate::dies_after, Fault::request_lost},
        std::pair{Fate::dies_before, Fault::lands_later},
        std::pair{Fate::dies_after, Fault::lands_later}
    ),
    name_of
);

// A reconciler that dies writes what it learnt, or nothing.
TEST_F(Death, OfAReconcilerAtEveryTransaction)
{
    for (const Fate fate : {Fate::dies_before, Fate::dies_after, Fate::lost_after}) {
        for (int at = 1; at <= 4; ++at) {
            const std::int64_t numero = at + 10 * static_cast<int>(fate);
            authority.emit_faults = {Fault::answer_lost};
            authority.consult_faults = {
                Fault::request_lost, Fault::request_lost, Fault::request_lost
            };
            Process& first = start();
            EXPECT_EQ(how(emit(first, numero)), How::open);
            authority.consult_faults.clear();
            const Request request =
                request_of(emitir_operation, tenant, identidade_of(numero).id_idempotencia);
            MortalDatabase mortal{*database, [&](int call) {
                                      return call == at ? fate : Fate::answered;
                                  }};
            {
                Process& dying = start(mortal);
                static_cast<void>(reconcile_emission(
                    dying.module, {.id = {tenant, request.operation, *request.key}, .token = {}}
                ));
                stop_last();
            }
            Process& next = start();
            converge(next);
            emit_until_known(next, numero);
            expect_agreement(numero);
        }
    }
}

// The owner stood still, somebody else took over and came to the end; the owner wakes up and finds out.
TEST_F(Death, AnOwnerThatComesLateChangesNothing)
{
    settings.settle = 10ms;
    authority.dedupes = true;
    authority.close();
    Process& slow = start();
    Process& next = start();
    const Nova nova = nova_of(1);
    auto begun =
        slow.engine->begin(request_of(emitir_operation, tenant, nova.identidade.id_idempotencia));
    ASSERT_TRUE(begun && std::holds_alternative<Lease>(*begun));
    Lease lease = std::move(std::get<Lease>(*begun));
    std::optional<Ended> ended;
    {
        std::jthread client{[&] { ended = run_emission(slow.module, lease, &nova); }};
        authority.wait_for_callers(1);
        slow.engine->stop();  // no signs of life any more
        client.join();
    }
    end_leases();
    authority.open();
    EXPECT_NE(ended->how, How::finished);

    converge(next);
    emit_until_known(next, 1);

    expect_agreement(1);
    EXPECT_EQ(estado(1), Estado::autorizado);
}

}  // namespace
}  // namespace umavez::fiscal
