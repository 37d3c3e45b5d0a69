#include "database/migration_plan.hpp"

#include <gtest/gtest.h>

namespace umavez {
namespace {

const std::vector<Migration> two_modules = {
    {"a", 1, "one"}, {"a", 2, "two"}, {"b", 1, "three"}, {"a", 3, "four"}
};

TEST(MigrationPlan, GivesWhatIsMissingInTheOrderGiven)
{
    const auto plan = plan_migrations(two_modules, {{"a", {1}}});

    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->size(), 3u);
    EXPECT_EQ((*plan)[0]->sql, "two");
    EXPECT_EQ((*plan)[1]->sql, "three");
    EXPECT_EQ((*plan)[2]->sql, "four");
}

TEST(MigrationPlan, GapInTheListIsRefused)
{
    const std::vector<Migration> gap = {{"a", 1, ""}, {"a", 3, ""}};

    EXPECT_EQ(plan_migrations(gap, {}).error().code, Errc::misconfigured);
}

TEST(MigrationPlan, SchemaNewerThanTheProgramIsRefused)
{
    const auto plan = plan_migrations(two_modules, {{"b", {1, 2}}});

    ASSERT_FALSE(plan);
    EXPECT_NE(plan.error().detail.find("version 2, this program knows 1"), std::string::npos);
}

TEST(MigrationPlan, GapInTheDatabaseIsRefused)
{
    EXPECT_FALSE(plan_migrations(two_modules, {{"a", {1, 3}}}));
    EXPECT_FALSE(plan_migrations(two_modules, {{"a", {2}}}));
}

TEST(MigrationPlan, StateShowsKnownAndAppliedOfEveryModule)
{
    const auto states = state_of_migrations(two_modules, {{"a", {1, 2}}, {"gone", {1}}});

    ASSERT_EQ(states.size(), 3u);
    EXPECT_EQ(states[0].applied, 2);
    EXPECT_EQ(states[0].known, 3);
    EXPECT_EQ(states[1].applied, 0);
    EXPECT_EQ(states[2].module, "gone");
    EXPECT_EQ(states[2].known, 0);
}

}  // namespace
}  // namespace umavez
