#include "modules/fiscal/simulator/documents.hpp"

#include "modules/fiscal/simulator/packing.hpp"
#include "modules/fiscal/simulator/test_documents.hpp"
#include "modules/fiscal/simulator/xml_scan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace umavez::fiscal::simulator {
namespace {

using testing::HasSubstr;

TEST(CheckDigit, AgreesWithKeysOfRealNotes)
{
    const std::filesystem::path file =
        std::filesystem::path{UMAVEZ_VECTORS_DIR} / "fiscal/nfse_keys.csv";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
    std::ifstream rows{file};
    std::string row;
    std::getline(rows, row);  // names of the columns
    int valid = 0;
    while (std::getline(rows, row)) {
        std::istringstream cells{row};
        std::string key;
        std::string is_valid;
        std::getline(cells, key, ',');
        std::getline(cells, is_valid, ',');
        if (is_valid != "1") continue;
        ++valid;
        EXPECT_EQ(check_digit(std::string_view{key}.substr(0, 49)), key.back()) << key;
    }
    EXPECT_GE(valid, 10);
}

TEST(ReadDps, TakesWhatTheIdIsMadeOf)
{
    const auto dps = read_dps(TestDps{}.xml());

    ASSERT_TRUE(dps.has_value());
    EXPECT_EQ(dps->id, dps->id_of_fields());
    EXPECT_EQ(dps->inscricao, "00574753000100");
}

TEST(ReadDps, ElementsOfOtherPlacesAreNotMistaken)
{
    TestDps dps;
    dps.prestador = "<x><CNPJ>99999999999999</CNPJ></x><CNPJ>00574753000100</CNPJ><CNPJ>1</CNPJ>";

    EXPECT_EQ(read_dps(dps.xml())->inscricao, "00574753000100");
}

TEST(XmlScan, RefusesWhatIsNoPlainDocument)
{
    for (const std::string_view xml :
         {"",
          "text",
          "<a>",
          "<a></b>",
          "<a/><b/>",
          "<a/>x",
          "<a b=1/>",
          "<a b='1/>",
          "<p:a/>",
          "<a xmlns:p='x'/>",
          "<!DOCTYPE a><a/>",
          "<?xml version='1.0'?><?x?><a/>",
          "<a>\xff</a>",
          "<a></a",
          "</a>"}) {
        EXPECT_FALSE(XmlScan::parse(xml).has_value()) << xml;
    }
}

TEST(XmlScan, KeepsTheElementAsItWasWritten)
{
    const auto scan =
        XmlScan::parse("\xEF\xBB\xBF<?xml version='1.0'?><!-- c --><a  b='>'><c>&lt;x</c> </a>\n");

    ASSERT_TRUE(scan.has_value());
    EXPECT_EQ(scan->element(), "<a  b='>'><c>&lt;x</c> </a>");
    EXPECT_EQ(scan->text("a/c"), "<x");
}

TEST(XmlScan, DepthHasALimit)
{
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "<a>";

    EXPECT_FALSE(XmlScan::parse(deep).has_value());
}

TEST(Packing, IsUndone)
{
    for (const std::string plain : {"", "a", "ab", "abc", "<DPS>ção</DPS>"}) {
        EXPECT_EQ(unzip(*decode_base64(encode_base64(zip(plain)))), plain);
    }
    for (const std::string_view text :
         {"", "a", "ab=c", "====", "ab cd===", "YQ=", "Y===", "\xff\xff\xff\xff"}) {
        EXPECT_FALSE(decode_base64(text).has_value()) << text;
    }
}

TEST(Packing, BombIsRefused)
{
    EXPECT_FALSE(unzip(zip(std::string(std::size_t{8} * 1024 * 1024, 'a'))).has_value());
}

TEST(MakeEvento, WithoutARequestTheOfficeWritesOne)
{
    const std::string xml =
        make_evento("", {.chave = "123", .tipo = "105102", .at = from_micros(0)});

    EXPECT_TRUE(XmlScan::parse(xml).has_value());
    EXPECT_THAT(xml, HasSubstr(R"(Id="EVT123105102001")"));
    EXPECT_THAT(xml, HasSubstr("<e105102>"));
}

}  // namespace
}  // namespace umavez::fiscal::simulator
