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

TEST(Key, RefusesEveryControlCharacter)
{
    for (unsigned c = 0; c < 0x20; ++c) {
        EXPECT_FALSE(Key::parse(std::string{"a"} + static_cast<char>(c) + "b")) << c;
    }
    for (unsigned c = 0x80; c < 0xa0; ++c) {
        EXPECT_FALSE(Key::parse(std::string{"a\xc2"} + static_cast<char>(c) + "b")) << c;
    }
    EXPECT_FALSE(Key::parse("a\x7f" "b"));
    EXPECT_FALSE(Key::parse("a\u2028b"));
    EXPECT_FALSE(Key::parse("a\u2029b"));
    EXPECT_EQ(Key::parse("a\u2028b").error().detail, "key contains the control character U+2028");
}

TEST(Key, LooksAtEveryByteOfEveryLength)
{
    for (std::size_t size = 1; size <= 40; ++size) {
        EXPECT_TRUE(Key::parse(std::string(size, '~'))) << size;
        for (std::size_t at = 0; at < size; ++at) {
            for (const char bad : {'\x01', '\x7f', '\xff'}) {
                std::string text(size, '!');
                text[at] = bad;
                EXPECT_FALSE(Key::parse(text)) << size << ' ' << at;
            }
        }
    }
}

TEST(Key, RefusesWhiteSpaceAloneAndKeepsItBesideOtherCharacters)
{
    for (const std::string space :
         {" ",      "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
          "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u200b", "\u200d",
          "\u200f", "\u202e", "\u202f", "\u205f", "\u2060", "\u2066", "\u3000", "\ufeff"}) {
        SCOPED_TRACE(testing::PrintToString(space));
        EXPECT_FALSE(Key::parse(space));
        EXPECT_FALSE(Key::parse(space + " \u3000" + space));
        ASSERT_TRUE(Key::parse(space + "a" + space));
        EXPECT_EQ(Key::parse(space + "a" + space)->text(), space + "a" + space);
    }
    EXPECT_EQ(Key::parse("\u3000").error().detail, "key consists of white space only");
    for (const std::string text : {"\u00a1", "\u2010", "\u3001", "€", "😀"}) {
        EXPECT_TRUE(Key::parse(text)) << text;
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
