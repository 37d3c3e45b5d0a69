#include "database/url.hpp"

#include <gtest/gtest.h>

namespace umavez {
namespace {

TEST(DatabaseUrl, SqlitePathIsTakenAsWritten)
{
    EXPECT_EQ(parse_database_url("sqlite:data/umavez.db")->path, "data/umavez.db");
    EXPECT_EQ(parse_database_url("sqlite:/var/lib/a b.db")->path, "/var/lib/a b.db");
}

TEST(DatabaseUrl, MemoryHasNoPath)
{
    EXPECT_TRUE(parse_database_url("sqlite::memory:")->is_memory());
}

TEST(DatabaseUrl, UnknownSchemeIsRefusedWithoutItsSecrets)
{
    const auto url = parse_database_url("postgres://app:hunter2@host/db");

    ASSERT_FALSE(url);
    EXPECT_EQ(url.error().code, Errc::misconfigured);
    EXPECT_NE(url.error().detail.find("sqlite:PATH"), std::string::npos);
    EXPECT_EQ(url.error().detail.find("hunter2"), std::string::npos);
}

TEST(DatabaseUrl, EmptyPathAndMissingSchemeAreRefused)
{
    EXPECT_FALSE(parse_database_url("sqlite:"));
    EXPECT_FALSE(parse_database_url(""));
    EXPECT_FALSE(parse_database_url("/var/lib/umavez.db"));
}

}  // namespace
}  // namespace umavez
