// Propostas over a real port: the examples of its documentation word by word, and many clients at
// once.

#include "functional/http_client.hpp"
#include "functional/process.hpp"
#include "functional/scratch.hpp"
#include "functional/seen_statuses.hpp"
#include "http/raw_client.hpp"
#include "json/tree.hpp"
#include "support/postgres_server.hpp"
#include "support/wait.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

namespace umavez::functional {
namespace {

using http::body_of;
using http::RawClient;
using http::status_of;
using testing::HasSubstr;

constexpr const char* joao =
    R"({"nome": "João Silva", "email": "joao@example.com", "documento": "123.456.789-00"})";

std::string request_text(
    std::string_view method,
    std::string_view path,
    std::string_view key,
    std::string_view body,
    std::string_view more = {}
)
{
    return fmt::format(
        "{} {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{}{}"
        "Content-Length: {}\r\n\r\n{}",
        method,
        path,
        key.empty() ? "" : fmt::format("Idempotency-Key: {}\r\n", key),
        more,
        body.size(),
        body
    );
}

// Every member of `expected` is in the body of the answer with the same value, numbers as they are
// written.
void expect_members(const std::string& answer, const std::string& expected)
{
    const std::string body = body_of(answer);
    const auto told = JsonTree::parse(body);
    const auto wanted = JsonTree::parse(expected);
    ASSERT_TRUE(told && wanted) << answer;
    for (const JsonMember& member : wanted->root().members()) {
        const auto value = told->root().find(member.name().string());
        ASSERT_TRUE(value) << member.name().string() << " is missing in " << body;
        ASSERT_EQ(value->kind(), member.value().kind()) << member.name().string();
        if (value->kind() == JsonKind::number) {
            EXPECT_EQ(value->number(), member.value().number());
        } else {
            EXPECT_EQ(value->string(), member.value().string());
        }
    }
}

class PropostasServerTest : public testing::Test {
protected:
    void SetUp() override { start(); }

    void start()
    {
        server_ = std::make_unique<Process>(
            scratch_.path(),
            std::vector<std::string>{
                "serve", "--listen", "127.0.0.1:0", "--database", database_.url()
            }
        );
        const std::string& log = server_->wait_for_error_output("\"event\":\"listening\"");
        server_->wait_for_error_output("\"pid\":");
        const std::string_view name = "\"port\":";
        port_ = static_cast<std::uint16_t>(std::stoi(log.substr(log.find(name) + name.size())));
    }

    std::string post(std::string_view path, std::string_view key, std::string_view body)
    {
        return ask_patiently(port_, request_text("POST", path, key, body), [](RawClient& client) {
            return client.read_answer();
        });
    }

