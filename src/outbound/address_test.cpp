#include "outbound/address.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace umavez::outbound {
namespace {

struct Case {
    const char* text;
    bool is_public;
};

// The first and the last of every range, and their neighbours.
constexpr auto cases = std::to_array<Case>({
    {"0.0.0.0", false},
    {"0.255.255.255", false},
    {"1.0.0.0", true},
    {"9.255.255.255", true},
    {"10.0.0.0", false},
    {"10.255.255.255", false},
    {"11.0.0.0", true},
    {"100.63.255.255", true},
    {"100.64.0.0", false},
    {"100.127.255.255", false},
    {"100.128.0.0", true},
    {"126.255.255.255", true},
    {"127.0.0.1", false},
    {"127.255.255.255", false},
    {"128.0.0.0", true},
    {"169.253.255.255", true},
    {"169.254.0.0", false},
    {"169.254.169.254", false},
    {"169.255.0.0", true},
    {"172.15.255.255", true},
    {"172.16.0.0", false},
    {"172.31.255.255", false},
    {"172.32.0.0", true},
    {"192.0.0.1", false},
    {"192.0.1.0", true},
    {"192.0.2.1", false},
    {"192.88.99.1", false},
    {"192.167.255.255", true},
    {"192.168.0.0", false},
    {"192.168.255.255", false},
    {"192.169.0.0", true},
    {"198.17.255.255", true},
    {"198.18.0.0", false},
    {"198.19.255.255", false},
    {"198.20.0.0", true},
    {"198.51.100.1", false},
    {"203.0.113.1", false},
    {"203.0.114.0", true},
    {"223.255.255.255", true},
    {"224.0.0.1", false},
    {"239.255.255.255", false},
    {"240.0.0.1", false},
    {"255.255.255.255", false},
    {"8.8.8.8", true},
    {"::", false},
    {"::1", false},
    {"::127.0.0.1", false},  // the old compatible form
    {"::8.8.8.8", false},
    {"::ffff:127.0.0.1", false},
    {"::ffff:10.1.2.3", false},
    {"::ffff:169.254.169.254", false},
    {"::ffff:8.8.8.8", true},
    {"64:ff9b::10.0.0.1", false},
    {"64:ff9b::8.8.8.8", true},
    {"64:ff9b:1::8.8.8.8", false},  // for local use
    {"100::1", false},
    {"1fff::1", false},
    {"2000::1", true},
    {"2001::1", false},
    {"2001:1ff:ffff::1", false},
    {"2001:200::1", true},
    {"2001:db8::1", false},
    {"2002:7f00:1::", false},
    {"2002:808:808::", false},
    {"2003::1", true},
    {"2606:4700:4700::1111", true},
    {"3fff::1", false},
    {"3fff:fff::1", false},
    {"3ffe::1", true},
    {"4000::1", false},
    {"fbff::1", false},
    {"fc00::1", false},
    {"fdff:ffff::1", false},
    {"fe80::1", false},
    {"fec0::1", false},
    {"ff02::1", false},
});

TEST(AddressTest, OnlyTheInternetIsPublic)
{
    for (const Case& one : cases) {
        const auto address = Address::parse(one.text);
        ASSERT_TRUE(address) << one.text;
        EXPECT_EQ(is_public(*address), one.is_public) << one.text;
    }
}

TEST(AddressTest, NamesAndHalfAddressesAreNoAddresses)
{
    for (const char* const text :
         {"", "localhost", "127.1", "0x7f.0.0.1", "10.0.0.0/8", "::1%lo", "[::1]"}) {
        EXPECT_FALSE(Address::parse(text)) << text;
    }
}

TEST(AddressTest, WhatASocketIsToldIsJudgedAlike)
{
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto loopback = Address::from(reinterpret_cast<const sockaddr&>(four));
    ASSERT_TRUE(loopback);
    EXPECT_EQ(loopback->text(), "127.0.0.1");
    EXPECT_FALSE(is_public(*loopback));

    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    ::inet_pton(AF_INET6, "2606:4700::1", &six.sin6_addr);
    const auto global = Address::from(reinterpret_cast<const sockaddr&>(six));
    ASSERT_TRUE(global);
    EXPECT_EQ(global->text(), "2606:4700::1");
    EXPECT_TRUE(is_public(*global));

    const sockaddr other{.sa_family = AF_UNIX, .sa_data = {}};
    EXPECT_FALSE(Address::from(other));
}

}  // namespace
}  // namespace umavez::outbound
