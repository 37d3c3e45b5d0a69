// What operators do, in virtual time.

#include "engine/test_world.hpp"

#include <utility>

namespace umavez::testing_world {
namespace {

const Policy leased{.guarantee = Guarantee::leased};

TEST(Operators, ReleaseNeedsAReasonAndFencesTheLateOwner)
{
    World world;
    world.declare("pay", leased);
    world.start();
    const Request request = make_request("pay");
    const RecordId id{request.tenant_id, request.operation, *request.key};
    auto begun = world.run(world.engine->async_begin(request));
    Lease late = std::move(std::get<Lease>(*begun));

    const auto live = world.run(world.engine->async_release(id, "stuck"));
    ASSERT_FALSE(live);
    EXPECT_EQ(
        live.error().detail,
        "key \"k1\" is processing under a live lease; only an in-doubt, abandoned or failed key "
        "can be "
        "released"
    );

    world.engine->stop();
    world.clock.advance(31s);
    EXPECT_FALSE(world.run(world.engine->async_release(id, "  ")));
    ASSERT_TRUE(world.run(world.engine->async_release(id, "checked by hand")));
    EXPECT_EQ(world.run(late.async_finish({200})).error().code, Errc::lease_lost);

    const auto story = world.run(world.engine->async_explain(id));
    ASSERT_GE(story->timeline.size(), 2u);
    EXPECT_EQ(story->timeline.front().event, "claimed");
    EXPECT_EQ(story->timeline[1].event, "released");
    EXPECT_EQ(story->timeline[1].detail, "checked by hand");
}

TEST(Operators, AResolvedKeyIsReplayedWithOrWithoutAResponse)
{
    World world;
    world.declare("pay", leased);
    world.start();
    const Request request = make_request("pay");
    const RecordId id{request.tenant_id, request.operation, *request.key};
    auto begun = world.run(world.engine->async_begin(request));
    ASSERT_TRUE(world.run(std::get<Lease>(*begun).async_doubt("no answer")));

    ASSERT_TRUE(world.run(
        world.engine->async_resolve(id, Resolution::succeeded, std::nullopt, "bank says paid")
    ));
    const auto retry = world.run(world.engine->async_leased(request, answering({500})));

    EXPECT_TRUE(get<Replayed>(retry).omitted);
    EXPECT_EQ(get<Replayed>(retry).status, Status::succeeded);
    EXPECT_FALSE(world.run(
        world.engine->async_resolve(id, Resolution::failed, std::nullopt, "changed my mind")
    ));

    const Request other = make_request("pay", "k2");
    const RecordId other_id{other.tenant_id, other.operation, *other.key};
    auto second = world.run(world.engine->async_begin(other));
    ASSERT_TRUE(world.run(std::get<Lease>(*second).async_doubt("no answer")));
    for (const std::size_t size :
         {3u, 300u}) {  // a short text lives inside its string, a long one does not
        Response answer{.status = 201};
        answer.body = std::string(size, 'p');
        const auto resolved =
            world.run(world.engine->async_resolve(other_id, Resolution::succeeded, answer, "paid"));
        EXPECT_EQ(resolved.has_value(), size == 3u);
    }
    const auto replayed = world.run(world.engine->async_leased(other, answering({500})));
    EXPECT_EQ(get<Replayed>(replayed).response.body, "ppp");
}

TEST(Operators, RecordsOfAnOperationThatIsNotDeclaredAnyMoreAreSettledAndKeptForGood)
{
    World world;
    world.declare("pay", leased);
    world.start();
    const Request released = make_request("pay", "k1");
    const Request resolved = make_request("pay", "k2");
    for (const Request& request : {released, resolved}) {
        auto begun = world.run(world.engine->async_begin(request));
        ASSERT_TRUE(world.run(std::get<Lease>(*begun).async_doubt("no answer")));
    }

    world.engine = make_engine(*world.store, world.options());
    world.declare("another", leased);
    world.start();
    const RecordId first{released.tenant_id, released.operation, *released.key};
    const RecordId second{resolved.tenant_id, resolved.operation, *resolved.key};
    const auto free = world.run(world.engine->async_release(first, "the bank has none"));
    const auto done = world.run(
        world.engine->async_resolve(second, Resolution::succeeded, Response{.status = 201}, "paid")
    );

    ASSERT_TRUE(free) << free.error().detail;
    EXPECT_EQ(free->status, Status::failed);
    EXPECT_FALSE(free->final);
    ASSERT_TRUE(done) << done.error().detail;
    EXPECT_EQ(done->status, Status::succeeded);
    EXPECT_EQ(world.record(resolved).response->response.status, 201);
    EXPECT_EQ(done->expires_at, std::nullopt);
}

TEST(EngineOperators, AModuleReopensWhatWasResolvedAndNothingElse)
{
    World world;
    world.declare("pay", leased);
    world.start();
    const Request request = make_request("pay", "k1");
    const RecordId id{request.tenant_id, request.operation, *request.key};
    auto begun = world.run(world.engine->async_begin(request));
    ASSERT_TRUE(world.run(std::get<Lease>(*begun).async_doubt("no answer")));
    EXPECT_FALSE(world.run(world.engine->async_reopen(id, "it is in doubt")));
    ASSERT_TRUE(
        world.run(world.engine->async_resolve(id, Resolution::succeeded, {}, "paid, I think"))
    );
    EXPECT_FALSE(world.run(world.engine->async_release(id, "it was not")));

    const auto free = world.run(world.engine->async_reopen(id, "the bank has none"));

    ASSERT_TRUE(free) << free.error().detail;
    EXPECT_EQ(free->status, Status::failed);
    EXPECT_FALSE(free->final);
    EXPECT_FALSE(world.run(world.engine->async_reopen(id, "again")));
    auto next = world.run(world.engine->async_begin(request));
    ASSERT_TRUE(next);
    EXPECT_TRUE(std::holds_alternative<Lease>(*next));
}

}  // namespace
}  // namespace umavez::testing_world
