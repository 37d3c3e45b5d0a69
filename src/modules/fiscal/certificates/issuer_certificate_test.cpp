// Which certificates may be shown in whose name, and the sentences about those that may not.

#include "modules/fiscal/certificates/issuer_certificate.hpp"

#include "base/shown.hpp"
#include "support/certificates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::fiscal {
namespace {

using namespace std::chrono_literals;
using outbound::ClientCertificate;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

constexpr std::string_view cnpj = "00574753000100";

class IssuerCertificateTest : public testing::Test {
protected:
    ClientCertificate issue(const test::CertificateWish& wish) const
    {
        const test::Issued issued = authority_.issue(wish);
        auto read = ClientCertificate::parse(
            issued.certificate_pem, issued.key_pem, "", "the certificate /etc/loja.pfx"
        );
        EXPECT_TRUE(read) << read.error().detail;
        return *std::move(read);
    }
    std::string why_not(const test::CertificateWish& wish, std::string_view emitente = cnpj) const
    {
        const auto checked = check_certificate(issue(wish), emitente, now_);
        return checked ? "" : checked.error().detail;
    }
    std::vector<std::string> warnings(const test::CertificateWish& wish) const
    {
        return find_warnings(issue(wish), cnpj, now_);
    }

    const test::TestAuthority authority_;
    const Instant now_ = system_clock().realtime();
};

TEST_F(IssuerCertificateTest, ACompanySpeaksForItsBranchesAndAPersonForItself)
{
    const test::CertificateWish loja{.common_name = "LOJA:00574753000100"};
    EXPECT_EQ(why_not(loja), "");
    EXPECT_EQ(why_not(loja, "00574753000281"), "");
    EXPECT_EQ(
        why_not(loja, "12ABC34501DE35"),
        "the certificate /etc/loja.pfx belongs to 00574753000100, not to 12ABC34501DE35: give the "
        "issuer's own"
    );
    EXPECT_THAT(why_not(loja, "12345678909"), HasSubstr("belongs to 00574753000100"));
    EXPECT_EQ(why_not({.common_name = "MARIA:12345678909"}, "12345678909"), "");
    EXPECT_EQ(why_not({.common_name = "MARIA", .cpf = "12345678909"}, "12345678909"), "");
    EXPECT_THAT(why_not({.common_name = "MARIA:12345678909"}, "12345678990"), HasSubstr("belongs"));
    EXPECT_THAT(why_not({.common_name = "MARIA:12345678909"}), HasSubstr("belongs to 12345678909"));
    EXPECT_EQ(why_not({.common_name = "NOBODY"}), "");
}

TEST_F(IssuerCertificateTest, OneThatIsNotValidNowMayNotBeShown)
{
    EXPECT_THAT(
        why_not({.common_name = "LOJA:00574753000100", .from = -48h, .until = -24h}),
        MatchesRegex("the certificate /etc/loja.pfx .*expired on 20..-..-..: give one that is .*")
    );
    EXPECT_THAT(
        why_not({.common_name = "LOJA:00574753000100", .from = 24h, .until = 48h}),
        HasSubstr("is not valid before 20")
    );
}

TEST_F(IssuerCertificateTest, WhatToKnowOfTheOthers)
{
    constexpr auto year = 24h * 365;
    EXPECT_THAT(warnings({.common_name = "LOJA:00574753000100", .until = year}), IsEmpty());
    EXPECT_THAT(warnings({.common_name = "LOJA:00574753000100", .until = 24h * 31}), IsEmpty());
    EXPECT_THAT(
        warnings({.common_name = "LOJA:00574753000100", .until = 24h * 29}),
        ElementsAre(MatchesRegex("the certificate /etc/loja.pfx expires on 20..-..-..: have a .*"))
    );
    EXPECT_THAT(
        warnings({.common_name = "LOJA", .until = year}),
        ElementsAre(HasSubstr("(C=BR, O=ICP-Brasil, CN=LOJA) tells no CNPJ or CPF"))
    );
}

TEST_F(IssuerCertificateTest, ARefusalNamesTheCertificateAndTheCure)
{
    const ClientCertificate loja = issue({.common_name = "LOJA LTDA:00574753000100"});
    const std::string said = describe_refusal(loja, cnpj, "TLS alert: unknown CA");
    EXPECT_THAT(
        said,
        MatchesRegex("the authority refuses the certificate of 00574753000100 \\(LOJA "
                     "LTDA:00574753000100, until 20..-..-..; TLS alert: unknown CA\\): replace "
                     "`certificado`")
    );
    // With a name as long as it may be, nothing is cut.
    const ClientCertificate longest =
        issue({.common_name = std::string(49, 'X') + ":00574753000100"});
    const std::string full = describe_refusal(longest, cnpj, "TLS alert: unsupported certificate");
    EXPECT_EQ(shown(full), full);
}

}  // namespace
}  // namespace umavez::fiscal
