// What `config check` says of certificates that can be read and may not be shown.

#include "app/fiscal_certificates.hpp"

#include "app/commands.hpp"
#include "support/certificates.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace umavez {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

constexpr auto year = 24h * 365;
constexpr const char* loja = "LOJA:00574753000100";

class FiscalCertificatesTest : public testing::Test {
protected:
    FiscalSettings::Emitente emitente(
        const test::CertificateWish& wish, const std::string& inscricao = "00574753000100"
    )
    {
        const test::Issued issued = authority_.issue(wish);
        const std::string path = folder_.path() + "/" + std::to_string(++files_) + ".pem";
        std::ofstream{path} << issued.certificate_pem << issued.key_pem;
        return {.inscricao = inscricao, .tenant = "default", .certificado = path};
    }
    static CertificateReport report(std::vector<FiscalSettings::Emitente> emitentes)
    {
        FiscalSettings settings;
        settings.emitentes = std::move(emitentes);
        return report_certificates(settings, system_clock().realtime());
    }

    // The command itself: its exit code, and what it says on standard error.
    struct Checked {
        int code;
        std::string said;
    };
    Checked check(const FiscalSettings::Emitente& emitente)
    {
        const std::string config = folder_.path() + "/umavez.toml";
        std::ofstream{config
        } << "database = \"sqlite::memory:\"\n[[fiscal.emitente]]\ninscricao = \""
          << emitente.inscricao << "\"\ntenant = \"default\"\ncertificado = \""
          << emitente.certificado << "\"\n";
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        const int code =
            config_check_command().run({.options = {{"--config", config}}, .arguments = {}});
        testing::internal::GetCapturedStdout();
        return {code, testing::internal::GetCapturedStderr()};
    }

    const test::TemporaryFolder folder_;
    const test::TestAuthority authority_;
    int files_ = 0;
};

TEST_F(FiscalCertificatesTest, OfOneThatIsWellNothingIsSaid)
{
    const auto own = emitente({.common_name = loja, .until = year});
    auto branch = own;
    branch.inscricao = "00574753000281";
    const CertificateReport told = report({own, branch});
    EXPECT_THAT(told.faults, IsEmpty());
    EXPECT_THAT(told.warnings, IsEmpty());
}

TEST_F(FiscalCertificatesTest, EachIssuerIsNamedWithFileAndCure)
{
    const auto old = emitente({.common_name = loja, .from = -48h, .until = -24h});
    const auto young = emitente({.common_name = loja, .from = 24h, .until = year});
    const auto other = emitente({.common_name = "OUTRA:12ABC34501DE35", .until = year});
    const auto person = emitente({.common_name = "M", .cpf = "12345678909", .until = year});
    const auto soon = emitente({.common_name = loja, .until = 24h * 20});
    const auto mute = emitente({.common_name = "LOJA", .until = year});
    auto absent = mute;
    absent.certificado += ".absent";
    const CertificateReport told = report({old, young, other, person, soon, mute, absent});
    EXPECT_THAT(
        told.faults,
        ElementsAre(
            AllOf(
                MatchesRegex(
                    "fiscal.emitente \"00574753000100\": certificado: .* expired on 20..-.*"
                ),
                HasSubstr(old.certificado),
                HasSubstr("give one that is valid now")
            ),
            AllOf(HasSubstr(young.certificado), HasSubstr("is not valid before 20")),
            HasSubstr("belongs to 12ABC34501DE35, not to 00574753000100: give the issuer's own"),
            HasSubstr("belongs to 12345678909")
        )
    );
    EXPECT_THAT(
        told.warnings,
        ElementsAre(
            AllOf(HasSubstr(soon.certificado), HasSubstr("expires on 20")),
            AllOf(HasSubstr(mute.certificado), HasSubstr("tells no CNPJ or CPF"))
        )
    );
}

TEST_F(FiscalCertificatesTest, ConfigCheckFailsForAFaultAndWarnsOtherwise)
{
    const Checked good = check(emitente({.common_name = loja, .until = year}));
    EXPECT_EQ(good.code, exit_done) << good.said;
    EXPECT_EQ(good.said, "");
    const Checked soon = check(emitente({.common_name = loja, .until = 24h}));
    EXPECT_EQ(soon.code, exit_done);
    EXPECT_THAT(soon.said, HasSubstr("warning: fiscal.emitente \"00574753000100\": certificado: "));
    const Checked old = check(emitente({.common_name = loja, .from = -48h, .until = -24h}));
    EXPECT_EQ(old.code, exit_failed);
    EXPECT_THAT(old.said, HasSubstr("expired on 20"));
    const Checked other = check(emitente({.common_name = "OUTRA:12ABC34501DE35", .until = year}));
    EXPECT_EQ(other.code, exit_failed);
    EXPECT_THAT(other.said, HasSubstr("belongs to 12ABC34501DE35"));
}

}  // namespace
}  // namespace umavez
