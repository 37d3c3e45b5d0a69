#include "modules/fiscal/input.hpp"

#include "modules/fiscal/test_office.hpp"

#include <gmock/gmock.h>

namespace umavez::fiscal {
namespace {

using testing::HasSubstr;

// What is wrong with a justification; "" where it is taken, and then `taken` is what is left of it.
std::string complaint(const std::string& text, std::string* taken = nullptr)
{
    const std::string json = R"({"justificativa":")" + text + R"("})";
    const auto body = JsonTree::parse(json);
    EXPECT_TRUE(body);
    const auto read = read_justificativa(&*body, http::Language::english);
    if (!read) {
        EXPECT_EQ(read.error().name, "validation");
        return read.error().members.empty() ? "?" : read.error().members.front().json;
    }
    if (taken != nullptr) *taken = *read;
    return "";
}

TEST(FiscalInput, AJustificationIsWhatTheAuthoritysSchemaTakes)
{
    std::string taken;
    EXPECT_EQ(complaint("  Serviço não prestado ", &taken), "");
    EXPECT_EQ(taken, "Serviço não prestado");
    EXPECT_THAT(complaint("     curta demais     "), HasSubstr("15 to 255"));
    EXPECT_THAT(complaint("Serviço não prestado \u2014 cliente desistiu"), HasSubstr("Latin-1"));
    EXPECT_THAT(complaint("Serviço não prestado \U0001F600"), HasSubstr("Latin-1"));
}

TEST(FiscalInput, TheTownBesideTheXmlIsCompared)
{
    Office office;
    Module module{Needs{
        .engine = *office.engine,
        .database = *office.database,
        .tipos =
            {{Tipo::nfse_nacional,
              {&office.authority,
               [](std::string_view, std::optional<Ambiente>) -> Result<Identidade> {
                   Identidade identidade = identidade_of(5306);
                   identidade.id_autoridade = "DPS211130020057475300010000001000000000005306";
                   return identidade;
               }}}},
        .issuers = {{cnpj, tenant}},
        .settings = quick_settings(),
    }};
    const auto read = [&](const std::string& municipio) {
        const std::string json =
            R"({"tipo":"nfse-nacional","xml":"<x/>","municipio":")" + municipio + R"("})";
        const auto body = JsonTree::parse(json);
        return read_nova(module, &*body, tenant, http::Language::english);
    };
    EXPECT_TRUE(read("2111300"));
    const auto other = read("9999999");
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().members.front().json, HasSubstr("2111300"));
}

}  // namespace
}  // namespace umavez::fiscal
