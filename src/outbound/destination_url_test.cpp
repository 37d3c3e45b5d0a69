#include "outbound/destination_url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::outbound {
namespace {

using testing::HasSubstr;

TEST(DestinationUrlTest, PartsAreFound)
{
    const auto url = parse_destination_url("https://Example.com:8443/a/../b?x=1&y=%20");
    ASSERT_TRUE(url) << url.error().detail;
    EXPECT_EQ(url->text, "https://Example.com:8443/a/../b?x=1&y=%20");
    EXPECT_TRUE(url->tls);
    EXPECT_EQ(url->host, "example.com");
    EXPECT_EQ(url->port, 8443);
    EXPECT_FALSE(url->literal);
    EXPECT_EQ(parse_destination_url("https://example.com")->port, 443);
    EXPECT_EQ(parse_destination_url("HTTP://example.com/")->port, 80);
    EXPECT_TRUE(parse_destination_url("https://example.com/who@where?a=b@c"));
}

// However an address is written, it is seen as one.
TEST(DestinationUrlTest, LiteralAddressesAreFound)
{
    for (const char* const text :
         {"http://127.0.0.1/",
          "http://127.1/",
          "http://2130706433/",
          "http://0x7f.0.0.1/",
          "http://0177.0.0.1:80/",
          "http://localhost/",
          "http://LOCALHOST.:8080/",
          "http://a.localhost/",
          "http://[::1]/",
          "http://[::ffff:127.0.0.1]:8080/",
          "http://10.1.2.3/"}) {
        const auto url = parse_destination_url(text);
        ASSERT_TRUE(url) << text << ": " << url.error().detail;
        ASSERT_TRUE(url->literal) << text << " has the host " << url->host;
        EXPECT_FALSE(is_public(*url->literal)) << text;
    }
    EXPECT_TRUE(is_public(*parse_destination_url("https://[2606:4700:4700::1111]/")->literal));
}

TEST(DestinationUrlTest, WhatIsWrongIsTold)
{
    const std::pair<std::string, const char*> wrong[] = {
        {"", "is empty"},
        {"https://example.com/" + std::string(2000, 'a'), "has 2020 characters, at most 2000"},
        {"ftp://example.com/", "must begin with"},
        {"file:///etc/passwd", "must begin with"},
        {"gopher://example.com/", "must begin with"},
        {"example.com/hook", "must begin with"},
        {"https:/example.com", "must begin with"},
        {"https://", "must be like"},
        {"https:///hook", "must be like"},
        {"https://exa mple.com/", "visible ASCII"},
        {"https://example.com/\r\nHost: other", "visible ASCII"},
        {"https://exämple.com/", "visible ASCII"},
        {std::string{"https://example.com/\0", 21}, "visible ASCII"},
        {"https://user:secret@example.com/", "no user and password"},
        {"https://user@example.com/", "no user and password"},
        {"https://@example.com/", "no user and password"},
        {"https://example.com/#part", "no fragment"},
        {"https://example.com:0/", "port"},
        {"https://example.com:65536/", "must be like"},
        {"https://example.com:http/", "must be like"},
        {"https://[::1/", "must be like"},
    };
    for (const auto& [text, why] : wrong) {
        const auto url = parse_destination_url(text);
        ASSERT_FALSE(url) << text;
        EXPECT_EQ(url.error().code, Errc::invalid_argument);
        EXPECT_THAT(url.error().detail, HasSubstr(why)) << text;
    }
}

}  // namespace
}  // namespace umavez::outbound
