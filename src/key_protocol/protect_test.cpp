// Protected routes on a real database: the order of checks and the table of answers, without a
// socket. A small shop: POST /pagamentos {valor}, replayed as stored; GET /pagamentos.

#include "key_protocol/protect.hpp"

#include "key_protocol/problems.hpp"
#include "key_protocol/resource_problems.hpp"
#include "support/calm_clock.hpp"
#include "support/wait.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <stdexcept>
#include <thread>

namespace umavez::key_protocol {
namespace {

using namespace std::chrono_literals;

struct Shop {
    std::atomic<int> runs = 0;
    std::function<void()> inside = [] {};  // called in the transaction
    Response answer{201, {{"Content-Type", "application/json"}, {"Set-Cookie", "a=1"}}, "", {}};

    OrProblem<AtomicAction> prepare(const Exchange& exchange)
    {
        const auto valor = exchange.body ? exchange.body->root().find("valor") : std::nullopt;
        if (!valor || valor->kind() != JsonKind::number) {
            const FieldError missing{"valor", {"a number is needed", "um número é necessário"}};
            return std::unexpected(validation_problem({missing}, exchange.language));
        }
        return [this, text = std::string{valor->number()}](Transaction& transaction
               ) -> Result<OrProblem<Response>> {
            ++runs;
            inside();
            if (text == "13") {
                return OrProblem<Response>{std::unexpected(http::Problem{.name = "invalid-valor"})};
            }
            const auto done =
                transaction.execute("INSERT INTO pagamentos (valor) VALUES ($1)", {text});
            if (!done) return std::unexpected(done.error());
            Response response = answer;
            if (response.body.empty()) response.body = R"({"valor":)" + text + "}";
            return OrProblem<Response>{std::move(response)};
        };
    }
};

class Protect : public testing::Test {
protected:
    void SetUp() override
    {
        auto opened =
            open_database("sqlite::memory:", {.clock = &test::calm_clock(), .durable = false});
        ASSERT_TRUE(opened) << opened.error().detail;
        database_ = *std::move(opened);
        const Migration table{"loja", 1, "CREATE TABLE pagamentos (valor TEXT)"};
        ASSERT_TRUE(database_->migrate({&table, 1}));
        tokens_ = *access::TokenBook::open(*database_, {.refresh_period = std::nullopt});
        catalogue_.add(
            {.name = "invalid-valor",
             .status = 422,
             .english = {"The amount is unlucky", "a.", "b."},
             .portuguese = {"O valor dá azar", "a.", "b."}}
        );
    }

    // After the policy and the settings were chosen.
    void open()
    {
        engine_ = *open_engine(*database_, {.worker_period = std::nullopt});
        AtomicRoute pay{
            .route = {.method = "POST", .pattern = "/api/v1/pagamentos", .body = http::Body{}},
            .operation = {.name = "pagamentos.criar", .policy = policy_},
            .prepare = [this](const Exchange& exchange) { return shop_.prepare(exchange); },
        };
        ReadRoute list{
            .route = {.method = "GET", .pattern = "/api/v1/pagamentos"},
            .prepare = [](const Exchange& exchange) -> OrProblem<ReadAction> {
                EXPECT_FALSE(exchange.key);
                return [](Transaction& transaction) -> Result<OrProblem<http::Response>> {
                    const auto rows = transaction.query("SELECT count(*) FROM pagamentos");
                    if (!rows) return std::unexpected(rows.error());
                    return http::text_response(200, std::to_string(rows->front().integer(0)));
                };
            },
        };
        ASSERT_TRUE(engine_->declare(pay.operation));
        ASSERT_TRUE(engine_->start());
        Api api;
        api.add(std::move(pay));
        api.add(std::move(list));
        api.bind(router_, {*engine_, *database_, *tokens_, catalogue_, system_clock(), settings_});
    }

