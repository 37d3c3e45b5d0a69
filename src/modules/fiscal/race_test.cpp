// Threads and processes that want the same at the same time.

#include "modules/fiscal/test_bench.hpp"

#include <thread>

namespace umavez::fiscal {
namespace {

class Race : public Bench {
protected:
    // The processes take turns at the clients.
    template <typename Ask>
    void at_once(std::size_t count, const Ask& ask)
    {
        std::atomic<bool> go = false;
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < count; ++i) {
            threads.emplace_back([&, i] {
                go.wait(false);
                ask(i);
            });
        }
        go = true;
        go.notify_all();
    }
};

TEST_F(Race, FiftyClientsOfOneDocumentAreOneEmission)
{
    Process& one = start();
    Process& other = start();
    std::atomic<int> finished = 0;

    at_once(50, [&](std::size_t i) {
        const auto driven = emit(i % 2 == 0 ? one : other, 1);
        ASSERT_TRUE(driven) << driven.error().detail;
        if (driven->ended && driven->ended->how == How::finished) ++finished;
    });

    EXPECT_EQ(finished, 1);
    EXPECT_EQ(authority.emits, 1);
    expect_agreement(1);
}

TEST_F(Race, ManyCancelsAreOneEvent)
{
    Process& one = start();
    Process& other = start();
    EXPECT_EQ(how(emit(one, 1)), How::finished);
    const Documento authorised = row(1);
    const std::string why = "pedido do cliente, em duplicidade";

    at_once(20, [&](std::size_t i) {
        const auto driven = fiscal::cancel(
            (i % 2 == 0 ? one : other).module, tenant, authorised.identidade.id_idempotencia, &why
        );
        ASSERT_TRUE(driven) << driven.error().detail;
    });

    EXPECT_EQ(authority.cancels, 1);
    EXPECT_EQ(estado(1), Estado::cancelado);
    expect_agreement(1);
}

TEST_F(Race, ClientsAndWorkersOfTwoProcessesOverFaultsOfAllKinds)
{
    settings.settle = 15ms;
    authority.dedupes = false;
    authority.settles_after = 30ms;
    settings.emit_limit = 30ms;
    Process& one = start();
    Process& other = start();
    constexpr std::array faults = {
        Fault::none,
        Fault::answer_lost,
        Fault::request_lost,
        Fault::later,
        Fault::duplicate,
        Fault::rubbish,
    };
    for (int i = 0; i < 60; ++i) {
        authority.emit_faults.push_back(faults[static_cast<std::size_t>(i) % faults.size()]);
    }
    for (int i = 0; i < 20; ++i) {
        authority.consult_faults.push_back(i % 3 == 0 ? Fault::request_lost : Fault::none);
    }
    constexpr std::size_t documents = 20;
    {
        FiscalWorker first{one.module, {.threads = 2, .period = 5ms, .stop_grace = 1s}};
        FiscalWorker second{other.module, {.threads = 2, .period = 5ms, .stop_grace = 1s}};
        at_once(40, [&](std::size_t i) {
            const auto driven =
                emit(i % 2 == 0 ? one : other, static_cast<std::int64_t>(i % documents) + 1);
            ASSERT_TRUE(driven) << driven.error().detail;
        });
    }
    Process& last = start();
    converge(last);
    authority.emit_faults.clear();
    for (std::size_t i = 1; i <= documents; ++i) {
        const auto numero = static_cast<std::int64_t>(i);
        if (estado(numero) == Estado::reservado) {
            EXPECT_EQ(how(emit(last, numero)), How::finished);
        }
        EXPECT_EQ(estado(numero), Estado::autorizado);
        expect_agreement(numero);
    }
}

TEST_F(Race, AStormOfReconciliationsKeepsToTheRate)
{
    settings.guard.rule = {.per_minute = 600, .burst = 2};
    settings.settle = 1ms;
    settings.reconcile_longest = 2ms;
    Process& process = start();
    for (std::int64_t numero = 1; numero <= 8; ++numero) {
        authority.emit_faults = {Fault::answer_lost};
        // The guard has no turn left for most of these.
        authority.consult_faults = {};
        static_cast<void>(emit(process, numero));
    }
    const Duration began = system_clock().boottime();
    const int before = authority.consults;

    converge(process);

    const auto seconds = std::chrono::duration<double>(system_clock().boottime() - began).count();
    EXPECT_LE(authority.consults - before, 2 + static_cast<int>(seconds * 10) + 1);
    for (std::int64_t numero = 1; numero <= 8; ++numero) expect_agreement(numero);
}

}  // namespace
}  // namespace umavez::fiscal
