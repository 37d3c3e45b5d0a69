#include "modules/parts/page.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace umavez::modules {
namespace {

RC_GTEST_PROP(PageProperties, ACursorIsReadBack, ())
{
    const auto id = *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());

    RC_ASSERT(parse_cursor(to_cursor(id)).value() == id);
}

TEST(Page, WhatIsNoCursorOfOursIsRefused)
{
    for (const char* const cursor :
         {"",
          "1",
          "id_",
          "id_-1",
          "id_x",
          "id_1 ",
          "ID_1",
          "id_ffffffffffffffffff",
          "id_8000000000000000"}) {
        EXPECT_FALSE(parse_cursor(cursor)) << cursor;
    }
}

TEST(Page, TheRowBeyondTheLimitOnlyTellsThatThereIsMore)
{
    struct Row {
        std::int64_t id;
    };
    const Page page{.after = 0, .limit = 2};

    const auto full = to_listed(std::vector<Row>{{1}, {5}, {6}}, page);
    const auto last = to_listed(std::vector<Row>{{6}, {7}}, page);

    EXPECT_EQ(full.rows.size(), 2u);
    EXPECT_EQ(parse_cursor(full.next.value()), 5);
    EXPECT_EQ(last.rows.size(), 2u);
    EXPECT_FALSE(last.next);
}

TEST(Page, TheLinkKeepsTheFilterAndReplacesTheCursor)
{
    EXPECT_EQ(next_page_link("/p", "", "id_1"), "</p?cursor=id_1>; rel=\"next\"");
    EXPECT_EQ(
        next_page_link("/p", "limit=2&cursor=id_1&&estado=aceita", "id_2"),
        "</p?limit=2&estado=aceita&cursor=id_2>; rel=\"next\""
    );
}

}  // namespace
}  // namespace umavez::modules