    http::Response ask(std::string method, std::vector<Header> headers, std::string body = {})
    {
        http::Request request{};
        request.method = std::move(method);
        request.path = "/api/v1/pagamentos";
        request.request_id = "r-1";
        request.headers = std::move(headers);
        if (!body.empty()) request.headers.push_back({"Content-Type", "application/json"});
        request.body = std::move(body);
        return wait(router_.answer(std::move(request)));
    }
    http::Response pay(std::string key, std::string body, std::vector<Header> more = {})
    {
        more.push_back({"Idempotency-Key", std::move(key)});
        return ask("POST", std::move(more), std::move(body));
    }
    std::string count() { return ask("GET", {}).body; }

    static std::string header_of(const http::Response& answer, std::string_view name)
    {
        return std::string{http::find_header(answer.headers, name).value_or("")};
    }
    // "409 idempotency-key-reused"
    static std::string problem_of(const http::Response& answer)
    {
        const std::string_view mark = R"("type":"/problems/)";
        const std::size_t at = answer.body.find(mark);
        if (at == std::string::npos) return std::to_string(answer.status) + " no problem";
        const std::size_t begin = at + mark.size();
        const std::size_t end = answer.body.find('"', begin);
        return std::to_string(answer.status) + " " + answer.body.substr(begin, end - begin);
    }
    static std::string note_of(const http::Response& answer, std::string_view name)
    {
        for (const http::Note& note : answer.notes) {
            if (note.name == name) return note.value;
        }
        return {};
    }

