#include "app/check_settings.hpp"
#include "app/settings.hpp"
#include "support/certificates.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace umavez {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr const char* cnpj = "00574753000100";

// A folder with a certificate in several shapes, and settings that name them.
class FiscalSettingsTest : public testing::Test {
protected:
    FiscalSettingsTest()
    {
        const test::Issued issued = authority_.issue({.common_name = "LOJA:00574753000100"});
        write("loja.pem", issued.certificate_pem + issued.key_pem);
        write("only.pem", issued.certificate_pem);
        write("loja.key", issued.key_pem);
        write("loja.pfx", test::make_pkcs12(issued.certificate_pem, issued.key_pem, "hunter2"));
        write("loja.senha", "hunter2\n");
    }

    std::string path(const std::string& name) const
    {
        return (std::filesystem::path{folder_.path()} / name).string();
    }
    void write(const std::string& name, const std::string& text) const
    {
        std::ofstream{path(name), std::ios::binary} << text;
    }

    Result<Settings> load(
        const std::string& toml, const std::map<std::string, std::string>& environment = {}
    ) const
    {
        write("umavez.toml", "database = \"sqlite::memory:\"\n" + toml);
        return load_settings({
            .flags = {{"--config", path("umavez.toml")}},
            .environment = [&](const std::string& name) -> std::optional<std::string> {
                const auto found = environment.find(name);
                return found == environment.end() ? std::nullopt : std::optional{found->second};
            },
        });
    }
    // What is said of it, at the latest when it is checked; "" where all is well.
    std::string complaint(
        const std::string& toml, const std::map<std::string, std::string>& environment = {}
    ) const
    {
        const auto loaded = load(toml, environment);
        if (!loaded) return loaded.error().detail;
        const auto checked = check_settings(*loaded);
        return checked ? "" : checked.error().detail;
    }
    static std::string emitente(const std::string& more, const std::string& inscricao = cnpj)
    {
        return "[[fiscal.emitente]]\ninscricao = \"" + inscricao + "\"\ntenant = \"default\"\n" +
               more;
    }
    std::string certificado(const std::string& name) const
    {
        return "certificado = \"" + path(name) + "\"\n";
    }

    test::TemporaryFolder folder_;
    test::TestAuthority authority_;
};

TEST_F(FiscalSettingsTest, WithoutASectionTheDefaultsHold)
{
    const auto settings = load("");

    ASSERT_TRUE(settings) << settings.error().detail;
    EXPECT_EQ(settings->fiscal.threads, 4u);
    EXPECT_EQ(settings->fiscal.timeout_emissao, 60s);
    EXPECT_EQ(settings->fiscal.timeout_consulta, 30s);
    EXPECT_EQ(settings->fiscal.tentativas, 3u);
    EXPECT_EQ(settings->fiscal.nacional_producao, "https://sefin.nfse.gov.br/SefinNacional");
    EXPECT_TRUE(settings->fiscal.emitentes.empty());
    EXPECT_TRUE(check_settings(*settings));
}

TEST_F(FiscalSettingsTest, TheFileIsTaken)
{
    const auto settings = load(
        "[fiscal]\nthreads = 8\ntimeout_emissao = \"5s\"\ntimeout_consulta = \"4s\"\n"
        "timeout_cancelamento = \"3s\"\ntimeout_inutilizacao = \"2s\"\ntentativas = 1\n"
        "backoff_primeiro = \"10ms\"\nbackoff_maximo = \"20ms\"\nconsultas_por_minuto = 0\n"
        "bloqueio = \"2h\"\nassentamento = \"100ms\"\nlease = \"2s\"\n"
        "[fiscal.nacional]\nproducao = \"https://localhost:8443/SefinNacional/\"\n"
        "homologacao = \"https://[::1]:8443\"\nca_file = \"ca.pem\"\n"
    );

    ASSERT_TRUE(settings) << settings.error().detail;
    const FiscalSettings& fiscal = settings->fiscal;
    EXPECT_EQ(fiscal.threads, 8u);
    EXPECT_EQ(fiscal.timeout_emissao, 5s);
    EXPECT_EQ(fiscal.timeout_consulta, 4s);
    EXPECT_EQ(fiscal.timeout_cancelamento, 3s);
    EXPECT_EQ(fiscal.timeout_inutilizacao, 2s);
    EXPECT_EQ(fiscal.tentativas, 1u);
    EXPECT_EQ(fiscal.backoff_primeiro, 10ms);
    EXPECT_EQ(fiscal.backoff_maximo, 20ms);
    EXPECT_EQ(fiscal.consultas_por_minuto, 0u);
    EXPECT_EQ(fiscal.bloqueio, 2h);
    EXPECT_EQ(fiscal.assentamento, 100ms);
    EXPECT_EQ(fiscal.lease, 2s);
    EXPECT_EQ(fiscal.nacional_producao, "https://localhost:8443/SefinNacional");
    EXPECT_EQ(fiscal.nacional_homologacao, "https://[::1]:8443");
    EXPECT_EQ(fiscal.nacional_ca_file, "ca.pem");
}

