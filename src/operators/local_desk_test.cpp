// The routes of operators on a real engine and database, reached as the control socket reaches
// them; and the rules about tenants, with callers of our own.

#include "operators/local_desk.hpp"

#include "database/sqlite/test_support.hpp"
#include "key_protocol/problems.hpp"
#include "operators/refusals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace umavez::operators {
namespace {

using testing::HasSubstr;
using testing::Not;

http::ProblemCatalogue all_problems()
{
    http::ProblemCatalogue problems = key_protocol::standard_problems();
    problems.add_all(problem_kinds());
    return problems;
}

// Epochs are instants: they have the same number of digits.
std::string epoch_in(const Reply& reply)
{
    constexpr std::string_view name = "\"epoch\":";
    const std::size_t at = reply.body.find(name);
    return at == std::string::npos ? "" : reply.body.substr(at + name.size(), 16);
}

class LocalDeskTest : public testing::Test {
protected:
    void SetUp() override
    {
        ASSERT_TRUE(engine_->declare({.name = "cobrar", .policy = {.guarantee = Guarantee::leased}})
        );
        ASSERT_TRUE(engine_->declare({.name = "anotar"}));
        ASSERT_TRUE(engine_->start());
        tokens_ = *access::TokenBook::open(*database_, {.refresh_period = std::nullopt});
        desk_.emplace(needs(), problems_);
    }

    OperatorNeeds needs() { return {*engine_, *database_, *tokens_}; }

    static Request request_of(const std::string& key, std::string_view tenant = "acme")
    {
        return {
            *TenantId::parse(tenant), *Operation::parse("cobrar"), *Key::parse(key), {}, {}, {}
        };
    }

    void leave_in_doubt(const std::string& key, std::string_view tenant = "acme")
    {
        EXPECT_THROW(
            std::ignore = engine_->leased(
                request_of(key, tenant),
                [](Lease&) -> Response { throw std::runtime_error{"cut off"}; }
            ),
            std::runtime_error
        );
    }

    Reply ask(std::string path, std::string query = {})
    {
        return desk_->answer({"GET", path, query, ""}, "ana");
    }
    Reply order(std::string path, std::string body)
    {
        return desk_->answer({"POST", path, "", body}, "ana");
    }

    // The same route, for a caller of our choice.
    http::Response as(const access::Caller& caller, const std::string& id, http::Request request)
    {
        auto routes = operator_routes(needs());
        const auto route =
            std::ranges::find_if(routes, [&id](const key_protocol::CallRoute& candidate) {
                return candidate.route.operation_id == id;
            });
        const std::optional<Key> no_key;
        const std::optional<http::TraceContext> no_trace;
        const key_protocol::Exchange exchange{
            request, caller, http::Language::english, no_key, no_trace, nullptr
        };
        auto answer = wait(route->call(exchange));
        const http::ProblemPlace place{problems_, http::Language::english, "", ""};
        return answer ? *std::move(answer) : http::to_response(answer.error(), place);
    }

