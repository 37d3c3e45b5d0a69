// Amounts as clients write them, good and bad, and that text and amount never part.

#include "base/money.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace umavez {
namespace {

std::string shown_amount(std::string_view number)
{
    const auto money = Money::parse(number);
    if (money) return money->text();
    switch (money.error()) {
        case MoneyFault::not_a_number: return "not a number";
        case MoneyFault::too_many_decimals: return "too many decimals";
        case MoneyFault::out_of_range: return "out of range";
    }
    return {};
}

TEST(Money, SpellingsOfOneAmountAreEqual)
{
    for (const char* const number :
         {"1500", "1500.0", "1500.00", "1.5e3", "15E+2", "150000e-2", "0.15e4"}) {
        EXPECT_EQ(shown_amount(number), "1500.00") << number;
    }
}

TEST(Money, BothEndsOfTheRangeAreAmounts)
{
    EXPECT_EQ(shown_amount("0"), "0.00");
    EXPECT_EQ(shown_amount("-0.0"), "0.00");
    EXPECT_EQ(shown_amount("0e99999999999999999999"), "0.00");
    EXPECT_EQ(shown_amount("0.01"), "0.01");
    EXPECT_EQ(shown_amount("99999999.99"), "99999999.99");
}

TEST(Money, WhatIsBeyondTheRangeIsRefused)
{
    for (const char* const number :
         {"100000000",
          "100000000.00",
          "99999999999999999999999",
          "1e8",
          "1e308",
          "1e99999999999999999999",
          "-0.01",
          "-1"}) {
        EXPECT_EQ(shown_amount(number), "out of range") << number;
    }
}

TEST(Money, ThreeDecimalsAreRefusedWhateverTheyAre)
{
    for (const char* const number :
         {"1500.001", "1500.000", "0.005", "1e-3", "1e-99999999999999999999", "99999999.999"}) {
        EXPECT_EQ(shown_amount(number), "too many decimals") << number;
    }
}

TEST(Money, WhatIsNoJsonNumberIsNoAmount)
{
    for (const char* const number :
         {"", "-", ".5", "1.", "01", "+1", "1,5", "1e", "1e+", "0x1", " 1", "1 ", "NaN", "1.2.3"}) {
        EXPECT_EQ(shown_amount(number), "not a number") << number;
    }
}

RC_GTEST_PROP(MoneyProperties, EveryAmountSurvivesItsText, ())
{
    const auto cents = *rc::gen::inRange<std::int64_t>(0, Money::cents_max + 1);
    const auto money = Money::from_cents(cents);

    RC_ASSERT(money.has_value());
    RC_ASSERT(Money::parse(money->text()).value().cents() == cents);
}

RC_GTEST_PROP(MoneyProperties, ShiftingThePointAndTheExponentTogetherChangesNothing, ())
{
    const auto cents = *rc::gen::inRange<std::int64_t>(0, Money::cents_max + 1);
    const auto shift = *rc::gen::inRange(0, 9);
    std::string digits = fmt::format("{:010}", cents);
    digits.insert(digits.size() - static_cast<std::size_t>(shift), ".");
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.find('.') - 1));
    if (digits.back() == '.') digits.pop_back();

    RC_ASSERT(Money::parse(fmt::format("{}e{}", digits, shift - 2)).value().cents() == cents);
}

}  // namespace
}  // namespace umavez