    Scratch scratch_;
    test::TestDatabase database_{scratch_.path(), true};
    std::unique_ptr<Process> server_;
    std::uint16_t port_ = 0;
};

TEST_F(PropostasServerTest, TheThreeExamplesAnswerAsDocumented)
{
    const std::string cliente =
        R"({"id": 1, "nome": "João Silva", "email": "joao@example.com",)"
        R"( "documento": "123.456.789-00", "idempotencia_key": "client-001"})";
    const std::string created = post("/api/v1/clientes", "client-001", joao);
    const std::string retried = post("/api/v1/clientes", "client-001", joao);
    EXPECT_EQ(status_of(created), 201) << created;
    EXPECT_THAT(created, Not(HasSubstr("Idempotent-Replayed")));
    EXPECT_EQ(status_of(retried), 200) << retried;
    EXPECT_THAT(retried, HasSubstr("Idempotent-Replayed: true\r\n"));
    expect_members(created, cliente);
    expect_members(retried, cliente);

    const std::string proposta =
        R"({"id": 1, "cliente_id": 1, "valor": 1500.00, "estado": "rascunho", "versao": 1,)"
        R"( "idempotencia_key": "proposta-001"})";
    const std::string drafted =
        post("/api/v1/propostas", "proposta-001", R"({"cliente_id": 1, "valor": 1500.00})");
    const std::string redrafted =
        post("/api/v1/propostas", "proposta-001", R"({"cliente_id": 1, "valor": 2000.00})");
    EXPECT_EQ(status_of(drafted), 201) << drafted;
    EXPECT_EQ(status_of(redrafted), 200) << redrafted;
    EXPECT_THAT(redrafted, HasSubstr("Idempotent-Replayed: true\r\n"));
    expect_members(drafted, proposta);
    expect_members(redrafted, proposta);

    const std::string enviada = R"({"id": 1, "estado": "enviada", "versao": 2})";
    const std::string path = "/api/v1/propostas/1/submeter";
    const std::string submitted = post(path, "submit-001", R"({"versao": 1})");
    const std::string resubmitted = post(path, "submit-001", R"({"versao": 1})");
    EXPECT_EQ(status_of(submitted), 200) << submitted;
    EXPECT_THAT(submitted, Not(HasSubstr("Idempotent-Replayed")));
    EXPECT_EQ(status_of(resubmitted), 200) << resubmitted;
    EXPECT_THAT(resubmitted, HasSubstr("Idempotent-Replayed: true\r\n"));
    expect_members(submitted, enviada);
    expect_members(resubmitted, enviada);
}

TEST_F(PropostasServerTest, TwoHundredIdenticalRequestsMakeOneClient)
{
    constexpr std::size_t count = 200;
    std::vector<std::string> answers(count);
    std::atomic<bool> was_unsure = false;
    std::latch connected{count};
    {
        std::vector<std::jthread> threads;
        for (std::string& answer : answers) {
            threads.emplace_back([this, &answer, &was_unsure, &connected] {
                RawClient client{port_, static_cast<int>(2 * test::wait_limit().count())};
                connected.arrive_and_wait();
                // Past the wait, and past the limits of the store, which a busy machine may need,
                // it is asked again.
                const auto is_told = [&] {
                    client.send(request_text(
                        "POST", "/api/v1/clientes", "client-001", joao, "Prefer: wait=20\r\n"
                    ));
                    answer = client.read_answer();
                    if (is_unsure(answer)) was_unsure = true;
                    return status_of(answer) != 409 && status_of(answer) != 503;
                };
                static_cast<void>(test::is_met("there is an answer", is_told));
            });
        }
    }

    std::size_t created = 0;
    for (const std::string& answer : answers) {
        const int status = status_of(answer);
        if (status == 201) {
            ++created;
        } else {
            EXPECT_EQ(status, 200) << answer;
            EXPECT_THAT(answer, HasSubstr("Idempotent-Replayed: true\r\n"));
        }
        expect_members(answer, R"({"id": 1})");
    }
    // None where the one that made it was told that nobody knows.
    EXPECT_TRUE(created == 1 || (created == 0 && was_unsure)) << created;
    const std::string all = ask_patiently(
        port_,
        "GET /api/v1/clientes HTTP/1.1\r\nHost: localhost\r\n\r\n",
        [](RawClient& client) { return client.read_answer(); }
    );
    EXPECT_EQ(status_of(all), 200);
    EXPECT_THAT(all, Not(HasSubstr("\"id\":2")));
}

TEST_F(PropostasServerTest, WhatWasAcknowledgedBeforeAKillIsReplayedAfterIt)
{
    EXPECT_EQ(status_of(post("/api/v1/clientes", "client-001", joao)), 201);
    EXPECT_EQ(status_of(post("/api/v1/propostas", "p", R"({"cliente_id": 1, "valor": 1})")), 201);

    server_->signal(SIGKILL);
    server_->wait_for_exit();
    start();

    const std::string cliente = post("/api/v1/clientes", "client-001", joao);
    const std::string proposta = post("/api/v1/propostas", "p", R"({"cliente_id": 1, "valor": 1})");
    for (const std::string& answer : {cliente, proposta}) {
        EXPECT_EQ(status_of(answer), 200) << answer;
        EXPECT_THAT(answer, HasSubstr("Idempotent-Replayed: true\r\n"));
        expect_members(answer, R"({"id": 1})");
    }
}

}  // namespace
}  // namespace umavez::functional
