// What operators may write, and what they are told.

#include "mail/smtp_url.hpp"

#include "mail/transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::mail {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SmtpUrlTest, AllOfIt)
{
    const auto url = parse_smtp_url(
        "smtp://ana%40loja.example:p%3Aw%2F@mail.example:2525?starttls=never&ca=/etc/"
        "a%26b.pem&ehlo=me.example"
    );
    ASSERT_TRUE(url) << url.error().detail;
    EXPECT_FALSE(url->is_tls);
    EXPECT_EQ(url->host, "mail.example");
    EXPECT_EQ(url->port, 2525);
    EXPECT_EQ(url->user, "ana@loja.example");
    EXPECT_EQ(url->password, "p:w/");
    EXPECT_EQ(url->greeting, "me.example");
    EXPECT_EQ(url->ca_file, "/etc/a&b.pem");
    EXPECT_EQ(url->starttls, StartTls::never);
}

TEST(SmtpUrlTest, WhatIsLeftOut)
{
    const auto plain = parse_smtp_url("smtp://localhost");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->port, 25);
    EXPECT_EQ(plain->starttls, StartTls::offered);
    EXPECT_EQ(plain->greeting, "");
    const auto login = parse_smtp_url("smtp://u:p@mail.example/");
    ASSERT_TRUE(login);
    EXPECT_EQ(login->port, 587);
    EXPECT_EQ(login->starttls, StartTls::required);
    const auto offered = parse_smtp_url("smtp://u:p@mail.example?starttls=offered");
    ASSERT_TRUE(offered);
    EXPECT_EQ(offered->starttls, StartTls::offered);
    const auto tls = parse_smtp_url("smtps://mail.example");
    ASSERT_TRUE(tls);
    EXPECT_TRUE(tls->is_tls);
    EXPECT_EQ(tls->port, 465);
    EXPECT_TRUE(parse_smtp_url("smtp://[::1]:25"));
}

TEST(SmtpUrlTest, MistakesAreToldWithoutThePassword)
{
    for (const std::string text :
         {"",
          "mail.example",
          "http://mail.example",
          "smtp://",
          "smtp://u@h",
          "smtp://:p@h",
          "smtp://u:secret@h:0",
          "smtp://u:secret@h:99999",
          "smtp://u:secret@h/a/b",
          "smtp://u:secret@h?tls=1",
          "smtp://u:secret@h?starttls=maybe",
          "smtp://u:sec ret@h",
          "smtp://u:secret@h#x",
          "smtp://u:secret@h:25/path",
          "smtp://u:%ZZsecret@h",
          "smtp://u:secret@h?ca=%2",
          "smtp://u:secret@h?ca=",
          "smtps://u:secret@h?starttls=never",
          "smtp://u:sec/ret@h",
          "smtp://u:sec%00ret@h"}) {
        const auto url = parse_smtp_url(text);
        ASSERT_FALSE(url) << text;
        EXPECT_EQ(url.error().code, Errc::misconfigured);
        EXPECT_THAT(url.error().detail, Not(HasSubstr("ret@"))) << text;
        EXPECT_THAT(url.error().detail, HasSubstr("smtp://USER:PASSWORD@HOST:PORT"));
    }
}

TEST(SmtpUrlTest, ShownWithoutThePassword)
{
    EXPECT_EQ(shown_url("smtp://u:secret@mail.example:25"), "smtp://u:***@mail.example:25");
    EXPECT_EQ(shown_url("smtp://u:se@cr:e/t@mail.example"), "smtp://u:***@mail.example");
    EXPECT_EQ(shown_url("smtp://mail.example:25"), "smtp://mail.example:25");
    EXPECT_EQ(shown_url("file:/tmp/a@b"), "file:/tmp/a@b");
}

TEST(MakeTransportTest, ChecksAndOpensNothing)
{
    EXPECT_TRUE(make_transport({.url = "smtp://127.0.0.1:1"}));
    EXPECT_TRUE(make_transport({.url = "file:does/not/exist"}));
    EXPECT_FALSE(make_transport({.url = "file:"}));
    EXPECT_TRUE(make_transport({.url = "smtps://x?ca=/dev/null"}));
    EXPECT_FALSE(make_transport({.url = "smtps://x?ca=/no/such.pem"}));
    EXPECT_FALSE(make_transport({.url = "amqp://x"}));
    EXPECT_FALSE(make_transport({.url = "smtp://x", .answer_timeout = Duration::zero()}));
}

}  // namespace
}  // namespace umavez::mail
