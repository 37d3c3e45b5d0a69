#include "http/parameters.hpp"

#include <gtest/gtest.h>

namespace umavez::http {
namespace {

Request asked(std::string query)
{
    Request request;
    request.query = std::move(query);
    return request;
}

std::string problem_of(std::string query, const Field& field)
{
    Request request = asked(std::move(query));
    const auto errors = take_query({field}, request);
    return errors.empty() ? "" : errors.front().field + " " + errors.front().message.english;
}

TEST(Parameters, ValuesAreDecoded)
{
    Request request = asked("status=em+doubt%21&cursor=&n=-7&undeclared=1");

    const auto errors = take_query(
        {{.name = "status", .type = text()},
         {.name = "cursor", .type = text()},
         {.name = "n", .type = integer()},
         {.name = "absent", .type = integer(), .required = false}},
        request
    );

    EXPECT_TRUE(errors.empty());
    EXPECT_EQ(find_parameter(request, "status"), "em doubt!");
    EXPECT_EQ(find_parameter(request, "cursor"), "");
    EXPECT_EQ(get_integer(request, "n"), -7);
    EXPECT_EQ(find_integer(request, "absent"), std::nullopt);
    EXPECT_EQ(find_parameter(request, "undeclared"), std::nullopt);
}

TEST(Parameters, WhatIsWrongIsNamed)
{
    const Field field{.name = "estado", .type = one_of({"a", "b"})};

    EXPECT_EQ(problem_of("estado=c", field), "estado is not one of a, b");
    EXPECT_EQ(problem_of("estado", field), "estado is not one of a, b");
    EXPECT_EQ(problem_of("estado=%4", field), "estado is not one of a, b");
    EXPECT_EQ(problem_of("x=a", field), "estado is missing; it is one of a, b");
    EXPECT_EQ(problem_of("estado=a&%65stado=b", field), "estado is given more than once");
    EXPECT_EQ(problem_of("&&=&estado=b&", field), "");
}

TEST(Parameters, PercentDecoding)
{
    EXPECT_EQ(percent_decode("a%2Fb+c"), "a/b+c");
    EXPECT_EQ(form_decode("a%2Bb+c"), "a+b c");
    EXPECT_EQ(percent_decode("%"), std::nullopt);
    EXPECT_EQ(percent_decode("%4"), std::nullopt);
    EXPECT_EQ(percent_decode("%-1"), std::nullopt);
}

}  // namespace
}  // namespace umavez::http
