// Certificates as authorities hand them out, made on the spot, and each way in which they are wrong.

#include "outbound/client_certificate.hpp"

#include "support/certificates.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace umavez::outbound {
namespace {

using namespace std::chrono_literals;
using test::CertificateWish;
using test::Issued;
using test::make_pkcs12;
using test::Pkcs12Kind;
using test::TestAuthority;
using testing::HasSubstr;

const CertificateWish loja{.common_name = "LOJA LTDA:00574753000100", .cnpj = "00574753000100"};

class ClientCertificateTest : public testing::Test {
protected:
    static void SetUpTestSuite() { authority = new TestAuthority; }
    static void TearDownTestSuite()
    {
        delete authority;
        authority = nullptr;
    }
    static Result<ClientCertificate> parse(
        std::string_view bytes, const std::string& password = {}, std::string_view key = {}
    )
    {
        return ClientCertificate::parse(bytes, key, password, "the certificate loja.pfx");
    }
    static std::string why_not(
        std::string_view bytes, const std::string& password = {}, std::string_view key = {}
    )
    {
        const auto read = parse(bytes, password, key);
        EXPECT_FALSE(read);
        if (read) return "";
        EXPECT_EQ(read.error().code, Errc::misconfigured);
        return read.error().detail;
    }

    static TestAuthority* authority;
};
TestAuthority* ClientCertificateTest::authority = nullptr;

TEST_F(ClientCertificateTest, EveryKindOfPkcs12IsRead)
{
    const Issued issued = authority->issue(loja);
    for (const auto kind : {Pkcs12Kind::modern, Pkcs12Kind::rc2_40, Pkcs12Kind::triple_des}) {
        const std::string bytes =
            make_pkcs12(issued.certificate_pem, issued.key_pem, "segredo", kind);
        const auto read = parse(bytes, "segredo");
        ASSERT_TRUE(read) << read.error().detail;
        EXPECT_EQ(read->certificate_pem(), issued.certificate_pem);
        EXPECT_EQ(read->chain_pem(), issued.certificate_pem);
        EXPECT_EQ(read->key_pem(), issued.key_pem);
        EXPECT_EQ(read->inscricao(), "00574753000100");
        EXPECT_EQ(read->subject(), "C=BR, O=ICP-Brasil, CN=LOJA LTDA:00574753000100");
        EXPECT_EQ(read->common_name(), "LOJA LTDA:00574753000100");
        EXPECT_EQ(read->valid_until() - read->valid_from(), 2h);
    }
}

TEST_F(ClientCertificateTest, PemIsReadInAnyOrder)
{
    const Issued issued = authority->issue(loja);
    for (const std::string& text :
         {issued.certificate_pem + issued.key_pem,
          issued.key_pem + authority->pem() + issued.certificate_pem}) {
        const auto read = parse(text);
        ASSERT_TRUE(read) << read.error().detail;
        EXPECT_EQ(read->certificate_pem(), issued.certificate_pem);
    }
    const auto chain = parse(issued.certificate_pem + authority->pem(), "", issued.key_pem);
    ASSERT_TRUE(chain) << chain.error().detail;
    EXPECT_EQ(chain->chain_pem(), issued.certificate_pem + authority->pem());
    const auto locked =
        parse(issued.certificate_pem + test::lock_key(issued.key_pem, "segredo"), "segredo");
    ASSERT_TRUE(locked) << locked.error().detail;
    EXPECT_EQ(locked->key_pem(), issued.key_pem);
}

TEST_F(ClientCertificateTest, WhoseItIs)
{
    const std::pair<CertificateWish, std::optional<std::string>> cases[] = {
        {{.common_name = "LOJA:1", .cnpj = "12ABC34501DE35"}, "12ABC34501DE35"},
        {{.common_name = "LOJA: FILIAL:12ABC34501DE35"}, "12ABC34501DE35"},
        {{.common_name = "MARIA:12345678909"}, "12345678909"},
        {{.common_name = "MARIA", .cpf = "12345678909"}, "12345678909"},
        {{.common_name = "LOJA:12ABC34501DE35", .cpf = "12345678909"}, "12ABC34501DE35"},
        {{.common_name = "MARIA", .cpf = "00000000000"}, std::nullopt},  // not filled in
        {{.common_name = "MARIA", .cpf = "1234567890X"}, std::nullopt},
        {{.common_name = "LOJA LTDA"}, std::nullopt},
        {{.common_name = "LOJA:12345"}, std::nullopt},
        {{.common_name = "LOJA:12abc34501de35"}, std::nullopt},
    };
    for (const auto& [wish, inscricao] : cases) {
        const Issued issued = authority->issue(wish);
        const auto read = parse(issued.certificate_pem + issued.key_pem);
        ASSERT_TRUE(read) << read.error().detail;
        EXPECT_EQ(read->inscricao(), inscricao) << wish.common_name;
    }
}

TEST_F(ClientCertificateTest, WhatIsWrongIsToldWithTheCure)
{
    const Issued issued = authority->issue(loja);
    const Issued other = authority->issue({.common_name = "OUTRA LTDA"});
    const std::string& certificate = issued.certificate_pem;
    const std::string pfx = make_pkcs12(certificate, issued.key_pem, "segredo");
    EXPECT_THAT(
        why_not(pfx, "outra"), HasSubstr("loja.pfx cannot be opened: the password is wrong")
    );
    EXPECT_THAT(why_not(pfx), HasSubstr("needs a password"));
    EXPECT_THAT(why_not("rubbish"), HasSubstr("neither PEM nor PKCS#12"));
    EXPECT_THAT(why_not(""), HasSubstr("neither PEM nor PKCS#12"));
    EXPECT_THAT(why_not(pfx.substr(0, 900), "segredo"), HasSubstr("neither PEM nor PKCS#12"));
    EXPECT_THAT(
        why_not(make_pkcs12(certificate, "", "segredo"), "segredo"),
        HasSubstr("no private key inside")
    );
    EXPECT_THAT(
        why_not(make_pkcs12("", issued.key_pem, "segredo"), "segredo"),
        HasSubstr("no certificate inside")
    );
    EXPECT_THAT(
        why_not(make_pkcs12(certificate, other.key_pem, "segredo"), "segredo"),
        HasSubstr("key of another certificate")
    );
    EXPECT_THAT(why_not(certificate), HasSubstr("no private key inside"));
    EXPECT_THAT(why_not(certificate + other.key_pem), HasSubstr("key of another certificate"));
    EXPECT_THAT(why_not(certificate, "", other.key_pem), HasSubstr("key of another certificate"));
    EXPECT_THAT(why_not(issued.key_pem), HasSubstr("no certificate inside"));
    const std::string locked = certificate + test::lock_key(issued.key_pem, "segredo");
    EXPECT_THAT(why_not(locked), HasSubstr("key with a password: none was given"));
    EXPECT_THAT(why_not(locked, "outra"), HasSubstr("the password is wrong"));
    const Issued weak = authority->issue({.common_name = "LOJA", .bits = 512});
    EXPECT_THAT(
        why_not(weak.certificate_pem + weak.key_pem),
        HasSubstr("cannot be shown with TLS (ee key too small): have one issued")
    );
}

TEST_F(ClientCertificateTest, ValidityIsAskedOfTheDay)
{
    const Issued issued = authority->issue(loja);
    const auto read = parse(issued.certificate_pem + issued.key_pem);
    ASSERT_TRUE(read) << read.error().detail;
    EXPECT_TRUE(read->check(read->valid_from()));
    EXPECT_TRUE(read->check(read->valid_until()));
    const auto late = read->check(read->valid_until() + 1s);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, Errc::misconfigured);
    EXPECT_THAT(
        late.error().detail, testing::MatchesRegex(".*LOJA LTDA.*expired on 20..-..-..: .*")
    );
    const auto early = read->check(read->valid_from() - 1s);
    ASSERT_FALSE(early);
    EXPECT_THAT(
        early.error().detail, testing::MatchesRegex(".*is not valid before 20..-..-..: .*")
    );
}

TEST_F(ClientCertificateTest, FilesAreNamed)
{
    const test::TemporaryFolder folder;
    const Issued issued = authority->issue(loja);
    const std::string certificate = folder.path() + "/loja.pem";
    const std::string key = folder.path() + "/loja.key";
    std::ofstream{certificate} << issued.certificate_pem;
    std::ofstream{key} << issued.key_pem;
    const auto read = ClientCertificate::load({.file = certificate, .key_file = key});
    ASSERT_TRUE(read) << read.error().detail;
    EXPECT_THAT(read->name(), HasSubstr(certificate));

    const auto absent = ClientCertificate::load({.file = folder.path() + "/absent.pfx"});
    ASSERT_FALSE(absent);
    EXPECT_EQ(absent.error().code, Errc::misconfigured);
    EXPECT_THAT(absent.error().detail, HasSubstr("absent.pfx does not exist: check the path"));
    const auto keyless = ClientCertificate::load({.file = certificate, .key_file = key + "x"});
    ASSERT_FALSE(keyless);
    EXPECT_THAT(keyless.error().detail, HasSubstr("the private key"));
    EXPECT_FALSE(ClientCertificate::load({.file = folder.path()}));
}

}  // namespace
}  // namespace umavez::outbound
