// The server over real connections: limits, keep-alive, shutdown, tasks that wait.

#include "http/server.hpp"

#include "http/raw_client.hpp"
#include "support/wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <mutex>
#include <poll.h>
#include <thread>

namespace umavez::http {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A wait that a test ends by hand, from another thread.
class Pause {
public:
    struct Awaiter {
        Pause& pause;
        bool await_ready() const noexcept { return false; }
        template <typename Promise>
        void await_suspend(std::coroutine_handle<Promise> handle)
        {
            pause.waiting_.set_value({handle.promise().scheduler, handle});
        }
        void await_resume() const noexcept {}
    };
    Awaiter operator co_await() noexcept { return {*this}; }

    void wait_until_reached()
    {
        waiter_ = test::wait_for("a request waits", waiting_.get_future());
    }
    void open() { waiter_.first->resume_soon(waiter_.second); }

private:
    std::promise<std::pair<Scheduler*, std::coroutine_handle<>>> waiting_;
    std::pair<Scheduler*, std::coroutine_handle<>> waiter_;
};

class ServerTest : public testing::Test {
protected:
    void serve(ServerOptions options = {}, Gate gate = {})
    {
        options.port = 0;
        auto handler = [this](Request request) -> Task<Response> {
            if (request.path == "/throw") throw std::runtime_error("boom");
            if (request.path == "/wait") co_await pause_;
            std::string body =
                request.method + " " + request.path + "?" + request.query + " " + request.body;
            if (find_header(request.headers, "X-Trailer")) body += " trailer";
            co_return text_response(200, std::move(body));
        };
        auto on_answered = [this](const Answered& answered) {
            const std::lock_guard guard{mutex_};
            errors_ += answered.error;
        };
        auto made = Server::listen(options, handler, on_answered, std::move(gate));
        ASSERT_TRUE(made) << made.error().detail;
        server_ = std::move(*made);
        server_->start();
    }

    std::string ask(const std::string& bytes)
    {
        RawClient client{server_->port()};
        client.send(bytes);
        client.finish_sending();
        return client.read_all();
    }

