// Every length around the steps in which the parser reads, compares and copies: 8, 16 and 32 bytes,
// 16 names. What stands behind a token, and how close the end is, must not matter.

#include "json/name_order.hpp"
#include "json/tree.hpp"

#include <umavez/fingerprint.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace umavez {
namespace {

// Of a copy that ends where its memory ends, so that a sanitizer sees a read behind it.
Result<std::string> canonical_of(const std::string& text)
{
    const auto copy = std::make_unique<char[]>(text.size());
    std::ranges::copy(text, copy.get());
    return canonical_json({copy.get(), text.size()});
}

TEST(JsonLengths, StringsOfEveryLengthEndAtTheirQuote)
{
    for (std::size_t length = 0; length < 70; ++length) {
        const std::string text = '"' + std::string(length, 'x') + '"';

        EXPECT_EQ(canonical_of(text), text);
        EXPECT_EQ(canonical_of("[" + text + ",1]"), "[" + text + ",1]");
        EXPECT_FALSE(canonical_of(text.substr(0, text.size() - 1))) << length;
    }
}

TEST(JsonLengths, ASpecialCharacterIsSeenAtEveryPlace)
{
    for (std::size_t length = 1; length < 40; ++length) {
        for (std::size_t place = 0; place < length; ++place) {
            const auto with = [&](const std::string& special) {
                std::string text(length, 'x');
                text.replace(place, 1, special);
                return '"' + text + '"';
            };
            EXPECT_EQ(canonical_of(with("\\u0041")), with("A"));
            EXPECT_EQ(canonical_of(with("\\n")), with("\\n"));
            EXPECT_EQ(canonical_of(with("é")), with("é"));
            EXPECT_EQ(canonical_of(with("\x7f")), with("\x7f"));
            EXPECT_FALSE(canonical_of(with("\x1f")));
            EXPECT_FALSE(canonical_of(with("\n")));
            EXPECT_FALSE(canonical_of(with("\xff")));
            EXPECT_FALSE(canonical_of(with("\xc3")));
            EXPECT_FALSE(canonical_of(with("\"")));
        }
    }
}

TEST(JsonLengths, NumbersOfEveryLengthKeepTheirDigits)
{
    for (std::size_t digits = 1; digits <= 15; ++digits) {
        const std::string whole = std::string{"123456789123456"}.substr(0, digits);
        EXPECT_EQ(canonical_of(whole), whole);
        EXPECT_EQ(canonical_of("[" + whole + "]      "), "[" + whole + "]");
        EXPECT_EQ(canonical_of("-" + whole), "-" + whole);
        EXPECT_EQ(canonical_of(whole + ".0"), whole);
        if (digits < 15) {
            EXPECT_EQ(canonical_of("0." + whole), "0." + whole);
        }
        // The neighbours of the digits in ASCII, and a byte with its high bit set.
        for (const char* const wrong : {"/", ":", "\xb5", "x"}) {
            EXPECT_FALSE(canonical_of(whole + wrong));
            EXPECT_FALSE(canonical_of(whole + wrong + "        "));
            EXPECT_FALSE(canonical_of("1." + whole + wrong + "        "));
        }
    }
}

// Names that share no beginning, eight bytes of it, or more.
std::vector<std::string> make_names(std::size_t count, const std::string& beginning)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string own = std::to_string(i * 7919 % 1009);
        names.push_back(i % 3 == 0 ? own + beginning : beginning + own);
    }
    return names;
}

std::string to_object(const std::vector<std::string>& names)
{
    std::string text = "{";
    for (const std::string& name : names) text += (text.size() > 1 ? ",\"" : "\"") + name + "\":0";
    return text + "}";
}

TEST(JsonLengths, NamesOfEveryCountAreSorted)
{
    std::minstd_rand random{11};
    for (std::size_t count = 0; count < 40; ++count) {
        for (const std::string beginning :
             {"", "k", "sevenup", "eightful", "nine and more", "é€"}) {
            std::vector<std::string> names = make_names(count, beginning);
            std::ranges::shuffle(names, random);
            const std::string text = to_object(names);

            std::ranges::sort(names, is_name_before);

            EXPECT_EQ(canonical_of(text), to_object(names));
        }
    }
}

TEST(JsonLengths, TwinsAreFoundAtEveryPlace)
{
    for (std::size_t count = 1; count < 36; ++count) {
        for (const std::string beginning : {"", "eightful", "nine and more"}) {
            const std::vector<std::string> names = make_names(count, beginning);
            for (std::size_t twin = 0; twin < count; ++twin) {
                std::vector<std::string> all = names;
                all.push_back(names[twin]);

                const auto refused = canonical_of(to_object(all));

                ASSERT_FALSE(refused) << count << " " << twin;
                EXPECT_NE(refused.error().detail.find("duplicate member name"), std::string::npos);
            }
        }
    }
}

}  // namespace
}  // namespace umavez