TEST_F(FiscalSettingsTest, TheTaxOfficesOfTheStatesAreTaken)
{
    const std::string place = "[[fiscal.sefaz]]\nlugar = \"SP\"\nambiente = \"homologacao\"\n";
    const std::string addresses =
        "autorizacao = \"https://localhost/a\"\nconsulta = \"https://localhost/c\"\n";
    const auto settings = load(
        place + "modelo = \"nfce\"\n" + addresses +
        "[[fiscal.sefaz]]\nlugar = \"*\"\nambiente = \"producao\"\n" + addresses +
        "[fiscal.sao_paulo]\nhomologacao = \"https://localhost/sp/\"\n"
    );

    ASSERT_TRUE(settings) << settings.error().detail;
    ASSERT_EQ(settings->fiscal.sefaz.size(), 2u);
    EXPECT_EQ(settings->fiscal.sefaz[0].modelo, "nfce");
    EXPECT_EQ(settings->fiscal.sefaz[1].consulta, "https://localhost/c");
    EXPECT_EQ(settings->fiscal.sao_paulo_homologacao, "https://localhost/sp");
    EXPECT_THAT(complaint(place), HasSubstr("autorizacao and consulta are needed"));
    EXPECT_THAT(complaint(place + "consulta = \"http://localhost\"\n"), HasSubstr("https://"));
    EXPECT_THAT(complaint(place + addresses + "modelo = \"55\"\n"), HasSubstr("\"nfe\""));
    EXPECT_THAT(complaint(place + addresses + "consult = \"\"\n"), HasSubstr("consulta"));
    EXPECT_THAT(
        complaint("[[fiscal.sefaz]]\nlugar = \"XX\"\nambiente = \"producao\"\n" + addresses),
        HasSubstr("SVC-AN")
    );
    EXPECT_THAT(
        complaint("[[fiscal.sefaz]]\nlugar = \"SP\"\nambiente = \"teste\"\n" + addresses),
        HasSubstr("homologacao")
    );
    EXPECT_THAT(
        complaint(place + addresses + place + addresses + "ca_file = \"ca.pem\"\n"),
        HasSubstr("the same file")
    );
    EXPECT_THAT(complaint("[fiscal.sefaz]\nlugar = \"SP\"\n"), HasSubstr("two brackets"));
}

TEST_F(FiscalSettingsTest, EveryShapeOfACertificateIsTaken)
{
    EXPECT_EQ(complaint(emitente(certificado("loja.pem"))), "");
    EXPECT_EQ(
        complaint(emitente(certificado("only.pem") + "chave = \"" + path("loja.key") + "\"\n")), ""
    );
    EXPECT_EQ(complaint(emitente(certificado("loja.pfx") + "senha = \"hunter2\"\n")), "");
    EXPECT_EQ(
        complaint(
            emitente(certificado("loja.pfx") + "senha_file = \"" + path("loja.senha") + "\"\n")
        ),
        ""
    );
    EXPECT_EQ(
        complaint(
            emitente(certificado("loja.pfx") + "senha_env = \"SENHA\"\n"), {{"SENHA", "hunter2"}}
        ),
        ""
    );
}

TEST_F(FiscalSettingsTest, ACertificateThatIsOverDoesNotKeepTheServerFromStarting)
{
    const test::Issued old = authority_.issue({.from = -48h, .until = -24h});
    write("old.pem", old.certificate_pem + old.key_pem);

    EXPECT_EQ(complaint(emitente(certificado("old.pem"))), "");
}

