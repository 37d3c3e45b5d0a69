#include "modules/fiscal/simulator/fault.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::fiscal::simulator {
namespace {

TEST(FaultPlan, ScriptedFaultsComeInTheirOrderAndAsOftenAsAsked)
{
    FaultPlan plan{{}};
    plan.add({.fault = Fault::reset, .call = Call::emitir, .times = 2});
    plan.add({.fault = Fault::slow});

    EXPECT_EQ(
        plan.next({.call = Call::consultar, .documento = "A"}, 1), Fault::slow
    );  // the first is not of this call
    EXPECT_EQ(plan.next({.call = Call::emitir, .documento = "A"}, 2), Fault::reset);
    EXPECT_EQ(plan.next({.call = Call::emitir, .documento = "A"}, 3), Fault::reset);
    EXPECT_EQ(plan.next({.call = Call::emitir, .documento = "A"}, 4), std::nullopt);
}

TEST(FaultPlan, FaultOfOneDocumentLeavesTheOthersAlone)
{
    FaultPlan plan{{}};
    plan.add({.fault = Fault::answer_lost, .documento = "B"});

    EXPECT_EQ(plan.next({.call = Call::emitir, .documento = "A"}, 1), std::nullopt);
    EXPECT_EQ(plan.next({.call = Call::emitir, .documento = "B"}, 2), Fault::answer_lost);
    EXPECT_EQ(plan.next({.call = Call::emitir, .documento = "B"}, 3), std::nullopt);
}

TEST(FaultPlan, FaultThatACallCannotHaveWaits)
{
    FaultPlan plan{{}};
    plan.add({.fault = Fault::cancel_behind});

    EXPECT_EQ(plan.next({.call = Call::consultar, .documento = "A"}, 1), std::nullopt);
    EXPECT_EQ(plan.next({.call = Call::emitir, .documento = "A"}, 2), Fault::cancel_behind);
}

TEST(FaultPlan, FaultOfSefazIsNoneOfSefinNacional)
{
    FaultPlan plan{{}};
    plan.add({.fault = Fault::receipt});

    EXPECT_EQ(plan.next({.call = Call::emitir, .documento = "A"}, 1), std::nullopt);
    EXPECT_EQ(
        plan.next({.service = Service::sefaz, .call = Call::emitir, .documento = "A"}, 2),
        Fault::receipt
    );
}

TEST(FaultPlan, ForgottenFaultsDoNotCome)
{
    FaultPlan plan{{}};
    plan.add({.fault = Fault::slow});

    plan.forget();

    EXPECT_EQ(plan.next({.call = Call::emitir, .documento = "A"}, 1), std::nullopt);
}

TEST(FaultPlan, ChanceDependsOnSeedAndNumberAlone)
{
    const ChanceOfFaults chance{.seed = 7, .rate = 0.5, .faults = {Fault::slow, Fault::reset}};
    FaultPlan one{chance};
    FaultPlan other{chance};
    FaultPlan another_seed{{.seed = 8, .rate = 0.5, .faults = chance.faults}};
    std::size_t faults = 0;
    std::size_t differences = 0;

    for (std::uint64_t number = 1; number <= 1000; ++number) {
        const auto fault = one.next({.call = Call::emitir, .documento = "A"}, number);
        EXPECT_EQ(other.next({.call = Call::emitir, .documento = "B"}, number), fault);
        if (fault) ++faults;
        if (another_seed.next({.call = Call::emitir, .documento = "A"}, number) != fault)
            ++differences;
    }

    EXPECT_NEAR(static_cast<double>(faults), 500, 80);
    EXPECT_GT(differences, 100U);
}

TEST(Faults, NamesAreReadBack)
{
    for (const FaultSpec& spec : fault_specs()) {
        EXPECT_EQ(parse_fault(spec.name), spec.fault);
        EXPECT_EQ(to_text(spec.fault), spec.name);
    }
    EXPECT_EQ(parse_fault("quiet"), std::nullopt);
}

}  // namespace
}  // namespace umavez::fiscal::simulator
