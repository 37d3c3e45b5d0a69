// Calls to a server that demands a certificate: what arrives, and what is known when it refuses ours.

#include "outbound/call.hpp"
#include "support/certificates.hpp"
#include "support/http_receiver.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace umavez::outbound {
namespace {

using namespace std::chrono_literals;
using test::HttpReceiver;
using test::Issued;
using test::Reaction;
using test::Received;
using testing::HasSubstr;

class ClientCertificateCallTest : public testing::Test {
protected:
    ClientCertificateCallTest() { std::ofstream{ca_file_} << authority_.pem(); }

    test::ReceiverTls demanding(bool is_old) const
    {
        return {
            .certificate = server_.certificate_pem,
            .key = server_.key_pem,
            .client_authority = authority_.pem(),
            .is_old = is_old,
        };
    }
    OutboundRule showing(const Issued& issued) const
    {
        auto read = ClientCertificate::parse(issued.certificate_pem, issued.key_pem, "");
        EXPECT_TRUE(read);
        return {
            .allow_private = true,
            .ca_file = ca_file_,
            .certificate = std::make_shared<ClientCertificate>(*std::move(read)),
        };
    }
    OutboundRule showing_nothing() const { return {.allow_private = true, .ca_file = ca_file_}; }

    const test::TemporaryFolder folder_;
    const std::string ca_file_ = folder_.path() + "/ca.pem";
    const test::TestAuthority authority_;
    const Issued server_ = authority_.issue({.common_name = "localhost"});
};

// With more time than a slow machine needs.
std::expected<Reply, CallError> ask(Call request, const OutboundRule& rule)
{
    request.connect_timeout = 1h;
    request.total_timeout = 1h;
    return call(request, rule);
}

HttpReceiver::React welcome()
{
    return [](const Received&) { return Reaction{.body = "welcome"}; };
}

TEST_F(ClientCertificateCallTest, TheServerSeesWhoWeAre)
{
    const OutboundRule ours = showing(authority_.issue({.common_name = "LOJA:00574753000100"}));
    for (const bool is_old : {true, false}) {
        HttpReceiver receiver{welcome(), demanding(is_old)};
        const auto reply = ask({.url = receiver.url(), .body = "x"}, ours);
        ASSERT_TRUE(reply) << reply.error().detail;
        EXPECT_EQ(reply->body, "welcome");
    }
}

// Inside of the handshake with TLS 1.2. With TLS 1.3 instead of an answer, and yet before anything was read;
// where the server is gone before all of a large request has left, writing fails first.
TEST_F(ClientCertificateCallTest, ARefusedCertificateProvesThatNothingWasRead)
{
    const test::TestAuthority stranger;
    const OutboundRule refused[] = {
        showing_nothing(),
        showing(stranger.issue({.common_name = "LOJA"})),
        showing(authority_.issue({.common_name = "LOJA", .from = -2h, .until = -1h})),
    };
    for (const bool is_old : {true, false}) {
        HttpReceiver receiver{welcome(), demanding(is_old)};
        for (const OutboundRule& rule : refused) {
            for (const std::size_t size : {std::size_t{1}, std::size_t{4 << 20}}) {
                const auto reply =
                    ask({.url = receiver.url(), .body = std::string(size, 'x')}, rule);
                ASSERT_FALSE(reply);
                EXPECT_EQ(reply.error().failure, CallFailure::certificate_refused)
                    << reply.error().detail;
                EXPECT_EQ(reply.error().effect, Effect::none) << reply.error().detail;
                EXPECT_THAT(reply.error().detail, HasSubstr("TLS alert"));
            }
        }
        EXPECT_TRUE(receiver.received().empty());
    }
}

TEST_F(ClientCertificateCallTest, TheAlertIsTold)
{
    const test::TestAuthority stranger{"Stranger"};
    const auto why = [&](bool is_old, const OutboundRule& rule) {
        HttpReceiver receiver{welcome(), demanding(is_old)};
        const auto reply = ask({.url = receiver.url(), .body = "x"}, rule);
        return reply ? "" : reply.error().detail;
    };
    const OutboundRule foreign = showing(stranger.issue({.common_name = "LOJA"}));
    const OutboundRule namesake = showing(test::TestAuthority{}.issue({.common_name = "LOJA"}));
    const OutboundRule old =
        showing(authority_.issue({.common_name = "LOJA", .from = -2h, .until = -1h}));
    for (const bool is_old : {true, false}) {
        EXPECT_THAT(why(is_old, foreign), HasSubstr("TLS alert: unknown CA"));
        // Of an authority with the same name, whose signature is of another key.
        EXPECT_THAT(why(is_old, namesake), HasSubstr("TLS alert: decrypt error"));
        EXPECT_THAT(why(is_old, old), HasSubstr("certificate expired"));
    }
    EXPECT_THAT(why(true, showing_nothing()), HasSubstr("for want of a certificate"));
    EXPECT_THAT(why(false, showing_nothing()), HasSubstr("for want of a certificate"));
}

// It has read the request when it asks who we are.
TEST_F(ClientCertificateCallTest, WhoAsksLateHasReadTheRequest)
{
    test::ReceiverTls late = demanding(false);
    late.asks_late = true;
    HttpReceiver receiver{welcome(), late};
    const auto taken =
        ask({.url = receiver.url(), .body = "x"},
            showing(authority_.issue({.common_name = "LOJA"})));
    ASSERT_TRUE(taken) << taken.error().detail;
    const test::TestAuthority stranger;
    const auto reply =
        ask({.url = receiver.url(), .body = "x"}, showing(stranger.issue({.common_name = "LOJA"})));
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().failure, CallFailure::certificate_refused) << reply.error().detail;
    EXPECT_EQ(reply.error().effect, Effect::unknown);
    EXPECT_EQ(receiver.received().size(), 2u);
}

// We refuse theirs: that says nothing of ours. Where the names are the same, the signature gives it away.
TEST_F(ClientCertificateCallTest, AServerThatIsNotBelievedRefusesNothing)
{
    const OutboundRule ours = showing(authority_.issue({.common_name = "LOJA"}));
    for (const char* const name : {"Stranger", "Test Authority"}) {
        for (const bool is_old : {true, false}) {
            test::ReceiverTls tls = demanding(is_old);
            const Issued theirs = test::TestAuthority{name}.issue({.common_name = "localhost"});
            tls.certificate = theirs.certificate_pem;
            tls.key = theirs.key_pem;
            HttpReceiver receiver{welcome(), tls};
            const auto reply = ask({.url = receiver.url(), .body = "x"}, ours);
            ASSERT_FALSE(reply);
            EXPECT_EQ(reply.error().failure, CallFailure::untrusted) << reply.error().detail;
            EXPECT_EQ(reply.error().effect, Effect::none);
        }
    }
}

}  // namespace
}  // namespace umavez::outbound
