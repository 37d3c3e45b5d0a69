// The leased mode in virtual time, on a memory store declared durable.

#include "engine/test_world.hpp"

#include <stdexcept>

namespace umavez::testing_world {
namespace {

const Policy leased{.guarantee = Guarantee::leased};

TEST(Leased, FirstRunsAndTheRetryIsReplayed)
{
    World world;
    world.declare("pay", leased);
    world.start();
    int runs = 0;
    const Request request = make_request("pay");

    const auto first = world.run(world.engine->async_leased(request, answering({201, {}, "a"}, &runs)));
    const auto second = world.run(world.engine->async_leased(request, answering({500, {}, "b"}, &runs)));

    EXPECT_EQ(get<Executed>(first).response.body, "a");
    EXPECT_EQ(get<Replayed>(second).response.status, 201);
    EXPECT_EQ(get<Replayed>(second).response.body, "a");
    EXPECT_EQ(runs, 1);
}

TEST(Leased, AnotherPayloadUnderTheSameKeyIsRefusedEvenWhileTheFirstRuns)
{
    World world;
    world.declare("pay", leased);
    world.start();
    auto begun = world.run(world.engine->async_begin(make_request("pay")));
    ASSERT_TRUE(std::holds_alternative<Lease>(*begun));
    const Record before = world.record(make_request("pay"));

    const auto other =
        world.run(world.engine->async_leased(make_request("pay", "k1", "other"), answering({})));
    const auto same = world.run(world.engine->async_leased(make_request("pay"), answering({})));

    EXPECT_FALSE(get<Mismatch>(other).target);
    EXPECT_EQ(get<InProgress>(same).retry_after, 30s);
    EXPECT_EQ(world.record(make_request("pay")), before);
}

TEST(Leased, AnExceptionLeavesTheKeyInDoubtAndReachesTheCaller)
{
    World world;
    world.declare("pay", leased);
    world.start();
    AsyncLeasedHandler thrower = [](Lease&) -> Task<Response> {
        throw std::runtime_error("connection reset");
        co_return Response{};
    };

    EXPECT_THROW(
        static_cast<void>(world.run(world.engine->async_leased(make_request("pay"), thrower))),
        std::runtime_error
    );

    EXPECT_EQ(world.record(make_request("pay")).status, Status::in_doubt);
    int runs = 0;
    const auto retry = world.run(world.engine->async_leased(make_request("pay"), answering({}, &runs)));
    EXPECT_FALSE(get<InDoubt>(retry).retry_after);
    EXPECT_EQ(runs, 0);
}

TEST(Leased, AServerErrorIsInDoubtAndAClientErrorIsFinal)
{
    World world;
    world.declare("pay", leased);
    world.start();

    const auto unclear = world.run(world.engine->async_leased(make_request("pay", "a"), answering({503})));
    const auto refused = world.run(world.engine->async_leased(make_request("pay", "b"), answering({422})));
    const auto again = world.run(world.engine->async_leased(make_request("pay", "b"), answering({200})));

    get<InDoubt>(unclear);
    EXPECT_TRUE(get<Executed>(refused).kept);
    EXPECT_EQ(get<Replayed>(again).response.status, 422);
    EXPECT_EQ(get<Replayed>(again).status, Status::failed);
}

TEST(Leased, UntouchedFreesTheKey)
{
    World world;
    world.declare("pay", leased);
    world.start();
    AsyncLeasedHandler untouched = [](Lease& lease) -> Task<Response> {
        const Response answer{.status = 503};
        const auto freed = co_await lease.async_untouched(answer);
        EXPECT_TRUE(freed);
        co_return answer;
    };

    const auto first = world.run(world.engine->async_leased(make_request("pay"), untouched));
    const auto second = world.run(world.engine->async_leased(make_request("pay"), answering({201})));

    EXPECT_FALSE(get<Executed>(first).kept);
    EXPECT_EQ(get<Executed>(second).response.status, 201);
    EXPECT_EQ(world.record(make_request("pay")).attempts, 2u);
}

TEST(Leased, HeartbeatsKeepALongRunAliveUntilRunLimit)
{
    World world;
    world.declare("pay", leased);
    world.start();
    auto begun = world.run(world.engine->async_begin(make_request("pay")));
    Lease& lease = std::get<Lease>(*begun);

    world.timers.advance(9min);
    EXPECT_FALSE(lease.lost().stop_requested());
    EXPECT_EQ(world.record(make_request("pay")).token, lease.token());

    world.timers.advance(61s);
    EXPECT_TRUE(lease.lost().stop_requested());
}

TEST(Leased, ADroppedLeaseIsHeldAfterExpiryAndTheLateOwnerMaySettleIt)
{
    World world;
    world.declare("pay", leased);
    world.start();
    const Request request = make_request("pay");
    auto begun = world.run(world.engine->async_begin(request));
    Lease late = std::move(std::get<Lease>(*begun));
    world.clock.advance(31s);

    const auto report = world.run(world.engine->async_work_once());
    EXPECT_EQ(report->held, 1u);
    EXPECT_EQ(world.record(request).status, Status::in_doubt);

    EXPECT_TRUE(world.run(late.async_finish({201, {}, "late"})));
    EXPECT_EQ(world.record(request).status, Status::succeeded);
}

TEST(Leased, ALateOwnerIsFencedAfterATakeover)
{
    World world;
    Policy policy = leased;
    policy.on_abandoned = OnAbandoned::rerun;
    policy.effect = RepeatedEffect::deduplicated;
    world.declare("pay", policy);
    world.start();
    const Request request = make_request("pay");
    auto begun = world.run(world.engine->async_begin(request));
    Lease late = std::move(std::get<Lease>(*begun));
    world.clock.advance(31s);

    const auto taken = world.run(world.engine->async_leased(request, answering({201, {}, "new"})));
    const auto finished = world.run(late.async_finish({201, {}, "old"}));

    get<Executed>(taken);
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().code, Errc::lease_lost);
    EXPECT_EQ(world.record(request).response->response.body, "new");
    EXPECT_EQ(world.engine->stats().front().fenced, 1u);
    EXPECT_EQ(world.engine->stats().front().takeovers, 1u);
}

TEST(Leased, APoisonOperationIsHeldAfterTooManyTakeovers)
{
    World world;
    Policy policy = leased;
    policy.on_abandoned = OnAbandoned::rerun;
    policy.effect = RepeatedEffect::harmless;
    policy.takeovers_max = 2;
    world.declare("pay", policy);
    world.start();
    for (int i = 0; i < 3; ++i) {
        auto begun = world.run(world.engine->async_begin(make_request("pay")));
        ASSERT_TRUE(std::holds_alternative<Lease>(*begun));
        world.clock.advance(31s);
    }

    const auto fourth = world.run(world.engine->async_leased(make_request("pay"), answering({})));

    get<InDoubt>(fourth);
    EXPECT_EQ(world.record(make_request("pay")).status, Status::in_doubt);
}

TEST(Leased, ACheckpointReachesTheNextOwner)
{
    World world;
    Policy policy = leased;
    policy.on_abandoned = OnAbandoned::rerun;
    policy.effect = RepeatedEffect::deduplicated;
    world.declare("pay", policy);
    world.start();
    {
        auto begun = world.run(world.engine->async_begin(make_request("pay")));
        Lease& lease = std::get<Lease>(*begun);
        EXPECT_TRUE(world.run(lease.async_save("line 7")));
        EXPECT_FALSE(world.run(lease.async_save(std::string(64 * 1024 + 1, 'x'))));
    }
    world.timers.advance(31s);

    auto next = world.run(world.engine->async_begin(make_request("pay")));

    EXPECT_EQ(std::get<Lease>(*next).checkpoint(), "line 7");
}

TEST(Leased, AWaitingDuplicateGetsTheAnswerOfTheFirst)
{
    World world;
    Policy policy = leased;
    policy.on_duplicate = OnDuplicate::wait;
    policy.duplicate_wait = 20s;
    world.declare("pay", policy);
    world.start();
    auto begun = world.run(world.engine->async_begin(make_request("pay")));
    Lease first = std::move(std::get<Lease>(*begun));

    Task<Result<Outcome>> second = world.engine->async_leased(make_request("pay"), answering({500}));
    second.start(world.timers.scheduler());
    world.timers.advance(5s);
    EXPECT_FALSE(second.is_done());
    EXPECT_TRUE(world.run(first.async_finish({201, {}, "done"})));
    world.timers.resume_ready();

    ASSERT_TRUE(second.is_done());
    EXPECT_EQ(get<Replayed>(second.take()).response.body, "done");
}

TEST(Leased, AWaitingDuplicateGivesUpInTime)
{
    World world;
    world.declare("pay", leased);
    world.start();
    auto begun = world.run(world.engine->async_begin(make_request("pay")));
    Request impatient = make_request("pay");
    impatient.wait = 3s;
    const Duration before = world.clock.boottime();

    const auto outcome = world.run(world.engine->async_leased(impatient, answering({})));

    get<InProgress>(outcome);
    EXPECT_GE(world.clock.boottime() - before, 3s);
    EXPECT_LT(world.clock.boottime() - before, 4s);
}

TEST(Leased, MissingKeyWhereRequiredAndUnknownOperationAreTheCallersMistakes)
{
    World world;
    Policy policy = leased;
    policy.key = KeyRule::required;
    world.declare("pay", policy);
    world.start();
    Request keyless = make_request("pay");
    keyless.key.reset();

    const auto missing = world.run(world.engine->async_leased(keyless, answering({})));
    const auto unknown = world.run(world.engine->async_leased(make_request("nope"), answering({})));

    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().detail, "operation \"pay\" requires a key; send one");
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().detail, "unknown operation \"nope\"; declared are: pay");
}

