#include <umavez/names.hpp>

#include <gtest/gtest.h>

#include <string>

namespace umavez {
namespace {

TEST(Key, AcceptsOneTo255Bytes)
{
    EXPECT_TRUE(Key::parse("a"));
    EXPECT_TRUE(Key::parse(std::string(255, 'k')));
    EXPECT_FALSE(Key::parse(""));
    EXPECT_FALSE(Key::parse(std::string(256, 'k')));
}

TEST(Key, IsNeverTruncated)
{
    const std::string common(254, 'k');

    EXPECT_NE(*Key::parse(common + "a"), *Key::parse(common + "b"));
}

TEST(Key, RefusesSpacesOnlyControlsAndBadUtf8)
{
    for (const std::string& text :
         {std::string("   "), std::string("a\0b", 3), std::string("a\nb"), std::string("a\x7f"),
          std::string("\xff"), std::string("\xc0\xaf"), std::string("\xed\xa0\x80")}) {
        EXPECT_FALSE(Key::parse(text)) << testing::PrintToString(text);
    }
}

TEST(Key, KeepsWhatLooksLikeSqlOrAPatternAsItIs)
{
    for (const std::string text : {"'; DROP TABLE x;--", "%", "_", "*", "a:b", "../..", "a b"}) {
        ASSERT_TRUE(Key::parse(text)) << text;
        EXPECT_EQ(Key::parse(text)->text(), text);
    }
}

TEST(Key, ComposedAndDecomposedAccentsAreTwoKeys)
{
    EXPECT_NE(*Key::parse("\xc3\xa9"), *Key::parse("e\xcc\x81"));
    EXPECT_NE(*Key::parse("ABC"), *Key::parse("abc"));
}

TEST(TenantId, AcceptsTheNamedAlphabetOnly)
{
    EXPECT_TRUE(TenantId::parse("acme-2.br_x"));
    for (const std::string text : {"", "Acme", "a b", "a/b", "é"}) {
        EXPECT_FALSE(TenantId::parse(text)) << text;
    }
    EXPECT_TRUE(TenantId::parse(std::string(64, 'a')));
    EXPECT_FALSE(TenantId::parse(std::string(65, 'a')));
}

TEST(Operation, ErrorsNameTheFieldAndTheCure)
{
    const auto result = Operation::parse("Clientes Criar");

    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Errc::invalid_argument);
    EXPECT_EQ(result.error().detail, "operation may only contain a-z, 0-9, '.', '_', '-'");
}

}  // namespace
}  // namespace umavez
