// Protected routes whose effect is outside: POST /envios sends a parcel by a carrier that only this
// test knows. What a client is told when the effect worked, was refused, or nobody knows.

#include "key_protocol/problems.hpp"
#include "key_protocol/protect.hpp"
#include "support/calm_clock.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace umavez::key_protocol {
namespace {

using namespace std::chrono_literals;

using Sending = std::function<OrProblem<Response>(Lease&)>;

class LeasedRoutes : public testing::Test {
protected:
    void open(Policy policy, Sending sending)
    {
        sending_ = std::move(sending);
        database_ =
            *open_database("sqlite::memory:", {.clock = &test::calm_clock(), .durable = false});
        tokens_ = *access::TokenBook::open(*database_, {.refresh_period = std::nullopt});
        const EngineOptions options{.worker_period = std::nullopt};
        engine_ = policy.guarantee == Guarantee::cached ? *open_memory_engine(options)
                                                        : *open_engine(*database_, options);
        LeasedRoute send{
            .route = {.method = "POST", .pattern = "/api/v1/envios", .body = http::Body{}},
            .operation = {.name = "envios.criar", .policy = policy},
            .prepare = [this](const Exchange& exchange) { return prepare(exchange); },
        };
        Api api;
        api.add(std::move(send));
        for (const OperationSpec* const operation : api.operations()) {
            ASSERT_TRUE(engine_->declare(*operation));
        }
        const auto started = engine_->start();
        ASSERT_TRUE(started) << started.error().detail;
        api.bind(router_, {*engine_, *database_, *tokens_, problems_, system_clock(), {}});
    }

    OrProblem<LeasedAction> prepare(const Exchange&)
    {
        return [this](Lease& lease) -> Task<OrProblem<Response>> {
            ++runs_;
            co_return sending_(lease);
        };
    }

    http::Response send(std::string key, std::string body = R"({"para":"ana"})")
    {
        http::Request request{};
        request.method = "POST";
        request.path = "/api/v1/envios";
        request.headers = {
            {"Idempotency-Key", std::move(key)}, {"Content-Type", "application/json"}
        };
        request.body = std::move(body);
        return wait(router_.answer(std::move(request)));
    }

    static bool is_problem(const http::Response& answer, std::string_view name)
    {
        return answer.body.find(R"("type":"/problems/)" + std::string{name} + '"') !=
               std::string::npos;
    }
    static std::string header_of(const http::Response& answer, std::string_view name)
    {
        return std::string{http::find_header(answer.headers, name).value_or("")};
    }
    static std::string note_of(const http::Response& answer, std::string_view name)
    {
        for (const http::Note& note : answer.notes) {
            if (note.name == name) return note.value;
        }
        return {};
    }

    int runs_ = 0;
    Sending sending_;
    http::ProblemCatalogue problems_ = standard_problems();
    std::unique_ptr<Database> database_;
    std::unique_ptr<access::TokenBook> tokens_;
    std::unique_ptr<Engine> engine_;
    http::Router router_;
};

const Policy leased{.guarantee = Guarantee::leased, .key = KeyRule::required};
const Policy cached{.guarantee = Guarantee::cached, .key = KeyRule::required};

OrProblem<Response> sent(Lease&)
{
    Response response{201, {{"Content-Type", "application/json"}, {"Set-Cookie", "a=1"}}, "{}", {}};
    return response;
}

OrProblem<Response> explode(Lease&)
{
    throw std::runtime_error{"the carrier hung up"};
}

TEST_F(LeasedRoutes, RunsOnceAndReplays)
{
    open(leased, sent);

    const http::Response first = send("k1");
    const http::Response again = send("k1");

    EXPECT_EQ(first.status, 201);
    EXPECT_EQ(header_of(first, "Idempotency-Guarantee"), "leased");
    EXPECT_EQ(header_of(first, "Set-Cookie"), "a=1");
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(header_of(again, "Idempotent-Replayed"), "true");
    EXPECT_EQ(header_of(again, "Set-Cookie"), "");
    EXPECT_EQ(runs_, 1);
}

TEST_F(LeasedRoutes, AnExceptionLeavesTheKeyInDoubt)
{
    open(leased, explode);

    const http::Response first = send("k1");
    const http::Response again = send("k1");

    EXPECT_EQ(first.status, 409);
    EXPECT_TRUE(is_problem(first, "idempotency-in-doubt")) << first.body;
    EXPECT_NE(first.body.find(R"("resolution":"operator")"), std::string::npos) << first.body;
    EXPECT_EQ(note_of(first, "detail"), "the carrier hung up");
    EXPECT_EQ(first.body.find("hung up"), std::string::npos);
    EXPECT_EQ(again.status, 409);
    EXPECT_TRUE(is_problem(again, "idempotency-in-doubt")) << again.body;
    EXPECT_EQ(runs_, 1);
}

TEST_F(LeasedRoutes, AnExceptionBeforeTheEffectFreesTheKey)
{
    open(leased, [](Lease& lease) -> OrProblem<Response> {
        EXPECT_TRUE(lease.untouched());
        throw std::runtime_error{"no route to the carrier"};
    });

    const http::Response first = send("k1");
    sending_ = sent;
    const http::Response again = send("k1");

    EXPECT_EQ(first.status, 500);
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(header_of(again, "Idempotent-Replayed"), "");
    EXPECT_EQ(runs_, 2);
}

TEST_F(LeasedRoutes, AFinalRefusalIsKept)
{
    open(leased, [](Lease&) -> OrProblem<Response> {
        return std::unexpected(http::Problem{.name = "validation"});
    });

    const http::Response first = send("k1");
    sending_ = sent;
    const http::Response again = send("k1");

    EXPECT_EQ(first.status, 422);
    EXPECT_EQ(again.status, 422);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(runs_, 1);
}

TEST_F(LeasedRoutes, CachedRunsAgainAfterAnException)
{
    open(cached, explode);

    const http::Response first = send("k1");
    sending_ = sent;
    const http::Response again = send("k1");

    EXPECT_EQ(first.status, 500);
    EXPECT_TRUE(is_problem(first, "internal-error")) << first.body;
    EXPECT_EQ(header_of(first, "Idempotency-Guarantee"), "cached");
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(runs_, 2);
}

TEST_F(LeasedRoutes, AnotherPayloadIsRefused)
{
    open(leased, sent);

    ASSERT_EQ(send("k1").status, 201);
    const http::Response other = send("k1", R"({"para":"bia"})");

    EXPECT_EQ(other.status, 409);
    EXPECT_TRUE(is_problem(other, "idempotency-key-reused")) << other.body;
    EXPECT_EQ(runs_, 1);
}

}  // namespace
}  // namespace umavez::key_protocol