TEST_F(FiscalSettingsTest, RefusalsNameTheIssuerAndNeverThePassword)
{
    struct Case {
        std::string toml;
        std::string said;
    };
    for (const Case& wrong : std::vector<Case>{
             {emitente(certificado("nowhere.pfx")), "nowhere.pfx"},
             {emitente(certificado("only.pem")), "only.pem"},
             {emitente(certificado("loja.pfx") + "senha = \"hunter3\"\n"), "senha"},
             {emitente(certificado("loja.pfx")), "senha"},
             {emitente(certificado("loja.pfx") + "senha_file = \"/nowhere\"\n"), "senha_file"},
             {emitente(certificado("loja.pfx") + "senha_env = \"SENHA\"\n"), "senha_env"},
             {emitente(certificado("loja.pfx") + "senha = \"hunter2\"\nsenha_env = \"S\"\n"),
              "one of them"},
             {emitente(""), "certificado is missing"},
             {emitente(certificado("loja.pem"), "00574753000101"), "inscricao"},
             {emitente(certificado("loja.pem"), "00.574.753/0001-00"), "inscricao"},
             {"[[fiscal.emitente]]\ninscricao = \"00574753000100\"\n" + certificado("loja.pem"),
              "tenant"},
             {emitente(certificado("loja.pem")) + emitente(certificado("loja.pem")), "one tenant"},
         }) {
        const std::string said = complaint(wrong.toml);
        EXPECT_THAT(said, HasSubstr("fiscal.emitente")) << wrong.toml;
        EXPECT_THAT(said, HasSubstr(wrong.said)) << wrong.toml;
        EXPECT_THAT(said, Not(HasSubstr("hunter"))) << wrong.toml;
    }
}

TEST_F(FiscalSettingsTest, WhatIsNotKnownIsRefused)
{
    EXPECT_THAT(complaint(emitente("certifcado = \"x\"\n")), HasSubstr("certificado"));
    EXPECT_THAT(complaint("[fiscal.emitente]\ninscricao = \"1\"\n"), HasSubstr("two brackets"));
    EXPECT_THAT(complaint("[fiscal]\nthread = 1\n"), HasSubstr("fiscal.threads"));
    EXPECT_THAT(complaint("[fiscal.sefaz]\nproducao = \"x\"\n"), HasSubstr("fiscal.sefaz"));
    // A number loses its leading zeros, and may be a password: it is not repeated.
    const std::string number = complaint("[[fiscal.emitente]]\nsenha = 424242\n");
    EXPECT_THAT(number, HasSubstr("quotes"));
    EXPECT_THAT(number, Not(HasSubstr("424242")));
}

TEST_F(FiscalSettingsTest, WrongValuesAreNamed)
{
    for (const auto& [key, value] : std::map<std::string, std::string>{
             {"threads", "0"},
             {"timeout_emissao", "\"0s\""},
             {"timeout_consulta", "\"soon\""},
             {"tentativas", "0"},
             {"backoff_primeiro", "\"0s\""},
             {"consultas_por_minuto", "-1"},
             {"bloqueio", "\"0s\""},
             {"lease", "\"10ms\""},
         }) {
        EXPECT_THAT(
            complaint("[fiscal]\n" + key + " = " + value + "\n"), HasSubstr("fiscal." + key)
        );
    }
    for (const char* const url :
         {"http://sefin.example",
          "sefin.example",
          "https://",
          "https:///x",
          "https://u:p@x",
          "https://x?y"}) {
        EXPECT_THAT(
            complaint("[fiscal.nacional]\nproducao = \"" + std::string{url} + "\"\n"),
            HasSubstr("fiscal.nacional.producao")
        );
    }
    EXPECT_THAT(
        complaint("[fiscal]\nbackoff_primeiro = \"1m\"\nbackoff_maximo = \"1s\"\n"),
        HasSubstr("fiscal.backoff_primeiro")
    );
    EXPECT_THAT(
        complaint("[fiscal.nacional]\nca_file = \"/nowhere.pem\"\n"),
        HasSubstr("fiscal.nacional.ca_file")
    );
}

}  // namespace
}  // namespace umavez
