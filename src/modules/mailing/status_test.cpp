#include "modules/mailing/status.hpp"

#include <gtest/gtest.h>

namespace umavez::mailing {
namespace {

TEST(MailingStatus, WordsAreReadAsTheyAreWritten)
{
    for (const std::string& word : status_words()) EXPECT_EQ(to_text(*parse_status(word)), word);
    for (const std::string& word : entry_status_words())
        EXPECT_EQ(to_text(*parse_entry_status(word)), word);
    for (const std::string& word : incerteza_words())
        EXPECT_EQ(to_text(*parse_incerteza(word)), word);
    EXPECT_FALSE(parse_status("queued"));
    EXPECT_FALSE(parse_incerteza(""));
}

TEST(MailingStatus, OrdersLeadWhereTheTableSays)
{
    EXPECT_EQ(after_order(Status::draft, Order::iniciar), Status::queued);
    EXPECT_EQ(after_order(Status::processing, Order::pausar), Status::paused);
    EXPECT_EQ(after_order(Status::paused, Order::retomar), Status::queued);
    EXPECT_EQ(after_order(Status::completed, Order::reenviar_falhas), Status::queued);
}

TEST(MailingStatus, WhatIsOverIsNotPausedOrStarted)
{
    for (const Status over : {Status::completed, Status::cancelled}) {
        EXPECT_FALSE(after_order(over, Order::iniciar));
        EXPECT_FALSE(after_order(over, Order::pausar));
        EXPECT_FALSE(after_order(over, Order::retomar));
    }
    EXPECT_FALSE(after_order(Status::completed, Order::cancelar));
    EXPECT_FALSE(after_order(Status::cancelled, Order::reenviar_falhas));
}

TEST(MailingStatus, PausingTwiceAndCancellingTwiceChangeNothing)
{
    EXPECT_EQ(after_order(Status::paused, Order::pausar), Status::paused);
    EXPECT_EQ(after_order(Status::cancelled, Order::cancelar), Status::cancelled);
}

TEST(MailingStatus, OnlyADraftWaitsForItsMessage)
{
    EXPECT_TRUE(may_change_message(Status::draft));
    EXPECT_FALSE(may_change_message(Status::queued));
    EXPECT_FALSE(may_change_message(Status::paused));
}

}  // namespace
}  // namespace umavez::mailing
