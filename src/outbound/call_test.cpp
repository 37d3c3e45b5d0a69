// Calls to real servers on loopback: what arrives there, and what is known when something goes wrong.

#include "outbound/call.hpp"

#include "http/server.hpp"
#include "http/test_certificate.hpp"
#include "support/closed_port.hpp"
#include "support/http_receiver.hpp"
#include "support/wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>
#include <utility>

namespace umavez::outbound {
namespace {

using namespace std::chrono_literals;
using test::HttpReceiver;
using test::Reaction;
using test::Received;
using testing::HasSubstr;

const OutboundRule loopback_allowed{.allow_private = true};

// With more time than a slow machine needs.
std::expected<Reply, CallError> ask(Call request, const OutboundRule& rule)
{
    request.connect_timeout = 1h;
    request.total_timeout = 1h;
    return call(request, rule);
}

HttpReceiver::React answers(Reaction reaction)
{
    return [reaction](const Received&) { return reaction; };
}

TEST(CallTest, TheRequestArrivesAsItWasMade)
{
    HttpReceiver receiver{answers({.status = 202, .headers = "Retry-After: 7\r\n", .body = "thanks"}
    )};
    const auto reply =
        ask({.url = receiver.url("/a/../hook?x=1"),
             .headers = {{"Content-Type", "application/json"}, {"X-Empty", ""}},
             .body = R"({"a":1})"},
            loopback_allowed);
    ASSERT_TRUE(reply) << reply.error().detail;
    EXPECT_EQ(reply->status, 202);
    EXPECT_EQ(reply->body, "thanks");
    EXPECT_EQ(find_lines(reply->headers, "retry-after").value, "7");
    const Received got = receiver.received().at(0);
    EXPECT_EQ(got.method, "POST");
    EXPECT_EQ(got.target, "/a/../hook?x=1");
    EXPECT_EQ(got.body, R"({"a":1})");
    EXPECT_EQ(got.header("content-type"), "application/json");
    EXPECT_EQ(got.header("expect"), "");
}

TEST(CallTest, OtherMethods)
{
    HttpReceiver receiver{answers({.body = "x"})};
    ASSERT_TRUE(ask({.method = "GET", .url = receiver.url()}, loopback_allowed));
    ASSERT_TRUE(ask({.method = "HEAD", .url = receiver.url()}, loopback_allowed));
    ASSERT_TRUE(ask({.method = "PUT", .url = receiver.url(), .body = "b"}, loopback_allowed));
    const auto got = receiver.received();
    ASSERT_EQ(got.size(), 3);
    EXPECT_EQ(got[0].method, "GET");
    EXPECT_EQ(got[1].method, "HEAD");
    EXPECT_EQ(got[2].method + got[2].body, "PUTb");
}

TEST(CallTest, RedirectsAreNotFollowed)
{
    HttpReceiver other{answers({})};
    HttpReceiver receiver{answers({.status = 302, .headers = "Location: " + other.url() + "\r\n"})};
    const auto reply = ask({.url = receiver.url()}, loopback_allowed);
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 302);
    EXPECT_TRUE(other.received().empty());
}

TEST(CallTest, TheProxyOfTheEnvironmentIsNotAsked)
{
    HttpReceiver proxy{answers({.status = 418})};
    HttpReceiver receiver{answers({})};
    ::setenv("http_proxy", proxy.url().c_str(), 1);
    ::setenv("ALL_PROXY", proxy.url().c_str(), 1);
    const auto reply = ask({.url = receiver.url()}, loopback_allowed);
    ::unsetenv("http_proxy");
    ::unsetenv("ALL_PROXY");
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 200);
    EXPECT_TRUE(proxy.received().empty());
}

TEST(CallTest, OnlyTheFirstPartOfALargeAnswerIsRead)
{
    HttpReceiver receiver{answers({.body = std::string(5'000'000, 'x')})};
    const auto reply = ask({.url = receiver.url(), .body_bytes_max = 1000}, loopback_allowed);
    ASSERT_TRUE(reply) << reply.error().detail;
    EXPECT_EQ(reply->status, 200);
    EXPECT_EQ(reply->body, std::string(1000, 'x'));
}

TEST(CallTest, PrivateAddressesAreRefusedWhateverTheyAreCalled)
{
    HttpReceiver receiver{answers({})};
    const std::string port = std::to_string(receiver.port());
    for (const std::string host :
         {"127.0.0.1",
          "localhost",
          "127.1",
          "2130706433",
          "[::1]",
          "0.0.0.0",
          "[::ffff:127.0.0.1]",
          "[::ffff:7f00:1]"}) {
        const auto reply = ask({.url = "http://" + host + ":" + port + "/"}, {});
        ASSERT_FALSE(reply) << host;
        EXPECT_EQ(reply.error().failure, CallFailure::refused_address) << host;
        EXPECT_EQ(reply.error().effect, Effect::none) << host;
    }
    EXPECT_TRUE(receiver.received().empty());
}

TEST(CallTest, NobodyListensMeansNothingLeft)
{
    const test::ClosedPort closed;
    const std::string url = "http://127.0.0.1:" + std::to_string(closed.port()) + "/";
    const auto reply = ask({.url = url}, loopback_allowed);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().failure, CallFailure::unreachable);
    EXPECT_EQ(reply.error().effect, Effect::none);
    const auto nowhere = call({.url = "http://does-not-exist.invalid/"}, loopback_allowed);
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().effect, Effect::none);
}

