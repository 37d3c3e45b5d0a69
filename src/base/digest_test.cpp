#include "base/digest.hpp"

#include <gtest/gtest.h>

namespace umavez {
namespace {

TEST(Digest, Sha256OfTheEmptyStringIsTheKnownOne)
{
    EXPECT_EQ(
        to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
}

TEST(Digest, PartsAreNotConcatenated)
{
    Hasher hasher;
    hasher.part("ab");
    hasher.part("c");
    const Digest first = hasher.finish();
    hasher.part("a");
    hasher.part("bc");

    EXPECT_NE(first, hasher.finish());
}

TEST(Digest, StableHashNeverChanges)
{
    // Stored in databases: a new value here would orphan every index entry.
    EXPECT_EQ(stable_hash({}), 0xcbf29ce484222325u);
    EXPECT_NE(stable_hash({"ab", "c"}), stable_hash({"a", "bc"}));
    EXPECT_NE(stable_hash({""}), stable_hash({}));
}

}  // namespace
}  // namespace umavez