    Policy policy_{.key = KeyRule::required};
    ProtocolSettings settings_;
    Shop shop_;
    http::ProblemCatalogue catalogue_ = standard_problems();
    std::unique_ptr<Database> database_;
    std::unique_ptr<access::TokenBook> tokens_;
    std::unique_ptr<Engine> engine_;
    http::Router router_;
};

TEST_F(Protect, FirstThenReplay)
{
    open();

    const http::Response first = pay("k1", R"({"valor":5})");
    const http::Response again = pay("\"k1\"", R"({ "valor": 5.0 })");

    EXPECT_EQ(first.status, 201);
    EXPECT_EQ(first.body, R"({"valor":5})");
    EXPECT_EQ(header_of(first, "Idempotency-Guarantee"), "atomic");
    EXPECT_EQ(header_of(first, "Set-Cookie"), "a=1");
    EXPECT_EQ(header_of(first, "Idempotent-Replayed"), "");
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(header_of(again, "Idempotent-Replayed"), "true");
    EXPECT_EQ(header_of(again, "Set-Cookie"), "");
    EXPECT_NE(header_of(first, "Idempotency-Key-Expires"), "");
    EXPECT_EQ(
        header_of(first, "Idempotency-Key-Expires"), header_of(again, "Idempotency-Key-Expires")
    );
    EXPECT_EQ(note_of(first, "outcome"), "executed");
    EXPECT_EQ(note_of(again, "outcome"), "replayed");
    EXPECT_EQ(note_of(again, "operation"), "pagamentos.criar");
    EXPECT_EQ(note_of(again, "tenant"), "default");
    EXPECT_EQ(count(), "1");
}

TEST_F(Protect, AFinalRecordAnswersABodyThatIsNoLongerValid)
{
    policy_.on_mismatch = OnMismatch::original;
    open();
    pay("k1", R"({"valor":5})");

    const http::Response replayed = pay("k1", R"({"valor":"text"})");
    const http::Response fresh = pay("k2", R"({"valor":"text"})");

    EXPECT_EQ(replayed.status, 201);
    EXPECT_EQ(header_of(replayed, "Idempotent-Replayed"), "true");
    EXPECT_EQ(problem_of(fresh), "422 validation");
}

TEST_F(Protect, ValidationLeavesNoRecord)
{
    open();

    EXPECT_EQ(problem_of(pay("k1", "{}")), "422 validation");
    EXPECT_EQ(pay("k1", R"({"valor":1})").status, 201);
}

TEST_F(Protect, AProblemInsideIsUndoneAndKeptByFinality)
{
    open();

    const http::Response first = pay("k1", R"({"valor":13})");
    const http::Response again = pay("k1", R"({"valor":13})");

    EXPECT_EQ(problem_of(first), "422 invalid-valor");
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(header_of(again, "Idempotent-Replayed"), "true");
    EXPECT_EQ(shop_.runs, 1);
    EXPECT_EQ(count(), "0");
}

TEST_F(Protect, AnotherPayloadIsRefusedWithTheChosenStatus)
{
    settings_.mismatch_status = 422;
    open();
    pay("k1", R"({"valor":5})");

    EXPECT_EQ(problem_of(pay("k1", R"({"valor":6})")), "422 idempotency-key-reused");
    EXPECT_EQ(shop_.runs, 1);
}

TEST_F(Protect, WhatCannotBeReadIsRefusedBeforeTheKey)
{
    open();

    EXPECT_EQ(problem_of(pay("a b", R"({"valor":5)")), "400 malformed-body");
    EXPECT_EQ(problem_of(pay("a b", R"({"valor":5,"valor":6})")), "400 malformed-body");
    EXPECT_EQ(problem_of(pay("a b", R"({"valor":1e400})")), "400 malformed-body");
    EXPECT_EQ(problem_of(pay("a b", "")), "400 malformed-body");
    EXPECT_EQ(problem_of(pay("a b", "{}")), "400 idempotency-key-invalid");
    EXPECT_EQ(problem_of(ask("POST", {}, "{}")), "400 idempotency-key-missing");
    http::Request form{};
    form.method = "POST";
    form.path = "/api/v1/pagamentos";
    form.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
    form.body = "valor=1";
    const http::Response refused = wait(router_.answer(form));
    EXPECT_EQ(problem_of(refused), "415 unsupported-media-type");
    EXPECT_EQ(header_of(refused, "Accept"), "application/json");
}

TEST_F(Protect, WithoutAKeyThatIsOptionalNothingIsKept)
{
    policy_.key = KeyRule::optional;
    open();

    EXPECT_EQ(header_of(ask("POST", {}, R"({"valor":1})"), "Idempotency-Guarantee"), "none");
    EXPECT_EQ(ask("POST", {}, R"({"valor":1})").status, 201);
    EXPECT_EQ(count(), "2");
}

TEST_F(Protect, AnAnswerTooLargeToKeepIsGivenOnce)
{
    policy_.response_bytes_max = 100;
    shop_.answer.body = std::string(200, 'x');
    open();

    EXPECT_EQ(pay("k1", R"({"valor":5})").body.size(), 200u);
    const http::Response again = pay("k1", R"({"valor":5})");

    EXPECT_EQ(problem_of(again), "409 idempotency-response-not-kept");
    EXPECT_NE(again.body.find(R"("stored_status":201)"), std::string::npos);
    EXPECT_EQ(shop_.runs, 1);
}

// The first is held inside its transaction until the duplicate has its answer.
TEST_F(Protect, ADuplicateOfARunningRequestIsToldOrWaits)
{
    policy_.duplicate_wait = 1ms;
    settings_.wait_max = 10min;
    std::promise<void> running;
    std::promise<void> go_on;
    shop_.inside = [&] {
        running.set_value();
        EXPECT_TRUE(test::is_met("the duplicate has its answer", go_on.get_future()));
    };
    open();
    auto first = std::async(std::launch::async, [&] { return pay("k1", R"({"valor":5})"); });
    test::wait_for("the first runs", running.get_future());

    const http::Response told = pay("k1", R"({"valor":5})");
    auto waiting = std::async(std::launch::async, [&] {
        return pay("k1", R"({"valor":5})", {{"Prefer", "wait=600"}});
    });
    go_on.set_value();
    const http::Response waited = waiting.get();

    EXPECT_EQ(problem_of(told), "409 idempotency-in-progress");
    EXPECT_EQ(header_of(told, "Retry-After"), "1");
    EXPECT_EQ(first.get().status, 201);
    EXPECT_EQ(header_of(waited, "Idempotent-Replayed"), "true");
    EXPECT_EQ(header_of(waited, "Preference-Applied"), "wait=600");
    EXPECT_EQ(shop_.runs, 1);
}

TEST_F(Protect, TokensDecideBeforeTheKeyIsRead)
{
    open();
    pay("k1", R"({"valor":5})");
    const auto make = [this](access::Role role) {
        access::TokenDraft draft{.tenant = access::default_tenant(), .role = role};
        return Header{"Authorization", "Bearer " + tokens_->create(std::move(draft))->text};
    };
    const Header reader = make(access::Role::reader);
    const Header writer = make(access::Role::writer);

    const http::Response nobody = pay("k1", R"({"valor":5})");
    const http::Response stranger =
        pay("k1", R"({"valor":5})", {{"Authorization", "Bearer uvz_x"}});
    const http::Response reading = pay("k1", R"({"valor":5})", {reader});
    const http::Response writing = pay("k1", R"({"valor":5})", {writer});

    EXPECT_EQ(problem_of(nobody), "401 unauthorized");
    EXPECT_EQ(header_of(nobody, "WWW-Authenticate"), R"(Bearer realm="umavez")");
    EXPECT_EQ(problem_of(stranger), "401 unauthorized");
    EXPECT_EQ(problem_of(reading), "403 forbidden");
    EXPECT_EQ(problem_of(pay("a b", "{", {reader})), "403 forbidden");
    EXPECT_EQ(header_of(writing, "Idempotent-Replayed"), "true");
    EXPECT_EQ(ask("GET", {}).status, 401);
    EXPECT_EQ(ask("GET", {reader}).status, 200);
}

TEST_F(Protect, AUserThatCannotBeKeptIsRefusedByTheNameOfTheHeader)
{
    open();

    const http::Response answer = ask("GET", {{"X-Usuario", std::string(101, 'a')}});

    EXPECT_EQ(problem_of(answer), "400 malformed-request");
    EXPECT_NE(answer.body.find("X-Usuario must be given once"), std::string::npos) << answer.body;
    EXPECT_EQ(ask("GET", {{"X-Usuario", "maria"}}).status, 200);
}

TEST_F(Protect, AReadIgnoresTheKey)
{
    open();

    EXPECT_EQ(ask("GET", {{"Idempotency-Key", "\"broken"}}).status, 200);
    EXPECT_EQ(ask("HEAD", {{"Idempotency-Key", "a b"}}).status, 200);
}

TEST_F(Protect, ProblemsAreInTheLanguageOfTheClient)
{
    open();

    const http::Response answer = pay("a b", "{}", {{"Accept-Language", "pt-BR"}});

    EXPECT_EQ(header_of(answer, "Content-Language"), "pt-BR");
    EXPECT_NE(answer.body.find(R"("request_id":"r-1")"), std::string::npos);
    EXPECT_NE(answer.body.find(R"("instance":"/api/v1/pagamentos")"), std::string::npos);
}

TEST_F(Protect, AnExceptionOfAnActionIsA500ThatNamesItsGuaranteeAndFreesTheKey)
{
    policy_.key = KeyRule::optional;
    open();
    shop_.inside = [] { throw std::runtime_error{"a bug"}; };

    const http::Response failed = pay("k1", R"({"valor":1})");
    const http::Response unkeyed = ask("POST", {}, R"({"valor":1})");
    shop_.inside = [] {};
    const http::Response retried = pay("k1", R"({"valor":1})");

    EXPECT_EQ(failed.status, 500);
    EXPECT_EQ(http::find_header(failed.headers, "Idempotency-Guarantee"), "atomic");
    EXPECT_EQ(failed.body.find("a bug"), std::string::npos);
    const auto is_detail = [](const http::Note& note) { return note.name == "detail"; };
    ASSERT_EQ(std::ranges::count_if(failed.notes, is_detail), 1);
    EXPECT_NE(std::ranges::find_if(failed.notes, is_detail)->value.find("a bug"), std::string::npos);
    EXPECT_EQ(unkeyed.status, 500);
    EXPECT_EQ(http::find_header(unkeyed.headers, "Idempotency-Guarantee"), "none");
    EXPECT_EQ(retried.status, 201);
    EXPECT_EQ(count(), "1");
}

}  // namespace
}  // namespace umavez::key_protocol
