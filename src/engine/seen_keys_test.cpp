#include "engine/seen_keys.hpp"

#include <gtest/gtest.h>

namespace umavez {
namespace {

RecordId id(std::string_view tenant, std::string_view key)
{
    return {*TenantId::parse(tenant), *Operation::parse("pedidos.criar"), *Key::parse(key)};
}

TEST(SeenKeys, KnowsAKeyFromItsSecondTimeOn)
{
    SeenKeys seen;

    EXPECT_FALSE(seen.meet(id("acme", "k1")));
    EXPECT_TRUE(seen.meet(id("acme", "k1")));
    EXPECT_FALSE(seen.meet(id("other", "k1")));
    EXPECT_FALSE(seen.meet(id("acme", "k2")));
}

TEST(SeenKeys, ForgetsInsteadOfGrowing)
{
    SeenKeys seen;
    for (int i = 0; i < 1'000'000; ++i) seen.meet(id("acme", "k" + std::to_string(i)));

    int known = 0;
    for (int i = 0; i < 100; ++i) known += seen.meet(id("acme", "k" + std::to_string(i))) ? 1 : 0;

    EXPECT_LT(known, 10);
}

TEST(SeenKeys, ThousandsThatComeInTurnAreKnownTheSecondTime)
{
    SeenKeys seen;
    const auto key = [](int number) { return id("acme", "finished-" + std::to_string(number)); };
    for (int number = 0; number < 5000; ++number) seen.meet(key(number));

    int known = 0;
    for (int number = 0; number < 5000; ++number) known += seen.meet(key(number)) ? 1 : 0;

    EXPECT_GE(known, 4980) << "of a place with four keys; with one it is some 4,500";
}

}  // namespace
}  // namespace umavez
