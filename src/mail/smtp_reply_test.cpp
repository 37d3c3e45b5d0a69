// Replies from bytes, and verdicts from replies.

#include "mail/smtp_reply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::mail {
namespace {

TEST(ReplyTest, WholeOnlyWithItsLastLine)
{
    ReplyReader reader;
    for (const char c : std::string_view{"250-a\r\n250-b\r\n250 c\r"}) {
        reader.feed({&c, 1});
        EXPECT_FALSE(reader.take());
        EXPECT_FALSE(reader.is_empty());
    }
    reader.feed("\n354\r\n");
    auto reply = reader.take();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->code, 250);
    EXPECT_EQ(reply->text, "a b c");
    reply = reader.take();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->code, 354);
    EXPECT_EQ(reply->text, "");
    EXPECT_FALSE(reader.take());
    EXPECT_TRUE(reader.is_empty());
    EXPECT_FALSE(reader.is_broken());
}

TEST(ReplyTest, WhatIsNotSmtp)
{
    // A code that is 0 would be no reply yet.
    for (const std::string_view text :
         {"HTTP/1.1 400\r\n", "\r\n", "25\r\n", "250x\r\n", "-\n", "000-a\r\n"}) {
        ReplyReader reader;
        reader.feed(text);
        EXPECT_FALSE(reader.take()) << text;
        EXPECT_TRUE(reader.is_broken()) << text;
    }
    ReplyReader endless;
    endless.feed(std::string(70'000, '2'));
    EXPECT_FALSE(endless.take());
    EXPECT_TRUE(endless.is_broken());
    ReplyReader chatty;
    for (int i = 0; i < 20'000; ++i) chatty.feed("250-more\r\n");
    EXPECT_FALSE(chatty.take());
    EXPECT_TRUE(chatty.is_broken());
}

// Its CR may be there before its LF is.
TEST(ReplyTest, TheLongestLineIsTakenHoweverItIsCut)
{
    const std::string line = "250 " + std::string(64 * 1024 - 4, 'a') + "\r";
    ReplyReader reader;
    reader.feed(line);
    EXPECT_FALSE(reader.take());
    EXPECT_FALSE(reader.is_broken());
    reader.feed("\n");
    EXPECT_TRUE(reader.take());
    reader.feed("250 a" + line);
    reader.feed("\n");
    EXPECT_FALSE(reader.take());
    EXPECT_TRUE(reader.is_broken());
}

TEST(ReplyTest, NothingInItSteersATerminal)
{
    ReplyReader reader;
    reader.feed("550 \x1b[31mred\xff\r\n");
    EXPECT_EQ(reader.take()->text, "?[31mred?");
}

TEST(JudgeTest, BeforeTheDot)
{
    for (const Step step : {Step::mail, Step::rcpt, Step::data}) {
        EXPECT_EQ(judge(step, 450), Verdict::put_off);
        EXPECT_EQ(judge(step, 452), Verdict::put_off);
        EXPECT_EQ(judge(step, 530), Verdict::unreachable);
        EXPECT_EQ(judge(step, 535), Verdict::unreachable);
        EXPECT_EQ(judge(step, 550), Verdict::refused);
        EXPECT_EQ(judge(step, 552), Verdict::refused);
        EXPECT_EQ(judge(step, 199), Verdict::unreachable);
        EXPECT_EQ(judge(step, 999), Verdict::unreachable);
    }
    EXPECT_EQ(judge(Step::mail, 421), Verdict::unreachable);
    EXPECT_EQ(judge(Step::rcpt, 421), Verdict::put_off);
    EXPECT_EQ(judge(Step::data, 421), Verdict::put_off);
    EXPECT_EQ(judge(Step::mail, 250), std::nullopt);
    EXPECT_EQ(judge(Step::rcpt, 251), std::nullopt);
    EXPECT_EQ(judge(Step::data, 354), std::nullopt);
    EXPECT_EQ(judge(Step::data, 250), Verdict::unreachable);
    EXPECT_EQ(judge(Step::mail, 354), Verdict::unreachable);
}

TEST(JudgeTest, AfterTheDot)
{
    EXPECT_EQ(judge(Step::dot, 250), Verdict::accepted);
    EXPECT_EQ(judge(Step::dot, 421), Verdict::put_off);
    EXPECT_EQ(judge(Step::dot, 451), Verdict::put_off);
    EXPECT_EQ(judge(Step::dot, 535), Verdict::refused);
    EXPECT_EQ(judge(Step::dot, 552), Verdict::refused);
    EXPECT_EQ(judge(Step::dot, 554), Verdict::refused);
    EXPECT_EQ(judge(Step::dot, 354), Verdict::unknown);
    EXPECT_EQ(judge(Step::dot, 0), Verdict::unknown);
}

TEST(QueueIdTest, OfTheServersThatPeopleHave)
{
    EXPECT_EQ(find_queue_id("2.0.0 Ok: queued as 4F2A1B"), "4F2A1B");
    EXPECT_EQ(find_queue_id("OK id=1abcDE-000123-XY"), "1abcDE-000123-XY");
    EXPECT_EQ(find_queue_id("Ok: 0100018c-aa"), "0100018c-aa");
    EXPECT_EQ(find_queue_id("2.0.0 (Queued As abc)"), "abc");
    EXPECT_EQ(find_queue_id("2.0.0 OK  1699 x-20a.1 - gsmtp"), "2.0.0 OK  1699 x-20a.1 - gsmtp");
    EXPECT_EQ(find_queue_id(""), "");
    EXPECT_EQ(find_queue_id("queued as "), "queued as ");
    EXPECT_EQ(find_queue_id("queued as " + std::string(1000, 'x')).size(), 200);
}

}  // namespace
}  // namespace umavez::mail