    Pause pause_;
    std::mutex mutex_;
    std::string errors_;
    std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, AnswersAndKeepsTheConnection)
{
    serve();
    RawClient client{server_->port()};

    client.send(
        "POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nX-Request-Id: mine\r\n\r\nhi"
    );
    const std::string first = client.read_answer();
    client.send("GET http://x/abs HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string second = client.read_answer();

    EXPECT_EQ(body_of(first), "POST /a?b=c hi");
    EXPECT_THAT(first, HasSubstr("X-Request-Id: mine\r\n"));
    EXPECT_THAT(first, HasSubstr("Connection: keep-alive\r\n"));
    EXPECT_EQ(body_of(second), "GET /abs? ");
}

TEST_F(ServerTest, PipelinedRequestsAreAnsweredInOrder)
{
    serve();

    const std::string answers = ask(
        "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: "
        "1\r\n\r\nz"
        "GET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nGET /4 HTTP/1.1\r\nHost: x\r\n\r\n"
    );

    EXPECT_THAT(answers, testing::ContainsRegex("GET /1(.|\r|\n)*POST /2\\? z(.|\r|\n)*GET /3"));
    EXPECT_THAT(answers, testing::Not(HasSubstr("/4")));
}

TEST_F(ServerTest, Http10IsClosedUnlessAskedOtherwise)
{
    serve();

    EXPECT_THAT(ask("GET / HTTP/1.0\r\n\r\n"), HasSubstr("Connection: close\r\n"));
    RawClient client{server_->port()};
    client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_THAT(client.read_answer(), HasSubstr("Connection: keep-alive\r\n"));
    client.send("GET /2 HTTP/1.0\r\n\r\n");
    EXPECT_EQ(body_of(client.read_all()), "GET /2? ");
}

TEST_F(ServerTest, HeadHasTheLengthAndNoBody)
{
    serve();

    const std::string answer = ask("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");

    EXPECT_THAT(answer, HasSubstr("Content-Length: 8\r\n"));
    EXPECT_EQ(body_of(answer), "");
}

TEST_F(ServerTest, TrailersDoNotBecomeHeaders)
{
    serve();

    const std::string answer =
        ask("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
            "chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Trailer: 1\r\n\r\n");

    EXPECT_EQ(body_of(answer), "POST /? hi");
}

TEST_F(ServerTest, ALargeHeadIs431)
{
    serve();

    const std::string answer =
        ask("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(20'000, 'a') + "\r\n\r\n");

    EXPECT_EQ(status_of(answer), 431);
    EXPECT_THAT(answer, HasSubstr("/problems/headers-too-large"));
}

TEST_F(ServerTest, ALargeBodyIs413WhateverItsFraming)
{
    serve({.body_bytes_max = 100'000});
    const std::string body(100'001, 'a');

    EXPECT_EQ(
        status_of(ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100001\r\n\r\n" + body)), 413
    );
    EXPECT_EQ(
        status_of(
            ask("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n186a1\r\n" + body +
                "\r\n0\r\n\r\n")
        ),
        413
    );
    EXPECT_EQ(
        status_of(
            ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + body.substr(1))
        ),
        200
    );
}

TEST_F(ServerTest, BodiesTogetherHaveALimit)
{
    serve({.threads = 1, .bodies_bytes_max = 100'000});
    const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n";
    const std::string most(89'999, 'a');
    RawClient first{server_->port()};
    RawClient second{server_->port()};

    first.send(head + most);
    second.send(head + most);
    // Which of the two is too much depends on how their bytes arrive.
    std::array<pollfd, 2> waited{{{first.handle(), POLLIN, 0}, {second.handle(), POLLIN, 0}}};
    test::wait_until("one of them is refused", [&] {
        return ::poll(waited.data(), waited.size(), 0) > 0;
    });
    RawClient& refused = waited[0].revents != 0 ? first : second;
    RawClient& other = waited[0].revents != 0 ? second : first;

    const std::string refusal = refused.read_answer();
    EXPECT_EQ(status_of(refusal), 503);
    EXPECT_THAT(refusal, HasSubstr("Retry-After: 1\r\n"));
    other.send("a");
    EXPECT_EQ(status_of(other.read_answer()), 200);
    RawClient third{server_->port()};
    third.send(head + most + "a");
    EXPECT_EQ(status_of(third.read_answer()), 200);
}

TEST_F(ServerTest, AnEndlessChunkExtensionIsCut)
{
    serve();

    const std::string answer =
        ask("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
            std::string(300'000, 'a'));

    EXPECT_THAT(status_of(answer), testing::AnyOf(0, 400));
}

TEST_F(ServerTest, ExpectContinueIsAnswered)
{
    serve();
    RawClient client{server_->port()};

    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_THAT(client.read_answer(), StartsWith("HTTP/1.1 100 Continue"));
    client.send("hi");

    EXPECT_EQ(body_of(client.read_answer()), "POST /? hi");
}

TEST_F(ServerTest, ARefusedHeadGetsNoContinue)
{
    serve();
    const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n";

    RawClient too_large{server_->port()};
    too_large.send(head + "Content-Length: 9999999\r\n\r\n");
    EXPECT_EQ(status_of(too_large.read_all()), 413);
    RawClient packed{server_->port()};
    packed.send(head + "Content-Length: 9\r\nContent-Encoding: br\r\n\r\n");
    const std::string answer = packed.read_all();
    EXPECT_EQ(status_of(answer), 415);
    EXPECT_THAT(answer, HasSubstr("Accept-Encoding: gzip\r\n"));
    EXPECT_THAT(answer, HasSubstr("/problems/unsupported-media-type"));
    EXPECT_EQ(status_of(ask("GET / HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n")), 417);
}

TEST_F(ServerTest, GzipIsUnpacked)
{
    serve();
    // What `printf hello | gzip` gives.
    static constexpr char bytes[] =
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05"
        "\x00\x00\x00";
    const std::string packed{bytes, sizeof bytes - 1};
    const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\n";
    RawClient client{server_->port()};

    client.send(head + "Content-Length: 25\r\n\r\n" + packed);
    EXPECT_EQ(body_of(client.read_answer()), "POST /? hello");
    client.send(head + "Transfer-Encoding: chunked\r\n\r\n19\r\n" + packed + "\r\n0\r\n\r\n");
    EXPECT_EQ(body_of(client.read_answer()), "POST /? hello");
    client.send(head + "Content-Length: 24\r\n\r\n" + packed.substr(0, 24));
    EXPECT_EQ(status_of(client.read_all()), 400);
}

TEST_F(ServerTest, ALargeAnswerArrivesWhole)
{
    serve();
    const std::string body(1'000'000, 'z');

    const std::string answer =
        ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + body);

    EXPECT_EQ(body_of(answer), "POST /? " + body);
}

TEST_F(ServerTest, AClientThatDoesNotReadIsCut)
{
    serve({.write_limit = std::chrono::milliseconds{50}});
    const std::string request = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" +
                                std::string(1'000'000, 'z');
    RawClient deaf{server_->port()};

    // The kernel takes a few answers; then the server waits, reads nothing more and cuts.
    bool is_open = true;
    for (int i = 0; i < 100 && is_open; ++i) is_open = deaf.send(request);

    EXPECT_FALSE(is_open);
    EXPECT_EQ(status_of(ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n")), 200);
}

TEST_F(ServerTest, ManyIdleConnectionsLeaveRoomForOthers)
{
    serve();
    std::vector<std::unique_ptr<RawClient>> idle;
    for (int i = 0; i < 400; ++i) idle.push_back(std::make_unique<RawClient>(server_->port()));

    EXPECT_EQ(status_of(ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n")), 200);
}

TEST_F(ServerTest, AnExceptionIs500AndTheDetailStaysInside)
{
    serve();

    const std::string answer = ask("GET /throw HTTP/1.1\r\nHost: x\r\n\r\n");

    EXPECT_EQ(status_of(answer), 500);
    EXPECT_THAT(answer, testing::Not(HasSubstr("boom")));
    server_.reset();
    EXPECT_EQ(errors_, "boom");
}

TEST_F(ServerTest, SlowSendersAreCut)
{
    serve({.head_limit = std::chrono::milliseconds{50}, .body_limit = std::chrono::milliseconds{50}}
    );

    RawClient slow_head{server_->port()};
    slow_head.send("GET / HT");
    RawClient slow_body{server_->port()};
    slow_body.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhi");

    EXPECT_EQ(status_of(slow_head.read_all()), 408);
    const std::string answer = slow_body.read_all();
    EXPECT_EQ(status_of(answer), 408);
    EXPECT_THAT(answer, HasSubstr("/problems/request-timeout"));
    EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
}

TEST_F(ServerTest, IdleConnectionsAreClosed)
{
    serve({.idle_limit = std::chrono::milliseconds{50}});
    RawClient client{server_->port()};

    EXPECT_EQ(client.read_all(), "");
}

TEST_F(ServerTest, TooManyConnectionsAreTurnedAway)
{
    serve({.connections_max = 1});
    RawClient first{server_->port()};
    first.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    first.read_answer();

    RawClient second{server_->port()};

    const std::string refusal = second.read_all();
    EXPECT_EQ(status_of(refusal), 503);
    EXPECT_THAT(refusal, HasSubstr("Content-Type: application/problem+json\r\n"));
    EXPECT_THAT(refusal, HasSubstr("X-Request-Id: "));
    EXPECT_THAT(refusal, HasSubstr("Retry-After: 1\r\n"));
    EXPECT_THAT(refusal, HasSubstr("Connection: close\r\n"));
    EXPECT_THAT(body_of(refusal), HasSubstr("/problems/unavailable"));
}

TEST_F(ServerTest, TheGateIsAskedBeforeTheBody)
{
    serve({}, [](const Request& head) -> Entry {
        static const std::vector<Header> headers{{"X-Gate", "asked"}};
        EXPECT_FALSE(head.peer.empty());
        EXPECT_FALSE(head.request_id.empty());
        if (head.path == "/throw") throw std::runtime_error("boom");
        if (head.path == "/closed") return {.refusal = text_response(403, "no")};
        return {.headers = headers};
    });
    const auto announce = [this](const std::string& path, const std::string& length) {
        RawClient client{server_->port()};
        client.send(
            "POST " + path +
            " HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: " + length + "\r\n\r\n"
        );
        return length == "2" && path == "/open" ? client.read_answer() : client.read_all();
    };

    EXPECT_EQ(status_of(announce("/closed", "2")), 403);
    EXPECT_EQ(status_of(announce("/closed", "99999999")), 403);
    EXPECT_EQ(status_of(announce("/throw", "2")), 500);
    EXPECT_EQ(status_of(announce("/open", "2")), 100);
    const std::string large = announce("/open", "99999999");
    EXPECT_EQ(status_of(large), 413);
    EXPECT_THAT(large, HasSubstr("X-Gate: asked\r\n"));
    RawClient whole{server_->port()};
    whole.send("POST /closed HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi");
    EXPECT_THAT(whole.read_answer(), HasSubstr("Connection: keep-alive\r\n"));
    whole.send("GET /again HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(body_of(whole.read_answer()), "GET /again? ");
    EXPECT_THAT(ask("GET /closed HTTP/1.1\r\nHost: x\r\n\r\n"), HasSubstr("GET /closed?"));
}

TEST_F(ServerTest, ARefusalOfASmallBodyHasTheHeadersOfItsRouteToo)
{
    serve({.body_limit = std::chrono::milliseconds{50}}, [](const Request&) -> Entry {
        static const std::vector<Header> headers{{"X-Gate", "asked"}};
        return {.headers = headers};
    });

    RawClient slow{server_->port()};
    slow.send("POST /open HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhi");

    const std::string answer = slow.read_all();
    EXPECT_EQ(status_of(answer), 408);
    EXPECT_THAT(answer, HasSubstr("X-Gate: asked\r\n"));
}

TEST_F(ServerTest, SmallBodiesGetThroughWhereLargeOnesWait)
{
    serve({.bodies_bytes_max = 10'000});
    const std::string large = "POST /large HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n" +
                              std::string(20'000, 'x');

    EXPECT_EQ(status_of(ask(large)), 503);
    serve({.bodies_bytes_max = 1});
    EXPECT_EQ(
        status_of(ask("POST /small HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")), 200
    );
}

TEST_F(ServerTest, ALineOfAChunkThatCannotBecomeRightIsRefusedAtOnce)
{
    serve();

    for (const char* const chunk : {"1\n", "1\ra", "1\r\na\n", "0\r\nT: 1\n"}) {
        RawClient client{server_->port()};
        client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
        client.send(chunk);
        EXPECT_EQ(status_of(client.read_all()), 400) << chunk;
    }
}

TEST_F(ServerTest, ATaskMayWaitAndIsResumedOnItsConnection)
{
    serve();
    RawClient client{server_->port()};

    client.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    pause_.wait_until_reached();
    pause_.open();

    EXPECT_EQ(body_of(client.read_answer()), "GET /wait? ");
}

TEST_F(ServerTest, AClientThatLeavesChangesNothing)
{
    serve();
    {
        RawClient client{server_->port()};
        client.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
        pause_.wait_until_reached();
    }

    pause_.open();

    EXPECT_EQ(status_of(ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n")), 200);
}

TEST_F(ServerTest, StopClosesIdleConnectionsAndFinishesWhatRuns)
{
    serve();
    RawClient idle{server_->port()};
    idle.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    idle.read_answer();
    RawClient busy{server_->port()};
    busy.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    pause_.wait_until_reached();

    auto stopped =
        std::async(std::launch::async, [this] { return server_->stop(test::wait_limit()); });
    EXPECT_EQ(idle.read_all(), "");
    pause_.open();

    const std::string answer = busy.read_all();
    EXPECT_EQ(body_of(answer), "GET /wait? ");
    EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
    EXPECT_EQ(stopped.get(), 0u);
    EXPECT_THROW(RawClient{server_->port()}, std::runtime_error);
}

TEST_F(ServerTest, StopTellsWhatItHadToCut)
{
    serve();
    RawClient busy{server_->port()};
    busy.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    pause_.wait_until_reached();

    EXPECT_EQ(server_->stop(std::chrono::milliseconds{1}), 1u);

    EXPECT_EQ(busy.read_all(), "");
    pause_.open();
}

TEST_F(ServerTest, ManyClientsAtOnce)
{
    serve({.threads = 4});
    constexpr int clients = 8;
    constexpr int requests = 50;
    std::vector<std::future<int>> answered;

    for (int i = 0; i < clients; ++i) {
        answered.push_back(std::async(std::launch::async, [this] {
            RawClient client{server_->port()};
            int good = 0;
            for (int k = 0; k < requests; ++k) {
                client.send("GET /" + std::to_string(k) + " HTTP/1.1\r\nHost: x\r\n\r\n");
                if (body_of(client.read_answer()) == "GET /" + std::to_string(k) + "? ") ++good;
            }
            return good;
        }));
    }

    for (auto& count : answered) EXPECT_EQ(count.get(), requests);
}

TEST(ServerListen, ATakenPortIsNamedWithTheCure)
{
    auto handler = [](Request) -> Task<Response> { co_return Response{}; };
    const auto first = Server::listen({.port = 0}, handler, nullptr);
    ASSERT_TRUE(first);

    const auto second = Server::listen({.port = (*first)->port()}, handler, nullptr);

    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().detail, HasSubstr("Address already in use; choose another"));
}

}  // namespace
}  // namespace umavez::http
