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
using testing::AnyOf;
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

HttpReceiver::React welcome()
{
    return [](const Received&) { return Reaction{.body = "welcome"}; };
}

TEST_F(ClientCertificateCallTest, TheServerSeesWhoWeAre)
{
    const OutboundRule ours = showing(authority_.issue({.common_name = "LOJA:00574753000100"}));
    for (const bool is_old : {true, false}) {
        HttpReceiver receiver{welcome(), demanding(is_old)};
        const auto reply = call({.url = receiver.url(), .body = "x"}, ours);
        ASSERT_TRUE(reply) << reply.error().detail;
        EXPECT_EQ(reply->body, "welcome");
    }
}

TEST_F(ClientCertificateCallTest, InTheHandshakeOfTls12ARefusalProvesThatNothingLeft)
{
    HttpReceiver receiver{welcome(), demanding(true)};
    const test::TestAuthority stranger;
    const OutboundRule refused[] = {
        showing_nothing(),
        showing(stranger.issue({.common_name = "LOJA"})),
        showing(authority_.issue({.common_name = "LOJA", .from = -2h, .until = -1h})),
    };
    for (const OutboundRule& rule : refused) {
        const auto reply = call({.url = receiver.url(), .body = "x"}, rule);
        ASSERT_FALSE(reply);
        EXPECT_EQ(reply.error().failure, CallFailure::tls) << reply.error().detail;
        EXPECT_EQ(reply.error().effect, Effect::none) << reply.error().detail;
        EXPECT_THAT(reply.error().detail, AnyOf(HasSubstr("alert"), HasSubstr("certificate")));
    }
    EXPECT_TRUE(receiver.received().empty());
}

// The handshake is over for us when the server looks at our certificate, and the request goes out with its
// last message. The refusal comes instead of an answer: nobody can prove from here that nothing was taken.
TEST_F(ClientCertificateCallTest, WithTls13ARefusalComesAfterTheRequestMayHaveLeft)
{
    HttpReceiver receiver{welcome(), demanding(false)};
    const test::TestAuthority stranger;
    for (const OutboundRule& rule :
         {showing_nothing(), showing(stranger.issue({.common_name = "LOJA"}))}) {
        const auto reply = call({.url = receiver.url(), .body = "x"}, rule);
        ASSERT_FALSE(reply);
        // A reset may overtake the alert.
        EXPECT_THAT(reply.error().failure, AnyOf(CallFailure::tls, CallFailure::broken))
            << reply.error().detail;
        EXPECT_EQ(reply.error().effect, Effect::unknown) << reply.error().detail;
    }
    EXPECT_TRUE(receiver.received().empty());
}

}  // namespace
}  // namespace umavez::outbound