    test::Directory directory_;
    std::unique_ptr<SqliteDatabase> database_ = test::open_or_fail(directory_.url());
    std::unique_ptr<Engine> engine_ = *open_engine(*database_, {.worker_period = std::nullopt});
    std::unique_ptr<access::TokenBook> tokens_;
    http::ProblemCatalogue problems_ = all_problems();
    std::optional<LocalDesk> desk_;
};

TEST_F(LocalDeskTest, RecordsAreFoundByStatusOperationTenantAndKey)
{
    leave_in_doubt("k1");
    leave_in_doubt("k2", "outra");

    EXPECT_THAT(ask("/ops/records").body, HasSubstr("\"key\":\"k1\""));
    EXPECT_THAT(ask("/ops/records", "tenant=outra").body, Not(HasSubstr("k1")));
    EXPECT_THAT(
        ask("/ops/records", "status=in_doubt&operation=cobrar&key=k2").body, HasSubstr("k2")
    );
    EXPECT_THAT(ask("/ops/records", "status=succeeded").body, HasSubstr("\"records\":[]"));
    const Reply first = ask("/ops/records", "limit=1");
    EXPECT_THAT(first.body, HasSubstr("k2"));
    EXPECT_THAT(first.body, Not(HasSubstr("\"next\":null")));
}

TEST_F(LocalDeskTest, AKeyWhoseAttemptsLeftNoRecordIsFoundByItsStory)
{
    leave_in_doubt("k1");  // has a record: no story beside it
    for (const char* const tenant : {"acme", "outra"}) {
        Request request = request_of("k2", tenant);
        request.operation = *Operation::parse("anotar");
        const auto released = engine_->atomically(request, [](Transaction&) -> Result<Response> {
            return Response{.status = 503};
        });
        ASSERT_TRUE(released) << released.error().detail;
    }

    EXPECT_EQ(ask("/ops/stories", "key=k1").body, "{\"stories\":[],\"next\":null}\n");
    EXPECT_EQ(
        ask("/ops/stories", "key=k2&tenant=outra").body,
        "{\"stories\":[{\"tenant\":\"outra\",\"operation\":\"anotar\",\"key\":\"k2\"}],"
        "\"next\":null}\n"
    );
    EXPECT_THAT(ask("/ops/stories", "key=k2").body, HasSubstr("acme"));
    EXPECT_THAT(ask("/ops/stories", "key=k2&operation=cobrar").body, HasSubstr("[]"));
    EXPECT_THAT(ask("/ops/stories", "key=k").body, HasSubstr("[]"));
    EXPECT_EQ(ask("/ops/stories").status, 422);
    EXPECT_EQ(ask("/ops/stories", "key=k2&cursor=zz").status, 422);
    const access::Caller acme{
        .tenant_id = *TenantId::parse("acme"), .role = access::Role::operator_, .label = "ana"
    };
    http::Request search;
    search.parameters = {{"key", "k2"}};
    const http::Response own = as(acme, "operators.stories", search);
    EXPECT_THAT(own.body, HasSubstr("acme"));
    EXPECT_THAT(own.body, Not(HasSubstr("outra")));
}

TEST_F(LocalDeskTest, WrongParametersAreRefusedWithTheirName)
{
    EXPECT_EQ(ask("/ops/records", "status=broken").status, 422);
    EXPECT_EQ(ask("/ops/records", "limit=0").status, 422);
    EXPECT_EQ(ask("/ops/records", "limit=1000000000000000000000").status, 422);
    EXPECT_THAT(ask("/ops/records", "cursor=x").body, HasSubstr("\"field\":\"cursor\""));
    EXPECT_THAT(ask("/ops/records", "tenant=ACME").body, HasSubstr("\"field\":\"tenant\""));
    EXPECT_EQ(ask("/ops/records/acme/cobrar/nobody").status, 404);
    EXPECT_EQ(ask("/ops/records/ACME/cobrar/k1").status, 404);
    EXPECT_EQ(ask("/ops/nothing").status, 404);
}

TEST_F(LocalDeskTest, ExplainTellsTheStoryAndWhatToDo)
{
    leave_in_doubt("a/b c");

    const Reply story = ask("/ops/records/acme/cobrar/a%2Fb%20c");

    EXPECT_EQ(story.status, 200) << story.body;
    EXPECT_THAT(story.body, HasSubstr("\"state\":\"in doubt\""));
    EXPECT_THAT(story.body, HasSubstr("\"event\":\"claimed\""));
    EXPECT_THAT(story.body, HasSubstr("\"event\":\"in_doubt\""));
    EXPECT_THAT(story.body, HasSubstr("\"next\":\""));
}

TEST_F(LocalDeskTest, WhatChangedNothingIsToldUnderTheEpochOfTheRecordItMet)
{
    leave_in_doubt("k1");
    const std::string place = "/ops/records/acme/cobrar/k1";
    const std::string resolved = epoch_in(
        order(place + "/resolve", R"({"reason":"seen","as":"succeeded","response_body":"{}"})")
    );
    ASSERT_TRUE(engine_->look_up(request_of("k1")));
    Request other = request_of("k1");
    other.fingerprint.digest[0] = 1;
    ASSERT_TRUE(engine_->look_up(other));
    leave_in_doubt("k2");  // the notes ride along

    const Reply story = ask(place);

    EXPECT_THAT(story.body, Not(HasSubstr("\"epoch\":0")));
    for (const std::string event : {"replayed", "mismatch"}) {
        EXPECT_THAT(story.body, HasSubstr("\"event\":\"" + event + "\",\"epoch\":" + resolved));
    }
}

TEST_F(LocalDeskTest, ReleaseNeedsAReasonRaisesTheEpochAndNamesWhoDidIt)
{
    leave_in_doubt("k1");
    const std::string place = "/ops/records/acme/cobrar/k1";
    EXPECT_EQ(order(place + "/release", "").status, 422);
    EXPECT_EQ(order(place + "/release", R"({"reason":"  "})").status, 422);
    EXPECT_EQ(order(place + "/release", R"({"reason":7})").status, 422);

    const std::string epoch_before = epoch_in(ask(place));
    const Reply released = order(place + "/release", R"({"reason":"not at the bank"})");

    EXPECT_EQ(released.status, 200) << released.body;
    EXPECT_THAT(released.body, HasSubstr("\"state\":\"free\""));
    EXPECT_GT(epoch_in(released), epoch_before);
    EXPECT_THAT(ask(place).body, HasSubstr("by ana (local): not at the bank"));
    EXPECT_EQ(order(place + "/resolve", R"({"reason":"x","as":"failed"})").status, 409);
}

TEST_F(LocalDeskTest, WhatIsFreeOrUnknownIsNotReleased)
{
    leave_in_doubt("k1");
    const std::string place = "/ops/records/acme/cobrar/";
    EXPECT_EQ(order(place + "k1/release", R"({"reason":"not there"})").status, 200);

    const Reply again = order(place + "k1/release", R"({"reason":"not there"})");

    EXPECT_EQ(again.status, 409);
    EXPECT_THAT(again.body, HasSubstr("is free already"));
    EXPECT_EQ(order(place + "nobody/release", R"({"reason":"x"})").status, 404);
    EXPECT_EQ(order(place + "nobody/resolve", R"({"reason":"x","as":"failed"})").status, 404);
}

TEST_F(LocalDeskTest, ResolveGivesTheAnswerThatRetriesGet)
{
    leave_in_doubt("k1");
    const std::string place = "/ops/records/acme/cobrar/k1/resolve";
    EXPECT_EQ(order(place, R"({"reason":"seen"})").status, 422);
    EXPECT_EQ(order(place, R"({"reason":"seen","as":"done"})").status, 422);
    EXPECT_EQ(order(place, R"({"reason":"seen","as":"succeeded","response_body":{}})").status, 422);
    EXPECT_EQ(
        order(
            place, R"({"reason":"seen","as":"succeeded","response_body":"x","response_status":99})"
        )
            .status,
        422
    );

    const Reply resolved = order(
        place, R"({"reason":"seen","as":"succeeded","response_status":201,"response_body":"{}"})"
    );

    EXPECT_EQ(resolved.status, 200) << resolved.body;
    EXPECT_THAT(resolved.body, HasSubstr("\"state\":\"succeeded\""));
    const auto outcome = engine_->look_up(request_of("k1"));
    ASSERT_TRUE(outcome && *outcome && std::holds_alternative<Replayed>(**outcome));
    EXPECT_EQ(std::get<Replayed>(**outcome).response.status, 201);
    EXPECT_EQ(std::get<Replayed>(**outcome).response.body, "{}");
}

TEST_F(LocalDeskTest, AnOperatorSeesTheTenantOfItsTokenOnly)
{
    leave_in_doubt("k1");
    leave_in_doubt("k2", "outra");
    const access::Caller caller{
        .tenant_id = *TenantId::parse("acme"),
        .role = access::Role::operator_,
        .usuario = {},
        .label = "a"
    };
    http::Request other;
    other.parameters = {{"tenant", "outra"}, {"operation", "cobrar"}, {"key", "k2"}};

    const std::string listed = as(caller, "operators.records", {}).body;

    EXPECT_THAT(listed, HasSubstr("k1"));
    EXPECT_THAT(listed, Not(HasSubstr("k2")));
    for (const char* const id :
         {"operators.records",
          "operators.stories",
          "operators.explain",
          "operators.release",
          "operators.resolve"}) {
        EXPECT_EQ(as(caller, id, other).status, 403) << id;
    }
    EXPECT_EQ(as(caller, "operators.sweep", {}).status, 403);
}

TEST_F(LocalDeskTest, TokensAreMadeListedAndRevoked)
{
    const Reply made = order(
        "/ops/tokens", R"({"tenant":"acme","role":"writer","label":"loja","expires_in_seconds":60})"
    );
    EXPECT_EQ(made.status, 201) << made.body;
    EXPECT_THAT(made.body, HasSubstr("\"token\":\"uvz_"));
    EXPECT_FALSE(tokens_->is_empty());

    const std::string listed = ask("/ops/tokens").body;
    EXPECT_THAT(listed, HasSubstr("\"label\":\"loja\""));
    EXPECT_THAT(listed, Not(HasSubstr("uvz_")));
    EXPECT_THAT(order("/ops/tokens/1/revoke", "").body, Not(HasSubstr("\"revoked_at\":null")));
    EXPECT_EQ(order("/ops/tokens/2/revoke", "").status, 404);
    EXPECT_EQ(order("/ops/tokens", R"({"tenant":"acme"})").status, 422);
    EXPECT_EQ(order("/ops/tokens", R"({"tenant":"*","role":"writer"})").status, 422);
    EXPECT_EQ(
        order("/ops/tokens", R"({"tenant":"a","role":"writer","expires_in_seconds":0})").status, 422
    );
    EXPECT_EQ(order("/ops/tokens", "{").status, 400);
}

TEST_F(LocalDeskTest, ABackupIsAWholeDatabaseAndReplacesNothing)
{
    leave_in_doubt("k1");
    const std::string path = directory_.file("copy.db");

    EXPECT_EQ(order("/ops/backup", R"({"path":")" + path + R"("})").status, 200);
    EXPECT_EQ(order("/ops/backup", R"({"path":")" + path + R"("})").status, 409);

    const auto copy = test::open_or_fail("sqlite:" + path);
    EXPECT_EQ(test::read_integer(*copy, "SELECT count(*) FROM umavez_records"), 1);
}

TEST_F(LocalDeskTest, LinesOfTheSocketAreAnswered)
{
    EXPECT_EQ(desk_->answer_line("ping"), "pong");
    EXPECT_THAT(desk_->answer_line("nonsense"), HasSubstr("\"status\":400"));
    const auto reply =
        parse_reply(desk_->answer_line(to_line(Wish{"POST", "/ops/sweep", "", ""}, "ana")));
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->body, "{\"records\":0,\"audit_entries\":0}\n");
}

