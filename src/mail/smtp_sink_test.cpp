// Messages to a real mail server (aiosmtpd): TLS, log-in, reuse, and faults by address. The server counts.

#include "support/smtp_sink.hpp"

#include "mail/mime.hpp"
#include "mail/transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::mail {
namespace {

using namespace std::chrono_literals;
using test::SmtpSink;
using testing::HasSubstr;
using testing::Not;

std::string message(const std::string& id, const std::string& to)
{
    return to_mime({
        .from = "Loja <news@loja.example>",
        .to = to,
        .subject = "Olá",
        .text = ".\nOlá\n",
        .html = "<p>Olá</p>",
        .message_id = id,
        .date = from_micros(0),
    });
}

Delivered send(Transport& transport, const std::string& id, const std::string& to)
{
    return transport.send({"news@loja.example", to}, message(id, to), {});
}

std::unique_ptr<Transport> make(const std::string& url, const std::string& ca_file = "")
{
    auto made =
        make_transport({.url = url, .connect_timeout = 1h, .answer_timeout = 1h, .ca_file = ca_file}
        );
    EXPECT_TRUE(made) << made.error().detail;
    return *std::move(made);
}

TEST(SmtpSinkTest, ManyMessagesOneConnection)
{
    SmtpSink sink;
    auto transport = make(sink.url());
    for (int i = 0; i < 20; ++i) {
        const std::string name = std::to_string(i);
        const Delivered delivered = send(*transport, "m" + name + "@x", "a" + name + "@b.example");
        ASSERT_EQ(delivered.verdict, Verdict::accepted) << delivered.detail;
        const auto taken = sink.taken();
        ASSERT_EQ(taken.size(), static_cast<std::size_t>(i) + 1);
        EXPECT_EQ(taken.back().message_id, "m" + name + "@x");
        EXPECT_EQ(taken.back().to, "a" + name + "@b.example");
        EXPECT_EQ(taken.back().queue_id, delivered.external_id);
        EXPECT_EQ(taken.back().connection, 1);
    }
    EXPECT_EQ(sink.connections(), 1);
    EXPECT_EQ(sink.content_of(sink.taken()[0].queue_id), message("m0@x", "a0@b.example"));
}

TEST(SmtpSinkTest, VerdictsByAddress)
{
    SmtpSink sink;
    auto transport = make(sink.url());
    const auto verdict_of = [&](const std::string& to) { return send(*transport, to, to).verdict; };
    EXPECT_EQ(verdict_of("ok@b.example"), Verdict::accepted);
    EXPECT_EQ(verdict_of("bad-1@b.example"), Verdict::refused);
    EXPECT_EQ(verdict_of("temp-1@b.example"), Verdict::put_off);
    EXPECT_EQ(verdict_of("temp-1@b.example"), Verdict::accepted);
    EXPECT_EQ(verdict_of("full-1@b.example"), Verdict::refused);
    EXPECT_EQ(verdict_of("late-1@b.example"), Verdict::put_off);
    EXPECT_EQ(sink.connections(), 1);
    EXPECT_EQ(verdict_of("gone-1@b.example"), Verdict::put_off);
    EXPECT_EQ(sink.taken().size(), 2);
    EXPECT_EQ(verdict_of("cut-1@b.example"), Verdict::unknown);
    EXPECT_EQ(sink.taken().size(), 3);
    EXPECT_EQ(verdict_of("lost-1@b.example"), Verdict::unknown);
    EXPECT_EQ(sink.taken().size(), 3);
    EXPECT_EQ(verdict_of("ok2@b.example"), Verdict::accepted);
    EXPECT_EQ(sink.taken().size(), 4);
    EXPECT_EQ(sink.connections(), 4);
}

TEST(SmtpSinkTest, AServerThatClosesAfterAFewMessages)
{
    SmtpSink sink{{"--close-after", "3"}};
    auto transport = make(sink.url());
    for (int i = 0; i < 10; ++i) {
        const Delivered delivered = send(*transport, std::to_string(i) + "@x", "a@b.example");
        ASSERT_EQ(delivered.verdict, Verdict::accepted) << delivered.detail;
    }
    EXPECT_EQ(sink.taken().size(), 10);
    EXPECT_EQ(sink.connections(), 4);
}

TEST(SmtpSinkTest, StartTlsAndLogIn)
{
    SmtpSink sink{{"--make-cert", "--require-starttls", "--user", "ana", "--password", "s3:/cret"}};
    const std::string host = "127.0.0.1:" + std::to_string(sink.port());
    const std::string ca = sink.certificate();

    const Delivered good = send(*make("smtp://ana:s3%3A%2Fcret@" + host, ca), "1@x", "a@b.example");
    EXPECT_EQ(good.verdict, Verdict::accepted) << good.detail;

    const Delivered wrong = send(*make("smtp://ana:other@" + host, ca), "2@x", "a@b.example");
    EXPECT_EQ(wrong.verdict, Verdict::unreachable);
    EXPECT_EQ(wrong.code, 535) << wrong.detail;
    EXPECT_THAT(wrong.detail, Not(HasSubstr("other")));

    const Delivered nobody = send(*make("smtp://" + host, ca), "3@x", "a@b.example");
    EXPECT_EQ(nobody.verdict, Verdict::unreachable);
    EXPECT_EQ(nobody.code, 530) << nobody.detail;

    const Delivered in_the_clear =
        send(*make("smtp://" + host + "?starttls=never", ca), "4@x", "a@b.example");
    EXPECT_EQ(in_the_clear.verdict, Verdict::unreachable) << in_the_clear.detail;

    // Nobody vouches for the certificate.
    const Delivered stranger = send(*make("smtp://" + host), "5@x", "a@b.example");
    EXPECT_EQ(stranger.verdict, Verdict::unreachable);
    EXPECT_THAT(stranger.detail, HasSubstr("certificate"));
    EXPECT_EQ(sink.taken().size(), 1);
}

TEST(SmtpSinkTest, ManyMessagesOneEncryptedConnection)
{
    SmtpSink sink{{"--make-cert", "--tls"}};
    auto transport = make("smtps://localhost:" + std::to_string(sink.port()), sink.certificate());
    for (int i = 0; i < 10; ++i) {
        const Delivered delivered = send(*transport, std::to_string(i) + "@x", "a@b.example");
        ASSERT_EQ(delivered.verdict, Verdict::accepted) << delivered.detail;
    }
    EXPECT_EQ(sink.connections(), 1);
    EXPECT_EQ(send(*transport, "cut@x", "cut-1@b.example").verdict, Verdict::unknown);
    EXPECT_EQ(send(*transport, "next@x", "a@b.example").verdict, Verdict::accepted);
    EXPECT_EQ(sink.taken().size(), 12);
}

TEST(SmtpSinkTest, APasswordIsNotSentInTheClearUnlessToldSo)
{
    SmtpSink sink{{"--user", "ana", "--password", "secret"}};
    const std::string url = "smtp://ana:secret@127.0.0.1:" + std::to_string(sink.port());
    const Delivered careful = send(*make(url), "1@x", "a@b.example");
    EXPECT_EQ(careful.verdict, Verdict::unreachable);
    EXPECT_THAT(careful.detail, HasSubstr("STARTTLS"));
    const Delivered told = send(*make(url + "?starttls=offered"), "2@x", "a@b.example");
    EXPECT_EQ(told.verdict, Verdict::accepted) << told.detail;
    EXPECT_EQ(sink.taken().size(), 1);
}

}  // namespace
}  // namespace umavez::mail