TEST(Leased, WithoutAKeyItRunsUnprotectedEveryTime)
{
    World world;
    world.declare("pay", leased);
    world.start();
    Request keyless = make_request("pay");
    keyless.key.reset();
    int runs = 0;

    const auto first = world.run(world.engine->async_leased(keyless, answering({200}, &runs)));
    const auto second = world.run(world.engine->async_leased(keyless, answering({200}, &runs)));

    get<Unkeyed>(first);
    get<Unkeyed>(second);
    EXPECT_EQ(runs, 2);

    // Nothing is in doubt where there is no record.
    const auto failed = world.run(world.engine->async_leased(keyless, answering({503}, &runs)));
    EXPECT_EQ(get<Unkeyed>(failed).response.status, 503);
}

TEST(Leased, EveryOneOfManyLeasesIsKept)
{
    World world;
    world.declare("pay", leased);
    world.start();
    std::vector<Lease> leases;
    for (int i = 0; i < 6000; ++i) {
        auto begun = world.run(world.engine->async_begin(make_request("pay", "k" + std::to_string(i))));
        leases.push_back(std::get<Lease>(*std::move(begun)));
    }

    world.timers.advance(3 * Policy{}.lease);

    for (const Lease& lease : leases) ASSERT_FALSE(lease.lost().stop_requested());
}