// What the engine says to operators is met by people, in their language.
TEST_F(LocalDeskTest, WhatTheEngineRefusesIsToldInBothLanguages)
{
    const auto id_of = [](const std::string& key) {
        const Request request = request_of(key);
        return RecordId{request.tenant_id, request.operation, *request.key};
    };
    auto held = engine_->begin(request_of("running"));
    ASSERT_TRUE(std::holds_alternative<Lease>(*held));
    ASSERT_TRUE(engine_->leased(request_of("done"), [](Lease&) { return Response{.status = 201}; }));
    leave_in_doubt("free");
    ASSERT_TRUE(engine_->release(id_of("free"), "it is not there"));
    const auto told = [](const auto& refused) {
        EXPECT_FALSE(refused);
        const http::Problem problem = problem_of(refused.error());
        EXPECT_EQ(problem.detail.english, refused.error().detail);
        EXPECT_NE(problem.detail.portuguese, problem.detail.english);
        EXPECT_EQ(problem.cause, refused.error().detail);
    };

    for (const char* const key : {"running", "free", "nobody", "done"}) {
        SCOPED_TRACE(key);
        told(engine_->resolve(id_of(key), Resolution::failed, std::nullopt, "r"));
        told(engine_->release(id_of(key), "r"));
    }
    told(engine_->records({.cursor = "zz"}));
}

}  // namespace
}  // namespace umavez::operators
