#include "key_protocol/resource_problems.hpp"

#include "key_protocol/golden_test.hpp"
#include "key_protocol/problems.hpp"

#include <gtest/gtest.h>

namespace umavez::key_protocol {
namespace {

// "ok", or name and status of the problem.
std::string verdict(
    std::vector<Header> headers, std::optional<std::int64_t> versao, std::int64_t current
)
{
    const auto told = [](const http::Problem& problem) {
        return problem.name + (problem.status ? " " + std::to_string(*problem.status) : "");
    };
    const auto expected = read_expected_version(headers, versao, http::Language::english);
    if (!expected) return told(expected.error());
    const auto conflict = check_version(*expected, current);
    return conflict ? told(*conflict) : "ok";
}

TEST(ExpectedVersion, IsTakenFromTheBody)
{
    EXPECT_EQ(verdict({}, 3, 3), "ok");
    EXPECT_EQ(verdict({}, 2, 3), "version-conflict");
    EXPECT_EQ(verdict({}, std::nullopt, 3), "validation");
}

TEST(ExpectedVersion, IsTakenFromIfMatch)
{
    EXPECT_EQ(verdict({{"if-match", "\"3\""}}, std::nullopt, 3), "ok");
    EXPECT_EQ(verdict({{"If-Match", "\"2\", \"3\""}}, std::nullopt, 3), "ok");
    EXPECT_EQ(verdict({{"If-Match", "\"2\""}, {"If-Match", "\"3\""}}, std::nullopt, 3), "ok");
    EXPECT_EQ(verdict({{"If-Match", "*"}}, std::nullopt, 3), "ok");
    EXPECT_EQ(verdict({{"If-Match", "\"2\""}}, std::nullopt, 3), "version-conflict 412");
}

TEST(ExpectedVersion, TagsThatWeNeverGaveMatchNothing)
{
    for (const char* const tag :
         {"W/\"3\"", "3", "\"03\"", "\"+3\"", "\"3 \"", "\"\"", "", "\"a\"", "\"3"}) {
        EXPECT_EQ(verdict({{"If-Match", tag}}, std::nullopt, 3), "version-conflict 412") << tag;
    }
}

TEST(ExpectedVersion, BothMustAgree)
{
    EXPECT_EQ(verdict({{"If-Match", "\"3\""}}, 3, 3), "ok");
    EXPECT_EQ(verdict({{"If-Match", "\"3\""}}, 3, 4), "version-conflict 412");
    EXPECT_EQ(verdict({{"If-Match", "\"3\""}}, 2, 3), "malformed-request");
    EXPECT_EQ(verdict({{"If-Match", "*"}}, 3, 3), "ok");
    EXPECT_EQ(verdict({{"If-Match", "*"}}, 2, 3), "version-conflict");
}

TEST(ResourceProblems, AConflictTellsTheCurrentVersion)
{
    const http::ProblemCatalogue catalogue = standard_problems();
    const auto conflict = check_version({.versions = {1}, .is_precondition = true}, 3);

    ASSERT_TRUE(conflict);
    expect_golden(
        "version-conflict.txt",
        to_response(*conflict, {catalogue, http::Language::english, "/a/1", "r-1"})
    );
}

TEST(ResourceProblems, ValidationListsItsFields)
{
    const http::ProblemCatalogue catalogue = standard_problems();
    const http::Problem problem = validation_problem(
        {{"nome", {"is missing", "está faltando"}}, {"a\"b", {"is wrong", "está errado"}}},
        http::Language::portuguese
    );

    expect_golden(
        "validation-pt.txt",
        to_response(problem, {catalogue, http::Language::portuguese, "/a", "r-1"})
    );
}

}  // namespace
}  // namespace umavez::key_protocol