TEST(Leased, ADerivedKeyRecognisesTheSamePayload)
{
    World world;
    Policy policy = leased;
    policy.key = KeyRule::derived;
    world.declare("pay", policy);
    world.start();
    Request keyless = make_request("pay");
    keyless.key.reset();
    Request other = make_request("pay", "k1", "other");
    other.key.reset();

    get<Executed>(world.run(world.engine->async_leased(keyless, answering({200}))));
    get<Replayed>(world.run(world.engine->async_leased(keyless, answering({200}))));
    get<Executed>(world.run(world.engine->async_leased(other, answering({200}))));
}

TEST(Leased, AnAnswerTooLargeToKeepIsGivenOnceAndNeverRunAgain)
{
    World world;
    Policy policy = leased;
    policy.response_bytes_max = 10;
    world.declare("pay", policy);
    world.start();

    const auto first =
        world.run(world.engine->async_leased(make_request("pay"), answering({201, {}, "eleven char"})));
    const auto second = world.run(world.engine->async_leased(make_request("pay"), answering({500})));

    EXPECT_EQ(get<Executed>(first).response.body, "eleven char");
    EXPECT_TRUE(get<Replayed>(second).omitted);
    EXPECT_EQ(get<Replayed>(second).response.status, 201);
}

TEST(Leased, UnderOriginalAnotherPayloadIsAuditedOnEveryPath)
{
    World world;
    Policy policy = leased;
    policy.on_mismatch = OnMismatch::original;
    world.declare("pay", policy);
    world.start();
    auto begun = world.run(world.engine->async_begin(make_request("pay")));
    const Request other = make_request("pay", "k1", "other");

    get<InProgress>(world.run(world.engine->async_leased(other, answering({}))));
    EXPECT_EQ(world.engine->stats().front().mismatch_ignored, 1u);
    ASSERT_TRUE(world.run(std::get<Lease>(*begun).async_finish({201})));
    get<Replayed>(world.run(world.engine->async_leased(other, answering({}))));

    EXPECT_EQ(world.engine->stats().front().mismatch_ignored, 2u);
}

TEST(Leased, FirstAndRetryTellWhenTheRecordExpires)
{
    World world;
    world.declare("pay", leased);
    world.start();
    const Request request = make_request("pay");

    const auto first = world.run(world.engine->async_leased(request, answering({201})));
    const auto second = world.run(world.engine->async_leased(request, answering({201})));

    EXPECT_EQ(get<Executed>(first).expires_at, world.clock.realtime() + 24h);
    EXPECT_EQ(get<Executed>(first).expires_at, world.record(request).expires_at);
    EXPECT_EQ(get<Replayed>(second).expires_at, get<Executed>(first).expires_at);
}

TEST(Leased, AfterRetentionTheKeyIsNew)
{
    World world;
    world.declare("pay", leased);
    world.start();
    get<Executed>(world.run(world.engine->async_leased(make_request("pay"), answering({201}))));
    const FencingToken before = world.record(make_request("pay")).token;
    world.clock.advance(24h);

    const auto again =
        world.run(world.engine->async_leased(make_request("pay", "k1", "other"), answering({202})));

    EXPECT_EQ(get<Executed>(again).response.status, 202);
    EXPECT_GT(world.record(make_request("pay")).token.epoch, before.epoch);
    EXPECT_EQ(world.record(make_request("pay")).attempts, 1u);
}

}  // namespace
}  // namespace umavez::testing_world
