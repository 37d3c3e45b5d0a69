// The Idempotency-Key protocol against the built program: the answers of
// docs/reference/idempotency.md, whole, with their headers.

#include "functional/golden.hpp"
#include "functional/http_client.hpp"
#include "functional/process.hpp"
#include "functional/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

namespace umavez::functional {
namespace {

using http::body_of;
using http::status_of;
using testing::HasSubstr;
using testing::Not;

const std::string maria = R"({"nome":"Maria","email":"maria@example.com"})";

class ProtocolTest : public testing::Test {
protected:
    void serve(std::vector<std::string> more = {}, const std::string& listen = "127.0.0.1:0")
    {
        std::vector<std::string> arguments{"serve", "--listen", listen};
        arguments.insert(arguments.end(), more.begin(), more.end());
        server_ = std::make_unique<Process>(scratch_.path(), arguments);
        const std::string& log = server_->wait_for_error_output("\"event\":\"listening\"");
        server_->wait_for_error_output("\"pid\":");
        const std::string_view name = "\"port\":";
        port_ = static_cast<std::uint16_t>(std::stoi(log.substr(log.find(name) + name.size())));
    }
    void kill()
    {
        server_->signal(SIGKILL);
        server_->wait_for_exit();
    }

    std::string get(std::string target, std::vector<std::string> headers = {}) const
    {
        return ask(port_, {.target = std::move(target), .headers = std::move(headers)});
    }
    std::string create(
        const std::string& key, std::string body = maria, std::vector<std::string> headers = {}
    ) const
    {
        headers.push_back("Idempotency-Key: " + key);
        return ask(port_, {"POST", "/api/v1/clientes", std::move(headers), std::move(body)});
    }
    std::string token(const std::string& role) const
    {
        const Exited made =
            run(scratch_.path(), {"token", "create", "--tenant", "default", "--role", role});
        EXPECT_EQ(made.code, 0) << made.err;
        return "Authorization: Bearer " + made.out.substr(0, made.out.find('\n'));
    }