TEST(CallTest, NoAnswerInTimeIsUnknown)
{
    HttpReceiver receiver{answers({.kind = Reaction::Kind::hold})};
    // What a busy machine did not even send in time is not unknown: then with more time.
    auto limit = 50ms;
    std::optional<CallError> error;
    test::wait_until("a call is sent and not answered", [&] {
        const auto reply = call(
            {.url = receiver.url(), .total_timeout = std::exchange(limit, limit * 2)},
            loopback_allowed
        );
        EXPECT_FALSE(reply);
        if (!reply) error = reply.error();
        return error && error->effect == Effect::unknown;
    });
    EXPECT_EQ(error->failure, CallFailure::timeout);
    test::wait_until("it has come", [&] { return !receiver.received().empty(); });
}

TEST(CallTest, APeerThatHangsUpIsUnknown)
{
    HttpReceiver receiver{answers({.kind = Reaction::Kind::hang_up})};
    const auto reply = ask({.url = receiver.url(), .body = "x"}, loopback_allowed);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().failure, CallFailure::broken);
    EXPECT_EQ(reply.error().effect, Effect::unknown);
}

TEST(CallTest, WhereTheHeadIsEnoughACutBodyIsNoFailure)
{
    HttpReceiver receiver{answers({.kind = Reaction::Kind::cut, .status = 200, .body = "part"})};
    const auto reply = ask({.url = receiver.url(), .body = "x"}, loopback_allowed);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().effect, Effect::unknown);
    const auto head =
        ask({.url = receiver.url(), .body = "x", .needs_body = false}, loopback_allowed);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->status, 200);
}

TEST(CallTest, AStopCutsTheCallAtOnce)
{
    HttpReceiver receiver{answers({.kind = Reaction::Kind::hold})};
    std::stop_source stop;
    std::jthread stopper{[&] {
        EXPECT_TRUE(test::is_met("the call has come", [&] { return !receiver.received().empty(); })
        );
        stop.request_stop();
    }};
    // It would last for longer than any wait.
    const auto reply = call(
        {.url = receiver.url(), .connect_timeout = 1h, .total_timeout = 3 * test::wait_limit()},
        loopback_allowed,
        stop.get_token()
    );
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().failure, CallFailure::cut);
    EXPECT_EQ(reply.error().effect, Effect::unknown);
}

TEST(CallTest, WhatWouldSplitARequestIsRefused)
{
    const std::vector<Header> bad[] = {
        {{"X", "a\r\nEvil: 1"}}, {{"X", std::string{"a\0b", 3}}}, {{"X: y\r\nZ", "a"}}, {{"", "a"}}
    };
    for (const auto& headers : bad) {
        const auto reply =
            ask({.url = "http://127.0.0.1:1/", .headers = headers}, loopback_allowed);
        ASSERT_FALSE(reply);
        EXPECT_EQ(reply.error().failure, CallFailure::invalid);
        EXPECT_EQ(reply.error().effect, Effect::none);
    }
    for (const std::string url :
         {"file:///etc/passwd", "gopher://127.0.0.1/", "http://", "scp://h/f"}) {
        const auto reply = ask({.url = url}, loopback_allowed);
        ASSERT_FALSE(reply) << url;
        EXPECT_EQ(reply.error().failure, CallFailure::invalid) << url;
        EXPECT_EQ(reply.error().effect, Effect::none) << url;
    }
}

TEST(CallTest, CertificatesAreChecked)
{
    std::string pattern = (std::filesystem::temp_directory_path() / "umavez-XXXXXX").string();
    const std::filesystem::path folder = ::mkdtemp(pattern.data());
    const http::TlsFiles files{.cert = folder / "cert.pem", .key = folder / "key.pem"};
    http::write_certificate(files, "localhost");
    auto server = http::Server::listen(
        {.port = 0, .threads = 1, .tls = files},
        [](http::Request) -> Task<http::Response> { co_return http::text_response(200, "secret"); },
        [](const http::Answered&) {}
    );
    ASSERT_TRUE(server) << server.error().detail;
    (*server)->start();
    const std::string port = std::to_string((*server)->port());
    const OutboundRule believing{.allow_private = true, .ca_file = files.cert};

    const auto stranger = ask({.url = "https://localhost:" + port + "/"}, loopback_allowed);
    ASSERT_FALSE(stranger);
    EXPECT_EQ(stranger.error().failure, CallFailure::untrusted);
    EXPECT_EQ(stranger.error().effect, Effect::none);

    const auto friendly = ask({.url = "https://localhost:" + port + "/"}, believing);
    ASSERT_TRUE(friendly) << friendly.error().detail;
    EXPECT_EQ(friendly->body, "secret");

    // The right certificate under another name.
    const auto other_name = ask({.url = "https://127.0.0.1:" + port + "/"}, believing);
    ASSERT_FALSE(other_name);
    EXPECT_EQ(other_name.error().failure, CallFailure::untrusted);
    const auto nobody =
        ask({.url = "https://localhost:" + port + "/"},
            {.allow_private = true, .ca_file = folder / "absent.pem"});
    ASSERT_FALSE(nobody);
    EXPECT_EQ(nobody.error().failure, CallFailure::untrusted);
    EXPECT_EQ(nobody.error().effect, Effect::none);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace umavez::outbound
