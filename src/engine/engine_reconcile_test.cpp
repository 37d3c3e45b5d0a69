// Reconciling in virtual time: a client's retry and the worker ask the outside world before anything runs.

#include "core/transition.hpp"
#include "engine/test_world.hpp"

#include <stdexcept>
#include <vector>

namespace umavez::testing_world {
namespace {

const Policy leased{.guarantee = Guarantee::leased};

struct Asked {
    std::vector<Enquiry> enquiries;
    Reconciliation answer = StillUnknown{};
};

Reconciler asking(Asked& asked)
{
    return [&asked](Enquiry enquiry) -> Task<Reconciliation> {
        asked.enquiries.push_back(std::move(enquiry));
        co_return asked.answer;
    };
}

AsyncLeasedHandler throwing()
{
    return [](Lease&) -> Task<Response> {
        throw std::runtime_error("timeout");
        co_return Response{};
    };
}

void leave_in_doubt(World& world, const Request& request)
{
    EXPECT_THROW(
        static_cast<void>(world.run(world.engine->async_leased(request, throwing()))), std::runtime_error
    );
}

TEST(Reconcile, ARetryBeforeSettleIsInDoubtAndAsksNobody)
{
    World world;
    Asked asked;
    world.declare("pay", leased, asking(asked));
    world.start();
    leave_in_doubt(world, make_request("pay"));

    const auto retry = world.run(world.engine->async_leased(make_request("pay"), answering({})));

    EXPECT_EQ(get<InDoubt>(retry).retry_after, 15s);
    EXPECT_TRUE(asked.enquiries.empty());
}

TEST(Reconcile, WhatHappenedIsStoredAndNotRepeated)
{
    World world;
    Asked asked{.enquiries = {}, .answer = Happened{{201, {}, "found"}}};
    world.declare("pay", leased, asking(asked));
    world.start();
    leave_in_doubt(world, make_request("pay"));
    world.clock.advance(15s);
    int runs = 0;

    const auto retry = world.run(world.engine->async_leased(make_request("pay"), answering({}, &runs)));

    EXPECT_EQ(get<Replayed>(retry).response.body, "found");
    EXPECT_EQ(runs, 0);
    EXPECT_EQ(world.record(make_request("pay")).status, Status::succeeded);
    ASSERT_EQ(asked.enquiries.size(), 1u);
    EXPECT_EQ(asked.enquiries[0].effect_key, effect_key_of(asked.enquiries[0].id));
    EXPECT_EQ(asked.enquiries[0].token, world.record(make_request("pay")).token);
}

TEST(Reconcile, WhatDidNotHappenRunsUnderTheSameClaim)
{
    World world;
    Asked asked{.enquiries = {}, .answer = DidNotHappen{}};
    world.declare("pay", leased, asking(asked));
    world.start();
    leave_in_doubt(world, make_request("pay"));
    world.clock.advance(15s);
    int runs = 0;

    const auto retry =
        world.run(world.engine->async_leased(make_request("pay"), answering({201}, &runs)));

    get<Executed>(retry);
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(world.record(make_request("pay")).mode, Mode::run);
}

TEST(Reconcile, StillUnknownWaitsLongerEachTimeAndNeverRuns)
{
    World world;
    Asked asked;
    Policy policy = leased;
    policy.settle = 0s;
    world.declare("pay", policy, asking(asked));
    world.start();
    leave_in_doubt(world, make_request("pay"));

    std::optional<Instant> last;
    for (std::size_t i = 0; i < 12; ++i) {
        const auto report = world.run(world.engine->async_work_once());
        EXPECT_EQ(report->still_unknown, 1u);
        const Record record = world.record(make_request("pay"));
        EXPECT_EQ(record.status, Status::in_doubt);
        EXPECT_LE(*record.retry_at - record.updated_at, 10min);
        last = record.retry_at;
        world.clock.advance(*record.retry_at - world.clock.realtime());
    }
    EXPECT_EQ(asked.enquiries.size(), 12u);
    EXPECT_EQ(world.record(make_request("pay")).attempts, 13u);
}

TEST(Reconcile, TheOtherSidesOwnRetryAfterWins)
{
    World world;
    Asked asked{.enquiries = {}, .answer = StillUnknown{.retry_after = 1h, .detail = "656"}};
    world.declare("pay", leased, asking(asked));
    world.start();
    leave_in_doubt(world, make_request("pay"));
    world.clock.advance(15s);

    const auto report = world.run(world.engine->async_work_once());

    EXPECT_EQ(report->still_unknown, 1u);
    EXPECT_EQ(*world.record(make_request("pay")).retry_at - world.clock.realtime(), 1h);
}

TEST(Reconcile, AnExceptionOfTheReconcilerCountsAsStillUnknown)
{
    World world;
    world.declare("pay", leased, [](Enquiry) -> Task<Reconciliation> {
        throw std::runtime_error("authority down");
        co_return DidNotHappen{};
    });
    world.start();
    leave_in_doubt(world, make_request("pay"));
    world.clock.advance(15s);

    const auto report = world.run(world.engine->async_work_once());

    EXPECT_EQ(report->still_unknown, 1u);
    EXPECT_EQ(world.record(make_request("pay")).status, Status::in_doubt);
}

TEST(Reconcile, AbandonedWorkIsAskedForOnlyAfterSettle)
{
    World world;
    Asked asked{.enquiries = {}, .answer = Happened{{200}}};
    world.declare("pay", leased, asking(asked));
    world.start();
    {
        auto begun = world.run(world.engine->async_begin(make_request("pay")));
        ASSERT_TRUE(std::holds_alternative<Lease>(*begun));
    }
    world.clock.advance(31s);

    EXPECT_EQ(world.run(world.engine->async_work_once())->claimed, 0u);
    world.clock.advance(14s);
    EXPECT_EQ(world.run(world.engine->async_work_once())->reconciled, 1u);
    EXPECT_EQ(world.record(make_request("pay")).status, Status::succeeded);
}

TEST(Reconcile, TheWorkerWithoutAPayloadReleasesWhatDidNotHappen)
{
    World world;
    Asked asked{.enquiries = {}, .answer = DidNotHappen{}};
    world.declare("pay", leased, asking(asked));
    world.start();
    leave_in_doubt(world, make_request("pay"));
    world.clock.advance(15s);

    EXPECT_EQ(world.run(world.engine->async_work_once())->reconciled, 1u);

    const Record record = world.record(make_request("pay"));
    EXPECT_EQ(record.status, Status::failed);
    EXPECT_FALSE(record.final);
    get<Executed>(world.run(world.engine->async_leased(make_request("pay"), answering({201}))));
}

TEST(Reconcile, TheWorkerWithAPayloadRunsIt)
{
    World world;
    OperationSpec spec{.name = "send", .policy = leased};
    spec.policy.on_abandoned = OnAbandoned::rerun;
    spec.policy.effect = RepeatedEffect::deduplicated;
    spec.load = [](RecordId id) -> Task<std::optional<std::string>> { co_return "for " + id.key.text(); };
    spec.work = [](Lease&, std::string payload) -> Task<Response> {
        Response response{.status = 200};
        response.body = std::move(payload);
        co_return response;
    };
    ASSERT_TRUE(world.engine->declare(std::move(spec)));
    world.start();
    {
        auto begun = world.run(world.engine->async_begin(make_request("send")));
        ASSERT_TRUE(std::holds_alternative<Lease>(*begun));
    }
    world.clock.advance(31s);

    EXPECT_EQ(world.run(world.engine->async_work_once())->claimed, 1u);

    EXPECT_EQ(world.record(make_request("send")).response->response.body, "for k1");
}

TEST(Reconcile, APayloadThatCannotBeLoadedJustNowIsTriedAgain)
{
    World world;
    bool is_down = true;
    OperationSpec spec{.name = "send", .policy = leased};
    spec.policy.on_abandoned = OnAbandoned::rerun;
    spec.policy.effect = RepeatedEffect::deduplicated;
    spec.load = [&is_down](RecordId) -> Task<std::optional<std::string>> {
        if (is_down) throw std::runtime_error("database is away");
        co_return "payload";
    };
    spec.work = [](Lease&, std::string) -> Task<Response> { co_return Response{.status = 200}; };
    ASSERT_TRUE(world.engine->declare(std::move(spec)));
    world.start();
    {
        auto begun = world.run(world.engine->async_begin(make_request("send")));
        ASSERT_TRUE(std::holds_alternative<Lease>(*begun));
    }
    world.clock.advance(31s);
    EXPECT_EQ(world.run(world.engine->async_work_once())->claimed, 1u);
    EXPECT_EQ(world.record(make_request("send")).status, Status::processing);

    is_down = false;
    world.clock.advance(31s);
    EXPECT_EQ(world.run(world.engine->async_work_once())->claimed, 1u);

    EXPECT_EQ(world.record(make_request("send")).status, Status::succeeded);
    EXPECT_EQ(world.engine->stats().front().leases_dropped, 1u);
}

TEST(Reconcile, AnOperationWithAWorkerOfItsOwnIsLeftToItAndToClients)
{
    World world;
    Asked asked{.enquiries = {}, .answer = Happened{{201, {}, "found"}}};
    OperationSpec spec{.name = "emit", .policy = leased, .reconcile = asking(asked)};
    spec.has_own_worker = true;
    ASSERT_TRUE(world.engine->declare(std::move(spec)));
    world.start();
    leave_in_doubt(world, make_request("emit"));
    {
        auto begun = world.run(world.engine->async_begin(make_request("emit", "abandoned")));
        ASSERT_TRUE(std::holds_alternative<Lease>(*begun));
    }
    world.clock.advance(60s);

    EXPECT_EQ(world.run(world.engine->async_work_once())->claimed, 0u);
    EXPECT_TRUE(asked.enquiries.empty());

    const auto retry = world.run(world.engine->async_leased(make_request("emit"), answering({})));
    EXPECT_EQ(get<Replayed>(retry).response.body, "found");
}

// Under `rerun` without a payload a run is left to the client's retry, an enquiry is not.
TEST(Reconcile, TheWorkerTakesOverAnAbandonedEnquiryUnderRerun)
{
    World world;
    Asked asked{.enquiries = {}, .answer = Happened{{201, {}, "found"}}};
    Policy policy = leased;
    policy.on_abandoned = OnAbandoned::rerun;
    policy.effect = RepeatedEffect::deduplicated;
    world.declare("pay", policy, asking(asked));
    world.start();
    const Request request = make_request("pay");
    std::vector<Insertion> enquiry;
    enquiry.push_back({{request.tenant_id, request.operation, *request.key}, {}, std::nullopt});
    enquiry.front().draft.target = request.target;
    enquiry.front().draft.fingerprint = request.fingerprint;
    enquiry.front().draft.mode = Mode::reconcile;
    enquiry.front().draft.raise_epoch = true;
    enquiry.front().draft.lease = 1s;
    ASSERT_TRUE(world.run(world.store->insert_or_get(std::move(enquiry))));
    {
        auto begun = world.run(world.engine->async_begin(make_request("pay", "run")));
        ASSERT_TRUE(std::holds_alternative<Lease>(*begun));
    }
    world.clock.advance(31s);

    const auto report = world.run(world.engine->async_work_once());

    EXPECT_EQ(report->claimed, 1u);
    EXPECT_EQ(report->reconciled, 1u);
    EXPECT_EQ(world.record(request).status, Status::succeeded);
    EXPECT_EQ(world.record(make_request("pay", "run")).status, Status::processing);
}

TEST(Reconcile, AnOwnerWhoseKeyWasTakenWhileItAskedDidNotDropItsLease)
{
    World world;
    const RecordId id{*TenantId::parse("acme"), *Operation::parse("pay"), *Key::parse("k1")};
    const auto release_meanwhile = [&world, id](Enquiry) -> Task<Reconciliation> {
        const auto seen = co_await world.store->find(id);
        std::vector<Replacement> batch;
        batch.push_back(
            {id,
             bystander_expects(*seen->record),
             operator_release_draft(*seen->record, Execution{1}, 24h),
             std::nullopt}
        );
        const auto replaced = co_await world.store->replace(std::move(batch));
        EXPECT_TRUE(replaced->front().done);
        co_return DidNotHappen{};
    };
    world.declare("pay", leased, release_meanwhile);
    world.start();
    leave_in_doubt(world, make_request("pay"));
    world.timers.advance(16s);

    ASSERT_TRUE(world.run(world.engine->async_work_once()));

    EXPECT_EQ(world.engine->stats().front().fenced, 1u);
    EXPECT_EQ(world.engine->stats().front().leases_dropped, 0u);
}

}  // namespace
}  // namespace umavez::testing_world