    Scratch scratch_;
    std::unique_ptr<Process> server_;
    std::uint16_t port_ = 0;
};

TEST_F(ProtocolTest, FirstAndReplay)
{
    serve();

    expect_golden("first.txt", create("k1"));
    expect_golden("replay.txt", create("\"k1\""));
    server_->wait_for_error_output(R"("event":"deduplicated","method":"POST")");
    const std::string& log = server_->wait_for_error_output(R"("outcome":"replayed")");
    EXPECT_THAT(log, HasSubstr(R"("tenant":"default")"));
    EXPECT_THAT(log, HasSubstr(R"("operation":"clientes.criar","outcome":"executed")"));
}

TEST_F(ProtocolTest, Refusals)
{
    serve();
    create("k1");
    create("k2", R"({"nome":"Ana","email":"ana@example.com"})");
    const auto change = [this](std::string target, std::string body) {
        return ask(port_, {"PATCH", std::move(target), {"Idempotency-Key: p1"}, std::move(body)});
    };
    change("/api/v1/clientes/1", R"({"nome":"Maria S."})");

    expect_golden("key-invalid.txt", create("a,b"));
    expect_golden("key-reused.txt", change("/api/v1/clientes/1", R"({"nome":"Outra"})"));
    expect_golden("key-reused-target.txt", change("/api/v1/clientes/2", R"({"nome":"Maria S."})"));
    expect_golden("validation-pt.txt", create("k3", "{}", {"Accept-Language: pt"}));
    expect_golden("malformed-body.txt", create("k3", R"({"nome":"a","nome":"b"})"));
    expect_golden("not-found.txt", get("/api/v1/clientes/99"));
    expect_golden("method.txt", ask(port_, {.method = "PUT", .target = "/api/v1/clientes"}));
    expect_golden("upgrade.txt", create("k3", maria, {"Upgrade: h2c", "Connection: Upgrade"}));
    // None of them left a record.
    EXPECT_EQ(status_of(create("k3", R"({"nome":"Eva","email":"eva@example.com"})")), 201);
}

TEST_F(ProtocolTest, SettingsOfTheProtocol)
{
    serve({"--strict-keys", "--mismatch-status", "422", "--wait-max", "5s"});
    create("\"k1\"");

    EXPECT_EQ(status_of(create("k1")), 400);
    EXPECT_THAT(
        create("\"k1\"", maria, {"Prefer: wait=60"}), HasSubstr("Preference-Applied: wait=5\r\n")
    );
}

TEST_F(ProtocolTest, ManyIdenticalRequestsMakeOneClient)
{
    serve({"--wait-max", "5m"});
    std::vector<std::string> answers(64);
    {
        std::vector<std::jthread> senders;
        for (std::string& answer : answers) {
            senders.emplace_back([this, &answer] {
                answer = create("k1", maria, {"Prefer: wait=60"});
            });
        }
    }
    int created = 0;
    for (const std::string& answer : answers) {
        created += status_of(answer) == 201 ? 1 : 0;
        EXPECT_THAT(status_of(answer), testing::AnyOf(200, 201)) << answer;
        EXPECT_THAT(answer, HasSubstr(R"("id":1,)"));
    }
    EXPECT_EQ(created, 1);
}

TEST_F(ProtocolTest, WhatWasAcknowledgedSurvivesAKill)
{
    serve();
    const std::string first = create("k1");
    kill();
    serve();

    const std::string again = create("k1");

    EXPECT_EQ(status_of(first), 201);
    EXPECT_EQ(status_of(again), 200);
    EXPECT_EQ(body_of(again), body_of(first));
}

TEST_F(ProtocolTest, AClientThatLeavesChangesNothing)
{
    serve();
    const std::string bytes =
        to_bytes({"POST", "/api/v1/clientes", {"Idempotency-Key: k1"}, maria});
    {
        http::RawClient client{port_, static_cast<int>(test::wait_limit().count())};
        client.send(bytes);
    }
    server_->wait_for_error_output(R"("outcome":"executed")");

    EXPECT_THAT(create("k1"), HasSubstr("Idempotent-Replayed: true\r\n"));
}

TEST_F(ProtocolTest, StatusOfAKey)
{
    serve();
    create("\"a/b c\"");

    expect_golden("key-status.txt", get("/api/v1/idempotency/clientes.criar/a%2Fb%20c"));
    EXPECT_EQ(status_of(get("/api/v1/idempotency/clientes.criar/other")), 404);
    EXPECT_EQ(status_of(get("/api/v1/idempotency/Nothing/k")), 404);
}

TEST_F(ProtocolTest, TokensOpenWhatTheirRoleCovers)
{
    serve();
    create("k1");
    const std::string reader = token("reader");
    const std::string writer = token("writer");

    expect_golden("unauthorized.txt", create("k1"));
    expect_golden("forbidden.txt", create("k1", maria, {reader}));
    EXPECT_EQ(status_of(create("k1", maria, {writer})), 200);
    EXPECT_EQ(status_of(get("/api/v1/clientes/1", {reader})), 200);
    EXPECT_EQ(status_of(get("/ops/records", {writer})), 403);
    EXPECT_EQ(status_of(get("/api/v1/clientes/1")), 401);
    EXPECT_EQ(status_of(get("/api/nothing")), 401);
    EXPECT_EQ(status_of(get("/ops/nothing")), 401);
    EXPECT_EQ(status_of(get("/api/nothing", {reader})), 404);
    for (const char* const open :
         {"/healthz", "/readyz", "/problems", "/problems/validation", "/docs", "/openapi.json"}) {
        EXPECT_EQ(status_of(get(open)), 200) << open;
    }
}

TEST_F(ProtocolTest, WithoutATokenOnlyThisMachineIsServed)
{
    const Exited refused = run(scratch_.path(), {"serve", "--listen", "0.0.0.0:0"});

    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err, HasSubstr("umavez token create"));
    const std::string operators = token("operator");
    serve({}, "0.0.0.0:0");
    EXPECT_EQ(status_of(get("/metrics")), 401);
    EXPECT_EQ(status_of(get("/metrics", {operators})), 200);
}

TEST_F(ProtocolTest, DocumentsForPeopleAndPrograms)
{
    serve();

    EXPECT_THAT(get("/problems/validation", {"Accept: text/html"}), HasSubstr("<!doctype html>"));
    EXPECT_THAT(
        body_of(get("/problems/validation", {"Accept-Language: pt"})),
        HasSubstr(R"("name":"validation","status":422,"title":"Alguns)")
    );
    EXPECT_EQ(status_of(get("/problems/nothing")), 404);
    const std::string docs = get("/docs");
    EXPECT_THAT(docs, HasSubstr("Content-Security-Policy: default-src 'none'"));
    EXPECT_THAT(docs, HasSubstr("clientes.criar"));
    // It loads nothing from elsewhere.
    EXPECT_THAT(docs, Not(HasSubstr("src=\"http")));
    EXPECT_THAT(docs, Not(HasSubstr("href=\"http")));
    EXPECT_THAT(get("/docs/docs.css"), HasSubstr("text/css"));
    EXPECT_THAT(get("/docs/docs.js"), HasSubstr("text/javascript"));
    EXPECT_THAT(get("/openapi.json"), HasSubstr("\"Idempotency-Key\""));
}

TEST_F(ProtocolTest, ATraceIsInTheLogAndRequestsInTheNumbers)
{
    serve();
    const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    get("/api/v1/clientes/7", {"traceparent: 00-" + trace + "-00f067aa0ba902b7-01"});

    server_->wait_for_error_output(R"("trace_id":")" + trace + "\"");
    const std::string counted =
        R"(umavez_http_requests_total{method="GET",route="/api/v1/clientes/{id}",status="404"} 1)";
    test::wait_until("the request is counted", [&] {
        return get("/metrics").find(counted) != std::string::npos;
    });
}

}  // namespace
}  // namespace umavez::functional
