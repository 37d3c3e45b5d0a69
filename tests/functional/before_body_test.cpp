// What the head of a request decides alone: no byte of a body is read or asked for from whom we
// refuse anyway. Without that, strangers could fill the memory that bodies share.

#include "functional/process.hpp"
#include "functional/scratch.hpp"
#include "http/raw_client.hpp"
#include "support/wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::functional {
namespace {

using http::RawClient;
using http::status_of;
using testing::HasSubstr;
using testing::Not;

class BeforeBody : public testing::Test {
protected:
    BeforeBody()
    {
        server_ = std::make_unique<Process>(
            scratch_.path(), std::vector<std::string>{"serve", "--listen", "127.0.0.1:0"}
        );
        const std::string& log = server_->wait_for_error_output("\"pid\":");
        const std::string_view name = "\"port\":";
        port_ = static_cast<std::uint16_t>(std::stoi(log.substr(log.find(name) + name.size())));
        const Exited made =
            run(scratch_.path(), {"token", "create", "--tenant", "acme", "--role", "writer"});
        EXPECT_EQ(made.code, 0) << made.err;
        const std::size_t begin = made.out.find("uvz_");
        token_ = made.out.substr(begin, made.out.find_first_of(" \n", begin) - begin);
    }

    // All that comes back to a head whose body is announced, waits for 100 Continue, and is never
    // sent.
    std::string announce(const std::string& line, const std::string& more = {}) const
    {
        RawClient client{port_, static_cast<int>(test::wait_limit().count())};
        client.send(
            line + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
            "Idempotency-Key: k\r\nExpect: 100-continue\r\n" + more +
            (more.find("Content-Length") == std::string::npos ? "Content-Length: 9\r\n\r\n" : "\r\n"
            )
        );
        return client.read_all();
    }
    std::string authorized() const { return "Authorization: Bearer " + token_ + "\r\n"; }

    Scratch scratch_;
    std::string token_;
    std::unique_ptr<Process> server_;
    std::uint16_t port_ = 0;
};

TEST_F(BeforeBody, AStrangerIsTurnedAway)
{
    for (const std::string& head :
         {std::string{},
          std::string{"Authorization: Bearer uvz_x\r\n"},
          std::string{"Content-Length: 99999999\r\n"}}) {
        const std::string answer = announce("POST /api/v1/clientes", head);

        EXPECT_EQ(status_of(answer), 401) << answer;
        EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
        EXPECT_THAT(answer, HasSubstr("Idempotency-Guarantee: none\r\n"));
        EXPECT_THAT(answer, HasSubstr("WWW-Authenticate: Bearer"));
    }
    EXPECT_EQ(status_of(announce("POST /ops/tokens")), 401);
    EXPECT_EQ(status_of(announce("POST /ops/tokens", authorized())), 403);
}

TEST_F(BeforeBody, WhatIsNotThereIsToldAtOnce)
{
    EXPECT_EQ(status_of(announce("POST /nothing")), 404);
    EXPECT_EQ(status_of(announce("POST /api/v1/nothing")), 401);
    EXPECT_EQ(status_of(announce("POST /api/v1/nothing", authorized())), 404);
    const std::string method = announce("DELETE /api/v1/clientes", authorized());
    EXPECT_EQ(status_of(method), 405);
    EXPECT_THAT(method, HasSubstr("Allow: "));
}

TEST_F(BeforeBody, WhereEverybodyMayAskNobodySendsABody)
{
    const std::string answer = announce("GET /healthz");

    EXPECT_EQ(status_of(answer), 400);
    EXPECT_THAT(answer, HasSubstr("takes no body"));
}

TEST_F(BeforeBody, ABodyThatIsTooLargeIsRefusedUnderTheProtocol)
{
    const std::string announced =
        announce("POST /api/v1/clientes", authorized() + "Content-Length: 99999999\r\n");

    EXPECT_EQ(status_of(announced), 413);
    EXPECT_THAT(announced, HasSubstr("Idempotency-Guarantee: none\r\n"));

    RawClient client{port_, static_cast<int>(test::wait_limit().count())};
    client.send(
        "POST /api/v1/clientes HTTP/1.1\r\nHost: localhost\r\n" + authorized() +
        "Transfer-Encoding: chunked\r\n\r\nfffffff\r\n"
    );
    const std::string chunked = client.read_all();

    EXPECT_EQ(status_of(chunked), 413);
    EXPECT_THAT(chunked, HasSubstr("Idempotency-Guarantee: none\r\n"));
}

TEST_F(BeforeBody, WhoMayComeInIsAskedForTheBody)
{
    RawClient client{port_, static_cast<int>(test::wait_limit().count())};
    client.send(
        "POST /api/v1/clientes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Idempotency-Key: k\r\nExpect: 100-continue\r\nContent-Length: 2\r\n" +
        authorized() + "\r\n"
    );

    EXPECT_THAT(client.read_answer(), HasSubstr("100 Continue"));
    client.send("{}");
    EXPECT_EQ(status_of(client.read_answer()), 422);
}

}  // namespace
}  // namespace umavez::functional
