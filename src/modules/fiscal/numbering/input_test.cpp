#include "modules/fiscal/numbering/input.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umavez::fiscal {
namespace {

using http::Language;
using testing::HasSubstr;
using testing::Not;

// The fields that a problem names, as its JSON has them.
template <typename T>
std::string fields_of(const modules::Read<T>& read)
{
    return read ? "none" : read.error().members.front().json;
}

template <typename Read>
auto with(const std::string& text, Read read)
{
    const auto tree = JsonTree::parse(text);
    return read(&*tree, Language::english);
}

TEST(NumberingInput, ASeriesIsReadInOneWay)
{
    const std::string text =
        R"({"tipo":"nfse-nacional","ambiente":"homologacao","emitente":"00.574.753/0001-00",)"
        R"("serie":"00001"})";

    const auto nova = with(text, read_nova_faixa);

    ASSERT_TRUE(nova);
    EXPECT_EQ(
        nova->serie, (Serie{Tipo::nfse_nacional, Ambiente::homologacao, "00574753000100", "1"})
    );
    EXPECT_EQ(nova->ultimo_numero, 0);
}

TEST(NumberingInput, EverythingWrongIsToldAtOnce)
{
    const std::string text =
        R"({"tipo":"nota","ambiente":"teste","emitente":"00574753000101","serie":"1","numero":7})";

    const std::string fields = fields_of(with(text, read_nova_faixa));

    for (const char* const name : {"tipo", "ambiente", "emitente", "numero"}) {
        EXPECT_THAT(fields, HasSubstr("\"field\":\"" + std::string{name} + '"'));
    }
}

TEST(NumberingInput, ALastNumberFitsThePrintedWidth)
{
    const auto text = [](const char* numero) {
        return std::string{R"({"tipo":"nfe","ambiente":"producao","emitente":"00574753000100",)"} +
               R"("serie":"1","ultimo_numero":)" + numero + "}";
    };
    EXPECT_TRUE(with(text("999999999"), read_nova_faixa));
    EXPECT_THAT(fields_of(with(text("1000000000"), read_nova_faixa)), HasSubstr("ultimo_numero"));
    EXPECT_THAT(fields_of(with(text("-1"), read_nova_faixa)), HasSubstr("ultimo_numero"));
}

TEST(NumberingInput, AReservationNamesThePlaceOfItsType)
{
    const auto text = [](const char* more) {
        return std::string{
                   R"({"tipo":"nfse-nacional","ambiente":"producao","emitente":"00574753000100",)"
               } +
               R"("serie":"1")" + more + "}";
    };
    EXPECT_TRUE(with(text(R"(,"municipio":"2111300")"), read_nova_reserva));
    EXPECT_THAT(fields_of(with(text(""), read_nova_reserva)), HasSubstr("municipio"));
    EXPECT_THAT(
        fields_of(with(text(R"(,"municipio":"21113")"), read_nova_reserva)), HasSubstr("municipio")
    );
    const std::string both =
        fields_of(with(text(R"(,"municipio":"2111300","uf":"35")"), read_nova_reserva));
    EXPECT_THAT(both, HasSubstr("\"field\":\"uf\""));
    EXPECT_THAT(both, Not(HasSubstr("\"field\":\"municipio\"")));
}

TEST(NumberingInput, AChangeChangesSomething)
{
    EXPECT_TRUE(with(R"({"bloqueado":true,"versao":1})", read_faixa_changes));
    EXPECT_FALSE(with(R"({"versao":1})", read_faixa_changes));
    EXPECT_FALSE(with(R"({"bloqueado":"sim"})", read_faixa_changes));
    EXPECT_FALSE(with(R"({"bloqueado":null})", read_faixa_changes));
    EXPECT_FALSE(with(R"({"ultimo_numero":0})", read_faixa_changes));
    EXPECT_FALSE(read_faixa_changes(nullptr, Language::english));
}

}  // namespace
}  // namespace umavez::fiscal
