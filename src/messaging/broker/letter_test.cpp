// What a letter becomes on the wire, and what is read of what others send.

#include "messaging/broker/letter.hpp"

#include "messaging/broker/connection.hpp"

#include <gtest/gtest.h>

namespace umavez::messaging {
namespace {

amqp_message_t message_of(const Properties& properties, const std::string& body)
{
    amqp_message_t message{};
    message.properties = *properties.get();
    message.body = bytes_of(body);
    return message;
}

Letter a_letter()
{
    return {
        .message_id = "0190a5d0-ac96-774b-bcce-b302099a8057",
        .tenant = "loja",
        .aggregate = "mailing/1",
        .type = "mailing.processar",
        .data = "{\"mailingId\":\"1\"}",
        .created_at = Instant{std::chrono::seconds{1'700'000'000}},
    };
}

TEST(Letter, ComesBackAsItWasSent)
{
    Letter sent = a_letter();
    sent.deaths = 4;
    sent.reason = "unreadable";
    sent.expires = std::chrono::milliseconds{1500};
    const Properties properties{sent};
    EXPECT_EQ(text_of(properties.get()->expiration), "1500");
    EXPECT_EQ(properties.get()->delivery_mode, 2);
    const auto read = parse_letter(message_of(properties, sent.data));
    ASSERT_TRUE(read) << read.error().detail;
    EXPECT_EQ(read->message_id, sent.message_id);
    EXPECT_EQ(read->tenant, "loja");
    EXPECT_EQ(read->aggregate, "mailing/1");
    EXPECT_EQ(read->type, "mailing.processar");
    EXPECT_EQ(read->data, sent.data);
    EXPECT_EQ(read->created_at, sent.created_at);
    EXPECT_EQ(read->deaths, 4);
    EXPECT_FALSE(read->expires);
}

TEST(Letter, WithoutIdTypeTenantOrJsonIsRefused)
{
    for (const auto& spoil : std::initializer_list<void (*)(Letter&)>{
             [](Letter& letter) { letter.message_id.clear(); },
             [](Letter& letter) { letter.message_id.assign(65, 'a'); },
             [](Letter& letter) { letter.type.clear(); },
             [](Letter& letter) { letter.tenant.clear(); },
             [](Letter& letter) { letter.data = "{\"mailingId\":"; },
             [](Letter& letter) { letter.data.clear(); },
             [](Letter& letter) { letter.data = "\"\xff\""; },
         }) {
        Letter letter = a_letter();
        spoil(letter);
        const Properties properties{letter};
        EXPECT_FALSE(parse_letter(message_of(properties, letter.data)));
    }
    amqp_message_t bare{};
    EXPECT_FALSE(parse_letter(bare));
}

}  // namespace
}  // namespace umavez::messaging
