// Start, stop and what is refused around them, in virtual time.

#include "engine/test_world.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace umavez::testing_world {
namespace {

const Policy leased{.guarantee = Guarantee::leased};

TEST(Stop, NewClaimsAreRefusedAndOpenLeasesCanBeCompleted)
{
    World world;
    world.declare("pay", leased);
    world.start();
    auto begun = world.run(world.engine->async_begin(make_request("pay")));
    Lease& open = std::get<Lease>(*begun);

    world.engine->stop();

    const auto refused = world.run(world.engine->async_leased(make_request("pay", "k2"), answering({201})));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::store_unavailable);
    EXPECT_EQ(refused.error().detail, "the engine was stopped");
    EXPECT_TRUE(open.lost().stop_requested());
    EXPECT_TRUE(world.run(open.async_finish({201, {}, "done"})));
    const auto known = world.run(world.engine->async_look_up(make_request("pay")));
    ASSERT_TRUE(known && *known);
    EXPECT_TRUE(std::holds_alternative<Replayed>(**known));
}

TEST(Stop, NoWorkIsTakenUpAfterIt)
{
    World world;
    world.declare("pay", leased);
    world.start();
    world.engine->stop();

    const auto worked = world.run(world.engine->async_work_once());

    ASSERT_FALSE(worked);
    EXPECT_NE(worked.error().detail.find("stopped"), std::string::npos) << worked.error().detail;
}

TEST(Stop, ADuplicateThatWaitsClaimsNothingAfterIt)
{
    World world;
    world.declare("pay", leased);
    world.start();
    auto first = world.run(world.engine->async_begin(make_request("pay")));
    Request duplicate = make_request("pay");
    duplicate.wait = 10s;
    auto waiting = world.engine->async_begin(duplicate);
    waiting.start(world.timers.scheduler());
    ASSERT_FALSE(waiting.is_done());

    world.engine->stop();
    ASSERT_TRUE(world.run(std::get<Lease>(*first).async_untouched()));
    world.timers.advance(1s);

    ASSERT_TRUE(waiting.is_done());
    const auto begun = waiting.take();
    ASSERT_FALSE(begun);
    EXPECT_EQ(begun.error().detail, "the engine was stopped");
}

TEST(Start, RefusesOptionsThatCannotBeMeant)
{
    const std::vector<std::pair<std::function<void(EngineOptions&)>, std::string>> wrong = {
        {[](EngineOptions& options) { options.worker_period = 0s; },
         "worker_period is 0 s; it must be greater than 0, or absent for no worker"},
        {[](EngineOptions& options) { options.sweep_batch = 0; },
         "sweep_batch is 0; it must be between 1 and 10000"},
        {[](EngineOptions& options) { options.sweep_batch = 10'001; },
         "sweep_batch is 10001; it must be between 1 and 10000"},
        {[](EngineOptions& options) { options.audit_retention = -1s; },
         "audit_retention is -1 s; it must be between 0 and 100 years"},
        {[](EngineOptions& options) { options.audit_retention = 24h * 40'000; },
         "audit_retention is 3456000000 s; it must be between 0 and 100 years"},
        {[](EngineOptions& options) { options.store_patience = -1s; },
         "store_patience is -1 s; it must be between 0 and 100 years"},
    };
    World world;
    for (const auto& [change, expected] : wrong) {
        EngineOptions options = world.options();
        change(options);
        const auto started = make_engine(*world.store, options)->start();
        ASSERT_FALSE(started) << expected;
        EXPECT_EQ(started.error().code, Errc::misconfigured);
        EXPECT_EQ(started.error().detail, expected);
    }
}

TEST(Completed, ALeaseSaysSoWhenItIsUsedAgain)
{
    World world;
    world.declare("pay", leased);
    world.start();
    auto begun = world.run(world.engine->async_begin(make_request("pay")));
    Lease& lease = std::get<Lease>(*begun);
    ASSERT_TRUE(world.run(lease.async_finish({201, {}, "done"})));

    const auto saved = world.run(lease.async_save("half"));
    const auto again = world.run(lease.async_fail({422, {}, "no"}));

    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, Errc::invalid_argument);
    EXPECT_TRUE(saved.error().detail.starts_with("the lease was completed before"));
    ASSERT_FALSE(again);
    EXPECT_TRUE(again.error().detail.starts_with("the lease was completed before"));
    EXPECT_EQ(world.engine->stats().front().fenced, 0u);
}

// In a child: whether `call` is refused with a sentence about fork().
bool is_refused_in_child(const std::function<Result<void>()>& call)
{
    const pid_t child = ::fork();
    if (child == 0) {
        const auto done = call();
        ::_exit(!done && done.error().detail.find("fork()") != std::string::npos ? 0 : 1);
    }
    int status = -1;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Fork, AChildCannotUseTheEngineOfItsParent)
{
    World world;
    world.declare("pay", leased);
    world.start();
    auto begun = world.run(world.engine->async_begin(make_request("pay")));
    Lease& lease = std::get<Lease>(*begun);

    EXPECT_TRUE(is_refused_in_child([&]() -> Result<void> {
        const auto other = world.run(world.engine->async_begin(make_request("pay", "k2")));
        if (!other) return std::unexpected(other.error());
        return {};
    }));
    EXPECT_TRUE(is_refused_in_child([&] { return world.run(lease.async_finish({201})); }));
    EXPECT_TRUE(is_refused_in_child([&] { return world.run(lease.async_save("half")); }));
    EXPECT_TRUE(world.run(lease.async_finish({201})));
}

}  // namespace
}  // namespace umavez::testing_world
