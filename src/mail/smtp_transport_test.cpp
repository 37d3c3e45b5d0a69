// Messages to servers that break off at every step of the dialogue. The server's own record says whether
// it took the message; the verdict may never contradict it.

#include "mail/mime.hpp"
#include "mail/transport.hpp"
#include "support/closed_port.hpp"
#include "support/raw_smtp.hpp"
#include "support/wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <thread>
#include <utility>

namespace umavez::mail {
namespace {

using namespace std::chrono_literals;
using test::obliging;
using test::RawSmtp;
using test::SmtpAction;
using test::SmtpEvent;
using Then = test::SmtpAction::Then;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const Envelope envelope{"news@loja.example", "ana@cliente.example"};

std::string message(const std::string& text = "Oi")
{
    return to_mime({
        .from = "news@loja.example",
        .to = "ana@cliente.example",
        .subject = "Oi",
        .text = text,
        .html = "",
        .message_id = "1@loja.example",
        .date = from_micros(0),
    });
}

// More than the sockets between us and the server hold.
std::string large_message()
{
    std::string text = message();
    while (text.size() < 20'000'000) text += "0123456789012345678901234567890123456789\r\n";
    return text;
}

std::unique_ptr<Transport> make(const std::string& url, Duration timeout = 1h)
{
    auto made = make_transport({.url = url, .connect_timeout = timeout, .answer_timeout = timeout});
    EXPECT_TRUE(made);
    return *std::move(made);
}

// At one step (the nth time it comes) another action than the obliging one.
RawSmtp::React at(std::string step, SmtpAction action, int occurrence = 1)
{
    auto seen = std::make_shared<std::atomic<int>>(0);
    return [=](const SmtpEvent& event) {
        return event.step == step && ++*seen == occurrence ? action : obliging(event);
    };
}

TEST(SmtpTransportTest, AMessageArrivesAsItIs)
{
    RawSmtp server;
    auto transport = make(server.url());
    const Delivered delivered = transport->send(envelope, message(), {});
    EXPECT_EQ(delivered.verdict, Verdict::accepted) << delivered.detail;
    EXPECT_EQ(delivered.code, 250);
    EXPECT_EQ(delivered.external_id, "RAW1");
    EXPECT_THAT(server.taken(), ElementsAre(message() + ".\r\n"));
    transport.reset();
    test::wait_until("the farewell has come", [&] { return server.steps().back() == "QUIT"; });
    EXPECT_THAT(
        server.steps(), ElementsAre("connect", "EHLO", "MAIL", "RCPT", "DATA", "body", ".", "QUIT")
    );
}

TEST(SmtpTransportTest, DotsAndLineEndsAreMadeSafe)
{
    RawSmtp server;
    auto transport = make(server.url());
    const Delivered delivered =
        transport->send(envelope, ".a\r\n.\r\n..\nb\n.\nRCPT TO:<x@y.example>\rc", {});
    EXPECT_EQ(delivered.verdict, Verdict::accepted);
    EXPECT_THAT(
        server.taken(),
        ElementsAre("..a\r\n..\r\n...\r\nb\r\n..\r\nRCPT TO:<x@y.example>\r\nc\r\n.\r\n")
    );
}

TEST(SmtpTransportTest, OneConnectionForManyMessages)
{
    RawSmtp server;
    auto transport = make(server.url());
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(transport->send(envelope, message(), {}).verdict, Verdict::accepted);
    }
    EXPECT_EQ(server.connections(), 1);
    EXPECT_EQ(server.taken().size(), 50);
}

struct Fault {
    std::string name;
    SmtpAction action;
};

std::vector<Fault> make_faults()
{
    return {
        {"closes", {.then = Then::close}},
        {"half a code", {.say = "25", .then = Then::close}},
        {"half a line", {.say = "250 ok", .then = Then::close}},
        {"half a reply", {.say = "250-ok\r\n", .then = Then::close}},
        {"half a reply and a stray end", {.say = "250-ok\r\n25", .then = Then::close}},
        {"not SMTP", {.say = "HTTP/1.1 400 Bad Request\r\n\r\n", .then = Then::close}},
        {"421", {.say = "421 4.3.2 going down\r\n", .then = Then::close}},
        {"421 without closing", {.say = "421 4.3.2 going down\r\n"}},
        {"451", {.say = "451 4.3.0 not now\r\n"}},
        {"452 in lines", {.say = "452-4.3.1 full\r\n452 4.3.1 of mail\r\n"}},
        {"550", {.say = "550 5.7.1 no\r\n"}},
        {"550 and closes", {.say = "550 5.7.1 no\r\n", .then = Then::close}},
        {"554", {.say = "554 5.6.0 no\r\n"}},
    };
}

// What is right, in words of its own: by the step, and by what the server said.
Verdict expected_of(const std::string& step, const std::string& said)
{
    const bool has_refused = said.ends_with("\r\n") && (said[0] == '4' || said[0] == '5');
    if (step == ".") {
        if (!has_refused) return Verdict::unknown;
        return said[0] == '4' ? Verdict::put_off : Verdict::refused;
    }
    if (step == "body") {
        return has_refused && said[0] == '5' ? Verdict::refused : Verdict::put_off;
    }
    if (step == "connect" || step == "EHLO" || !has_refused) return Verdict::unreachable;
    if (step == "MAIL" && said.starts_with("421")) return Verdict::unreachable;
    return said[0] == '4' ? Verdict::put_off : Verdict::refused;
}

void expect_honest(const Delivered& delivered, std::size_t taken)
{
    if (delivered.verdict == Verdict::accepted) {
        EXPECT_EQ(taken, 1);
    }
    if (delivered.verdict != Verdict::accepted && delivered.verdict != Verdict::unknown) {
        EXPECT_EQ(taken, 0) << to_text(delivered.verdict);
    }
}

TEST(SmtpTransportTest, EveryStepEveryFault)
{
    for (const std::string step : {"connect", "EHLO", "MAIL", "RCPT", "DATA", "."}) {
        for (const Fault& fault : make_faults()) {
            SCOPED_TRACE(step + ": " + fault.name);
            // A server that refuses EHLO is asked by HELO, and then serves.
            const bool is_helo = step == "EHLO" && fault.action.then == Then::go_on;
            RawSmtp server{at(step, fault.action)};
            auto transport = make(server.url());
            const Delivered delivered = transport->send(envelope, message(), {});
            const Verdict expected =
                is_helo ? Verdict::accepted : expected_of(step, fault.action.say);
            EXPECT_EQ(to_text(delivered.verdict), to_text(expected)) << delivered.detail;
            expect_honest(delivered, server.taken().size());
            if (delivered.code >= 400) {
                EXPECT_THAT(fault.action.say, HasSubstr(std::to_string(delivered.code)));
            }
            EXPECT_THAT(delivered.detail, Not(HasSubstr("\n")));

            // Whatever it was, the next message is a new one.
            const Delivered next = transport->send(envelope, message("next"), {});
            EXPECT_EQ(to_text(next.verdict), "accepted") << next.detail;
            EXPECT_EQ(server.taken().back(), message("next") + ".\r\n");
        }
    }
}

TEST(SmtpTransportTest, TakenAndThenSilentIsUnknown)
{
    for (SmtpAction action : {
             SmtpAction{.then = Then::close},
             SmtpAction{.say = "25", .then = Then::close},
             SmtpAction{.say = "250 2.0.0 Ok: queued as X", .then = Then::close},
             SmtpAction{.say = "250-Ok\r\n", .then = Then::close},
         }) {
        action.takes = true;
        RawSmtp server{at(".", action)};
        auto transport = make(server.url());
        EXPECT_EQ(transport->send(envelope, message(), {}).verdict, Verdict::unknown);
        EXPECT_EQ(server.taken().size(), 1);
        EXPECT_EQ(server.connections(), 1);  // nobody sent it again
    }
}

TEST(SmtpTransportTest, NoAnswerInTime)
{
    const std::map<std::string, Verdict> expected{
        {"connect", Verdict::unreachable},
        {"MAIL", Verdict::unreachable},
        {"DATA", Verdict::unreachable},
        {".", Verdict::unknown},
    };
    for (const auto& [held, wanted] : expected) {
        const std::string& step = held;
        const Verdict verdict = wanted;
        SCOPED_TRACE(step);
        // On a busy machine others are late too: then with more time.
        Duration limit = 100ms;
        test::wait_until("nobody is late but the server at " + step, [&] {
            RawSmtp server{at(step, {.then = Then::hold, .takes = step == "."})};
            auto transport = make(server.url(), std::exchange(limit, limit * 2));
            const Delivered delivered = transport->send(envelope, message(), {});
            if (std::ranges::count(server.steps(), step) == 0) return false;
            EXPECT_EQ(delivered.verdict, verdict) << delivered.detail;
            expect_honest(delivered, server.taken().size());
            // A late answer belongs to nobody: the connection is not used again.
            const Delivered next = transport->send(envelope, message(), {});
            EXPECT_GE(server.connections(), 2);
            return next.verdict == Verdict::accepted && server.connections() == 2;
        });
    }
}

TEST(SmtpTransportTest, CutInTheMiddleOfALargeMessageIsNotTaken)
{
    const std::string large = large_message();
    for (const Fault& fault : make_faults()) {
        if (fault.action.then != Then::close || fault.action.say.starts_with('2')) continue;
        SCOPED_TRACE(fault.name);
        RawSmtp server{at("body", fault.action)};
        auto transport = make(server.url());
        const Delivered delivered = transport->send(envelope, large, {});
        // The server's last words may be lost with the connection; the message is not taken in any case.
        EXPECT_TRUE(delivered.verdict == Verdict::put_off || delivered.verdict == Verdict::refused)
            << to_text(delivered.verdict) << delivered.detail;
        EXPECT_EQ(server.taken().size(), 0);
    }
}

TEST(SmtpTransportTest, AServerThatRefusesEarlyIsNotSentTheDot)
{
    RawSmtp server{at("body", {.say = "552 5.3.4 too large\r\n"})};
    auto transport = make(server.url());
    const Delivered delivered = transport->send(envelope, large_message(), {});
    EXPECT_EQ(delivered.verdict, Verdict::refused) << delivered.detail;
    EXPECT_EQ(delivered.code, 552);
    EXPECT_EQ(server.taken().size(), 0);
    EXPECT_EQ(transport->send(envelope, message(), {}).verdict, Verdict::accepted);
    EXPECT_THAT(server.taken(), ElementsAre(message() + ".\r\n"));
}

TEST(SmtpTransportTest, AnOldConnectionThatIsGoneIsReplaced)
{
    for (const SmtpAction& action : {
             SmtpAction{.then = Then::close},
             SmtpAction{.say = "421 4.4.2 idle for too long\r\n", .then = Then::close},
         }) {
        RawSmtp server{at("MAIL", action, 2)};
        auto transport = make(server.url());
        EXPECT_EQ(transport->send(envelope, message("a"), {}).verdict, Verdict::accepted);
        EXPECT_EQ(transport->send(envelope, message("b"), {}).verdict, Verdict::accepted);
        EXPECT_EQ(server.connections(), 2);
        EXPECT_THAT(server.taken(), ElementsAre(message("a") + ".\r\n", message("b") + ".\r\n"));
    }
}

TEST(SmtpTransportTest, AConnectionThatEndsAfterAMessageIsReplaced)
{
    RawSmtp server{at(".", {.say = "250 Ok\r\n", .then = Then::close, .takes = true})};
    auto transport = make(server.url());
    EXPECT_EQ(transport->send(envelope, message("a"), {}).verdict, Verdict::accepted);
    EXPECT_EQ(transport->send(envelope, message("b"), {}).verdict, Verdict::accepted);
    EXPECT_EQ(server.taken().size(), 2);
}

TEST(SmtpTransportTest, LaterStepsOfAnOldConnectionAreNotRepeated)
{
    for (const std::string step : {"RCPT", "DATA", "."}) {
        RawSmtp server{at(step, {.then = Then::close}, 2)};
        auto transport = make(server.url());
        EXPECT_EQ(transport->send(envelope, message("a"), {}).verdict, Verdict::accepted);
        const Delivered second = transport->send(envelope, message("b"), {});
        EXPECT_EQ(second.verdict, step == "." ? Verdict::unknown : Verdict::unreachable);
        EXPECT_EQ(server.connections(), 1);
        EXPECT_EQ(server.taken().size(), 1);
    }
}

TEST(SmtpTransportTest, AStrayReplyIsNobodysAnswer)
{
    const SmtpAction twice{.say = "250 Ok: A\r\n250 Ok: B\r\n", .takes = true};
    RawSmtp server{at(".", twice)};
    auto transport = make(server.url());
    EXPECT_EQ(transport->send(envelope, message(), {}).external_id, "A");
    // Had B been taken for an answer, this refusal would be somebody else's.
    const Delivered next = transport->send(envelope, message(), {});
    EXPECT_EQ(next.external_id, "RAW1");
    EXPECT_EQ(server.connections(), 2);
}

TEST(SmtpTransportTest, ARefusedRecipientCostsNoConnection)
{
    RawSmtp server{at("RCPT", {.say = "550 5.1.1 no such user\r\n"})};
    auto transport = make(server.url());
    const Delivered refused = transport->send(envelope, message(), {});
    EXPECT_EQ(refused.verdict, Verdict::refused);
    EXPECT_EQ(refused.detail, "RCPT: 550 5.1.1 no such user");
    EXPECT_EQ(transport->send(envelope, message(), {}).verdict, Verdict::accepted);
    EXPECT_EQ(server.connections(), 1);
    EXPECT_THAT(
        server.steps(),
        ElementsAre("connect", "EHLO", "MAIL", "RCPT", "RSET", "MAIL", "RCPT", "DATA", "body", ".")
    );
}

TEST(SmtpTransportTest, NobodyListens)
{
    const test::ClosedPort nobody;
    const std::string url = "smtp://127.0.0.1:" + std::to_string(nobody.port()) + "?ehlo=test";
    const Delivered delivered = make(url)->send(envelope, message(), {});
    EXPECT_EQ(delivered.verdict, Verdict::unreachable);
    EXPECT_EQ(delivered.code, 0);
    EXPECT_EQ(
        make("smtp://does-not-exist.invalid")->send(envelope, message(), {}).verdict,
        Verdict::unreachable
    );
}

TEST(SmtpTransportTest, AStopIsHeardUntilTheMessageLeaves)
{
    for (const std::string step : {"connect", "MAIL", "DATA"}) {
        SCOPED_TRACE(step);
        RawSmtp server{at(step, {.then = Then::hold})};
        std::stop_source stop;
        std::jthread stopper{[&] {
            EXPECT_TRUE(test::is_met("the server holds", [&] {
                return std::ranges::count(server.steps(), step) > 0;
            }));
            stop.request_stop();
        }};
        const Delivered delivered = make(server.url())->send(envelope, message(), stop.get_token());
        EXPECT_EQ(delivered.verdict, Verdict::unreachable);
        EXPECT_THAT(delivered.detail, HasSubstr("the sender stops"));
        EXPECT_EQ(server.taken().size(), 0);
    }
}

TEST(SmtpTransportTest, AfterTheDotTheAnswerIsWorthMoreThanAStop)
{
    std::stop_source stop;
    RawSmtp server{[&](const SmtpEvent& event) {
        if (event.step == ".") stop.request_stop();
        return obliging(event);
    }};
    const Delivered delivered = make(server.url())->send(envelope, message(), stop.get_token());
    EXPECT_EQ(delivered.verdict, Verdict::accepted);
}

TEST(SmtpTransportTest, NoAddressIsACommand)
{
    RawSmtp server;
    auto transport = make(server.url());
    for (const std::string to :
         {"a@b.example>\r\nRCPT TO:<c@d.example",
          "a b@c.example",
          "",
          "a@b.example\n",
          "joão@x.example"}) {
        EXPECT_EQ(transport->send({envelope.from, to}, message(), {}).verdict, Verdict::refused);
        EXPECT_EQ(transport->send({to, envelope.to}, message(), {}).verdict, Verdict::refused);
    }
    EXPECT_EQ(server.connections(), 0);
}

}  // namespace
}  // namespace umavez::mail
