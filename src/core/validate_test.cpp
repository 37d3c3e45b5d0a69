#include "core/validate.hpp"

#include "core/test_records.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace umavez {
namespace {

using namespace test;

constexpr Offered everything{.store_name = "test", .atomic = true, .leased = true, .cached = true};

// The refusal without its prefix, or "accepted".
std::string verdict(
    const Policy& policy, const Offered& offered = everything, const Registered& registered = {}
)
{
    const Result<void> checked = validate("pedidos.criar", policy, offered, registered);
    if (checked) return "accepted";
    EXPECT_EQ(checked.error().code, Errc::misconfigured);
    const std::string prefix = "operation \"pedidos.criar\": ";
    EXPECT_TRUE(checked.error().detail.starts_with(prefix)) << checked.error().detail;
    return checked.error().detail.substr(prefix.size());
}

Policy changed(Policy policy, const std::function<void(Policy&)>& change)
{
    change(policy);
    return policy;
}

TEST(Validate, AcceptsTheDefaults)
{
    EXPECT_EQ(verdict(Policy{}), "accepted");
    EXPECT_EQ(verdict(leased_policy()), "accepted");
    EXPECT_EQ(verdict(reconciled_policy()), "accepted");
    EXPECT_EQ(verdict(cached_policy()), "accepted");
}

TEST(Validate, RefusesAGuaranteeTheStoreCannotGive)
{
    const Offered memory{.store_name = "memory", .cached = true};
    const Offered sqlite{.store_name = "sqlite", .atomic = true, .leased = true};

    EXPECT_EQ(
        verdict(Policy{}, memory),
        "guarantee = \"atomic\" cannot be given by the memory store; use SQLite or PostgreSQL, or "
        "guarantee = \"cached\""
    );
    EXPECT_EQ(
        verdict(leased_policy(), memory),
        "guarantee = \"leased\" cannot be given by the memory store; use SQLite or PostgreSQL, or "
        "guarantee = \"cached\""
    );
    EXPECT_EQ(
        verdict(cached_policy(), sqlite),
        "guarantee = \"cached\" cannot be given by the sqlite store; use memory, or "
        "guarantee = \"leased\""
    );
    EXPECT_EQ(verdict(cached_policy(), memory), "accepted");
    EXPECT_EQ(verdict(leased_policy(), sqlite), "accepted");
}

TEST(Validate, RefusesDurationsThatAreNotPositiveOrInsane)
{
    struct Named {
        std::string name;
        std::function<void(Policy&, Duration)> set;
    };
    const std::vector<Named> settings = {
        {"lease", [](Policy& policy, Duration value) { policy.lease = value; }},
        {"run_limit", [](Policy& policy, Duration value) { policy.run_limit = value; }},
        {"duplicate_wait", [](Policy& policy, Duration value) { policy.duplicate_wait = value; }},
        {"atomic_run_limit", [](Policy& policy, Duration value) { policy.atomic_run_limit = value; }},
        {"retention", [](Policy& policy, Duration value) { policy.retention = value; }},
    };
    for (const Named& setting : settings) {
        Policy policy;
        setting.set(policy, 0s);
        EXPECT_EQ(verdict(policy), setting.name + " is 0 s; it must be greater than 0");
        setting.set(policy, -90s);
        EXPECT_EQ(verdict(policy), setting.name + " is -90 s; it must be greater than 0");
        setting.set(policy, Duration::max());
        EXPECT_EQ(verdict(policy), setting.name + " is longer than 100 years; check its unit");
    }
}

TEST(Validate, RefusesASettlingTimeThatIsNegativeOrInsane)
{
    const auto settle = [](Duration value) {
        return verdict(changed(Policy{}, [value](Policy& policy) { policy.settle = value; }));
    };

    EXPECT_EQ(settle(0s), "accepted");
    EXPECT_EQ(settle(-1s), "settle is -1 s; it must be between 0 and 100 years");
    EXPECT_EQ(settle(24h * 40'000), "settle is 3456000000 s; it must be between 0 and 100 years");
}

TEST(Validate, RefusesARetryHorizonThatIsNegativeOrInsane)
{
    const auto horizon = [](Duration value) {
        return verdict(changed(Policy{}, [value](Policy& policy) { policy.retry_horizon = value; }));
    };

    EXPECT_EQ(horizon(0s), "accepted");
    EXPECT_EQ(horizon(-5s), "retry_horizon is -5 s; it must be between 0 and 100 years");
    EXPECT_EQ(horizon(24h * 40'000), "retry_horizon is 3456000000 s; it must be between 0 and 100 years");
}

TEST(Validate, RefusesNumbersThatAreNoneOfTheWords)
{
    struct Named {
        std::function<void(Policy&)> spoil;
        std::string sentence;
    };
    const auto none_of = [](const std::string& setting, const std::string& words) {
        return setting + " is 77, which is none of its values; use " + words;
    };
    const std::vector<Named> settings = {
        {[](Policy& policy) { policy.guarantee = Guarantee{77}; },
         none_of("guarantee", "atomic, leased or cached")},
        {[](Policy& policy) { policy.key = KeyRule{77}; },
         none_of("key", "required, optional or derived")},
        {[](Policy& policy) { policy.on_mismatch = OnMismatch{77}; },
         none_of("on_mismatch", "reject or original")},
        {[](Policy& policy) { policy.replay = Replaying{77}; }, none_of("replay", "stored or current")},
        {[](Policy& policy) { policy.on_duplicate = OnDuplicate{77}; },
         none_of("on_duplicate", "conflict or wait")},
        {[](Policy& policy) { policy.on_abandoned = OnAbandoned{77}; },
         none_of("on_abandoned", "automatic, reconcile, hold or rerun")},
        {[](Policy& policy) { policy.effect = RepeatedEffect{77}; },
         none_of("effect", "harmful, deduplicated or harmless")},
        {[](Policy& policy) { policy.finality = Finality{77}; },
         none_of("finality", "standard or success")},
        {[](Policy& policy) { policy.on_store_error = OnStoreError{77}; },
         none_of("on_store_error", "closed or open")},
    };
    for (const Named& setting : settings) {
        EXPECT_EQ(verdict(changed(Policy{}, setting.spoil)), setting.sentence);
    }
}

TEST(Validate, RefusesALeaseLongerThanTheRunLimit)
{
    const Policy policy = changed(leased_policy(), [](Policy& changing) {
        changing.lease = 20min;
    });

    EXPECT_EQ(
        verdict(policy),
        "lease (1200 s) is longer than run_limit (600 s); shorten the lease or raise run_limit"
    );
}

TEST(Validate, AcceptsRetentionForever)
{
    EXPECT_EQ(
        verdict(changed(Policy{}, [](Policy& policy) { policy.retention.reset(); })), "accepted"
    );
}

TEST(Validate, RefusesToReconcileWithoutAReconciler)
{
    EXPECT_EQ(
        verdict(leased_policy(OnAbandoned::reconcile)),
        "on_abandoned = \"reconcile\" needs a reconciler; register one or use \"hold\""
    );
    EXPECT_EQ(verdict(reconciled_policy(OnAbandoned::reconcile)), "accepted");
}

TEST(Validate, RefusesToRepeatAHarmfulEffect)
{
    const auto rerun = [](Guarantee guarantee, RepeatedEffect effect) {
        return verdict(changed(leased_policy(OnAbandoned::rerun), [=](Policy& policy) {
            policy.guarantee = guarantee;
            policy.effect = effect;
        }));
    };

    EXPECT_EQ(
        rerun(Guarantee::leased, RepeatedEffect::harmful),
        "on_abandoned = \"rerun\" repeats the effect; write effect = \"deduplicated\" (the other side "
        "dedupes on the effect key) or effect = \"harmless\", or use \"reconcile\" or \"hold\""
    );
    EXPECT_EQ(rerun(Guarantee::leased, RepeatedEffect::deduplicated), "accepted");
    EXPECT_EQ(rerun(Guarantee::leased, RepeatedEffect::harmless), "accepted");
    EXPECT_EQ(rerun(Guarantee::cached, RepeatedEffect::harmful), "accepted");
}

TEST(Validate, RefusesToRunAtomicOperationsUnprotected)
{
    const auto open = [](Policy& policy) { policy.on_store_error = OnStoreError::open; };

    EXPECT_EQ(
        verdict(changed(Policy{}, open)),
        "on_store_error = \"open\" is not possible for guarantee = \"atomic\"; use \"closed\""
    );
    EXPECT_EQ(verdict(changed(leased_policy(), open)), "accepted");
}

TEST(Validate, RefusesToReplayTheCurrentEntityWithoutAWayToLoadIt)
{
    const auto current = [](Policy& policy) { policy.replay = Replaying::current; };

    EXPECT_EQ(
        verdict(changed(Policy{}, current)),
        "replay = \"current\" needs a function that loads the entity; register `current` or use "
        "replay = \"stored\""
    );
    EXPECT_EQ(
        verdict(changed(leased_policy(), current), everything, {.has_current = true}),
        "replay = \"current\" needs guarantee = \"atomic\"; use replay = \"stored\""
    );
    EXPECT_EQ(verdict(changed(Policy{}, current), everything, {.has_current = true}), "accepted");
}

TEST(Validate, RefusesALeaseTooShortToBeKept)
{
    const auto short_lease = [](Policy& policy) { policy.lease = 9ms; };

    // Of an atomic operation too, which has none: whoever writes it down expects something of it.
    for (const Policy& policy : {leased_policy(), cached_policy(), Policy{}}) {
        EXPECT_EQ(
            verdict(changed(policy, short_lease)),
            "lease is 0.009 s; heartbeats keep nothing below 0.01 s, so raise it"
        );
    }
    EXPECT_EQ(
        verdict(changed(leased_policy(), [](Policy& policy) { policy.lease = 10ms; })), "accepted"
    );
}

TEST(Validate, RefusesToRerunWithoutTakeovers)
{
    const auto none = [](Policy& policy) { policy.takeovers_max = 0; };

    EXPECT_EQ(
        verdict(changed(leased_policy(OnAbandoned::rerun), none)),
        "takeovers_max is 0, so on_abandoned = \"rerun\" would never re-run; raise it or use \"hold\""
    );
    EXPECT_EQ(verdict(changed(leased_policy(), none)), "accepted");
}

TEST(Validate, RefusesToKeepNoAnswerAtAll)
{
    EXPECT_EQ(
        verdict(changed(Policy{}, [](Policy& policy) { policy.response_bytes_max = 0; })),
        "response_bytes_max is 0, so no answer would be kept; raise it"
    );
}

TEST(Validate, RefusesHalfOfWhatAWorkerNeeds)
{
    EXPECT_EQ(
        verdict(leased_policy(), everything, {.has_load = true}),
        "`load` without `work`: a worker would have a payload and nothing to do with it; register both "
        "or neither"
    );
    EXPECT_EQ(
        verdict(leased_policy(), everything, {.has_work = true}),
        "`work` without `load`: a worker would have nothing to run it with; register both or neither"
    );
    EXPECT_EQ(verdict(leased_policy(), everything, {.has_load = true, .has_work = true}), "accepted");
}

TEST(Warnings, NameARetentionShorterThanTheRetryHorizon)
{
    Policy policy;
    policy.retry_horizon = 72h;
    EXPECT_EQ(
        warnings("pedidos.criar", policy),
        std::vector<std::string>{
            "operation \"pedidos.criar\": retention (86400 s) is shorter than the retry horizon of its "
            "source (259200 s); a late retry would run again"}
    );

    policy.retention = 72h;
    EXPECT_TRUE(warnings("pedidos.criar", policy).empty());
    policy.retention.reset();
    EXPECT_TRUE(warnings("pedidos.criar", policy).empty());
}

TEST(Warnings, NameOperationsThatMayRunUnprotected)
{
    Policy policy = leased_policy();
    policy.on_store_error = OnStoreError::open;

    EXPECT_EQ(
        warnings("pedidos.criar", policy),
        std::vector<std::string>{
            "operation \"pedidos.criar\": on_store_error = \"open\" runs unprotected while the store is "
            "down"}
    );
}

}  // namespace
}  // namespace umavez
