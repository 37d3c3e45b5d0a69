// Lines, escapes and folds, byte by byte. That others read them back the same is mime_test's.

#include "mail/encoding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::mail {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(EncodingTest, EveryLineBreakBecomesOne)
{
    EXPECT_EQ(encode_body("a\nb\rc\r\nd\n\r").text, "a\r\nb\r\nc\r\nd\r\n\r\n");
    EXPECT_EQ(encode_body("").text, "\r\n");
    EXPECT_EQ(encode_body("").name, "quoted-printable");
}

TEST(EncodingTest, WhatCouldBeMisreadIsEscaped)
{
    EXPECT_EQ(
        encode_body(".\r\n..a\nFrom me\nx \ny\t\na=b\n\0"s).text,
        "=2E\r\n=2E.a\r\n=46rom me\r\nx=20\r\ny=09\r\na=3Db\r\n=00\r\n"
    );
}

TEST(EncodingTest, LongLinesAreBroken)
{
    const std::string exact(76, 'x');
    EXPECT_EQ(encode_body(exact).text, exact + "\r\n");
    EXPECT_EQ(encode_body(exact + "y").text, std::string(75, 'x') + "=\r\nxy\r\n");
    EXPECT_EQ(
        encode_body(std::string(75, 'x') + "." + std::string(3, 'y')).text,
        std::string(75, 'x') + "=\r\n=2Eyyy\r\n"
    );
    EXPECT_EQ(
        encode_body(std::string(74, 'x') + "é").text, std::string(74, 'x') + "=\r\n=C3=A9\r\n"
    );
}

TEST(EncodingTest, MostlyForeignTextIsBase64)
{
    const EncodedBody body = encode_body("日本語日本語日本語");
    EXPECT_EQ(body.name, "base64");
    EXPECT_EQ(body.text, "5pel5pys6Kqe5pel5pys6Kqe5pel5pys6KqeDQo=\r\n");
}

TEST(EncodingTest, HeadersAreFoldedAtSpaces)
{
    EXPECT_EQ(make_text_header("Subject", ""), "Subject: \r\n");
    EXPECT_EQ(make_text_header("Subject", "Oi"), "Subject: Oi\r\n");
    const std::string word(40, 'w');
    EXPECT_EQ(
        make_text_header("Subject", word + " " + word), "Subject: " + word + "\r\n " + word + "\r\n"
    );
}

TEST(EncodingTest, NoValueBeginsAnotherHeader)
{
    EXPECT_EQ(
        make_text_header("Subject", "a\r\nBcc: x@y.example\0z"s),
        "Subject: " + to_encoded_words("a  Bcc: x@y.example z", 9) + "\r\n"
    );
    EXPECT_EQ(make_plain_header("X", "a\r\nBcc: b\n\n c\0"s), "X: a Bcc: b c\r\n");
    EXPECT_THAT(make_text_header("Subject", "a\u2028b"), Not(HasSubstr("\u2028")));
}

TEST(EncodingTest, EncodedWordsAreShortAndWhole)
{
    EXPECT_EQ(make_text_header("Subject", "Olá"), "Subject: =?utf-8?B?T2zDoQ==?=\r\n");
    // What looks encoded is encoded, or the reader would see another text.
    EXPECT_THAT(make_text_header("Subject", "=?utf-8?Q?x?="), StartsWith("Subject: =?utf-8?B?"));
    const std::string header = make_text_header("Subject", std::string(100, 'x') + "é");
    for (std::size_t at = 0; at < header.size();) {
        const std::size_t end = header.find("\r\n", at);
        EXPECT_LE(end - at, 76);
        at = end + 2;
    }
}

TEST(EncodingTest, AWordThatNoLineHoldsIsCut)
{
    const std::string header = make_plain_header("X", std::string(5000, 'x'));
    for (std::size_t at = 0; at < header.size();) {
        const std::size_t end = header.find("\r\n", at);
        EXPECT_LE(end - at, 998);
        at = end + 2;
        EXPECT_TRUE(at == header.size() || header[at] == ' ');
    }
    const std::string url = "<https://loja.example/u/" + std::string(100, 'y') + ">";
    EXPECT_EQ(make_plain_header("List-Unsubscribe", url), "List-Unsubscribe: " + url + "\r\n");
}

}  // namespace
}  // namespace umavez::mail
