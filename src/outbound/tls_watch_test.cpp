// What the watch makes of messages, in the orders in which servers send them.

#include "outbound/tls_watch.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace umavez::outbound {
namespace {

struct Message {
    int kind;
    std::vector<unsigned char> bytes;
};
const Message asks{SSL3_RT_HANDSHAKE, {SSL3_MT_CERTIFICATE_REQUEST, 0, 0, 0}};
const Message hello_again{SSL3_RT_HANDSHAKE, {SSL3_MT_HELLO_REQUEST, 0, 0, 0}};

Message alert(unsigned char which)
{
    return {SSL3_RT_ALERT, {SSL3_AL_FATAL, which}};
}

// In TLS 1.3 a record tells what it holds.
Message record(unsigned char of)
{
    return {SSL3_RT_INNER_CONTENT_TYPE, {of}};
}

struct Heard {
    std::vector<Message> in_handshake;
    std::vector<Message> after = {};
    int version = TLS1_3_VERSION;
    bool is_over = true;
};

void play(const Heard& heard, TlsWatch& watch)
{
    for (const Message& one : heard.in_handshake) watch.on_read(heard.version, one.kind, one.bytes);
    if (heard.is_over) watch.on_connected();
    for (const Message& one : heard.after) watch.on_read(heard.version, one.kind, one.bytes);
}

TEST(TlsWatchTest, EveryAlertAboutACertificateRefusesIt)
{
    for (const int which : {40, 42, 43, 44, 45, 46, 48, 49, 51, 116}) {
        TlsWatch watch;
        play({{asks}, {record(SSL3_RT_ALERT), alert(static_cast<unsigned char>(which))}}, watch);
        EXPECT_TRUE(watch.is_refused()) << which;
        EXPECT_TRUE(watch.is_refused_unread()) << which;
        EXPECT_NE(watch.why(), "");
    }
}

TEST(TlsWatchTest, OtherAlertsAndThoseOfWhoeverDidNotAskRefuseNothing)
{
    for (const Heard& heard : std::vector<Heard>{
             {{asks}, {record(SSL3_RT_ALERT), alert(SSL_AD_INTERNAL_ERROR)}},
             {{asks}, {record(SSL3_RT_ALERT), alert(SSL_AD_CLOSE_NOTIFY)}},
             {{asks}, {record(SSL3_RT_APPLICATION_DATA)}},
             {{asks}, {{SSL3_RT_ALERT, {SSL3_AL_FATAL}}, {SSL3_RT_ALERT, {}}}},
             {{}, {record(SSL3_RT_ALERT), alert(SSL_AD_UNKNOWN_CA)}},
             {{alert(SSL_AD_HANDSHAKE_FAILURE)}, {}, TLS1_2_VERSION, false},
         }) {
        TlsWatch watch;
        play(heard, watch);
        EXPECT_FALSE(watch.is_refused());
        EXPECT_FALSE(watch.is_refused_unread());
        EXPECT_EQ(watch.why(), "");
    }
}

TEST(TlsWatchTest, InsideOfAHandshakeNothingWasSent)
{
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        TlsWatch watch;
        play({{asks, alert(SSL_AD_UNKNOWN_CA)}, {}, version, false}, watch);
        EXPECT_TRUE(watch.is_refused_unread());
        EXPECT_EQ(watch.why(), "unknown CA");
    }
}

TEST(TlsWatchTest, WhoSpokeBeforeItMayHaveReadTheRequest)
{
    const Message refuses = alert(SSL_AD_CERTIFICATE_REVOKED);
    for (const Heard& heard : std::vector<Heard>{
             // A session ticket: the handshake had ended well.
             {{asks}, {record(SSL3_RT_HANDSHAKE), record(SSL3_RT_ALERT), refuses}},
             // A piece of an answer.
             {{asks}, {record(SSL3_RT_APPLICATION_DATA), record(SSL3_RT_ALERT), refuses}},
             // Post-handshake authentication.
             {{}, {record(SSL3_RT_HANDSHAKE), asks, record(SSL3_RT_ALERT), refuses}},
             // TLS 1.2: renegotiation, and an alert at a time when none is due.
             {{}, {hello_again, asks, refuses}, TLS1_2_VERSION},
             {{asks}, {refuses}, TLS1_2_VERSION},
         }) {
        TlsWatch watch;
        play(heard, watch);
        EXPECT_TRUE(watch.is_refused());
        EXPECT_FALSE(watch.is_refused_unread());
    }
}

TEST(TlsWatchTest, OurOwnAlertsAreAboutTheirs)
{
    TlsWatch watch;
    watch.on_written(SSL3_RT_ALERT, alert(SSL_AD_CLOSE_NOTIFY).bytes);
    EXPECT_FALSE(watch.is_refusing());
    watch.on_written(SSL3_RT_ALERT, alert(SSL_AD_UNKNOWN_CA).bytes);
    EXPECT_TRUE(watch.is_refusing());
    EXPECT_FALSE(watch.is_refused());
}

}  // namespace
}  // namespace umavez::outbound
