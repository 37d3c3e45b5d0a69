#include "messaging/broker/address.hpp"

#include <gtest/gtest.h>

namespace umavez::messaging {
namespace {

TEST(BrokerAddress, HasDefaults)
{
    const auto address = parse_broker_address("amqp://fila.example");
    ASSERT_TRUE(address) << address.error().detail;
    EXPECT_EQ(address->host, "fila.example");
    EXPECT_EQ(address->port, 5672);
    EXPECT_EQ(address->user, "guest");
    EXPECT_EQ(address->vhost, "/");
    EXPECT_FALSE(address->has_tls);
}

TEST(BrokerAddress, IsReadWhole)
{
    const auto address =
        parse_broker_address("amqps://lo%20ja:s%40g:r@[::1]:5999/prod%2F1?cacert=/ca.pem");
    ASSERT_TRUE(address) << address.error().detail;
    EXPECT_TRUE(address->has_tls);
    EXPECT_EQ(address->host, "::1");
    EXPECT_EQ(address->port, 5999);
    EXPECT_EQ(address->user, "lo ja");
    EXPECT_EQ(address->password, "s@g:r");
    EXPECT_EQ(address->vhost, "prod/1");
    EXPECT_EQ(address->cacert, "/ca.pem");
    EXPECT_EQ(address->shown().find("s@g"), std::string::npos);
}

TEST(BrokerAddress, TheSlashIsTheDefaultHost)
{
    EXPECT_EQ(parse_broker_address("amqp://h/")->vhost, "/");
    EXPECT_EQ(parse_broker_address("amqp://h/%2F")->vhost, "/");
    EXPECT_EQ(parse_broker_address("amqps://h")->port, 5671);
}

TEST(BrokerAddress, WhatIsWrongIsToldWithoutThePassword)
{
    for (const char* const url :
         {"",
          "http://h",
          "amqp://",
          "amqp://:5672",
          "amqp://u:segredo@h:0",
          "amqp://u:segredo@h:70000",
          "amqp://u:segredo@h:1x",
          "amqp://u:segredo%zz@h",
          "amqp://u:segredo%00@h",
          "amqp://u:segredo@[::1",
          "amqp://u:segredo@h/v%2",
          "amqp://u:segredo@h?what=1",
          "amqp://u:a?segredo@h",
          "amqp://u:a?b=segredo%zz@h",
          "amqp://u:1/segredo@h",
          "amqp://u:segredo@h?cacert=/ca.pem",
          "amqps://u:segredo@h?cert=/c.pem"}) {
        const auto address = parse_broker_address(url);
        ASSERT_FALSE(address) << url;
        EXPECT_EQ(address.error().code, Errc::misconfigured) << url;
        EXPECT_EQ(address.error().detail.find("segredo"), std::string::npos) << url;
    }
}

}  // namespace
}  // namespace umavez::messaging
