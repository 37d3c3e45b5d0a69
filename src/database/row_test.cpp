#include <umavez/transaction.hpp>

#include <gtest/gtest.h>

namespace umavez {
namespace {

TEST(Row, GivesEachColumnAsItsType)
{
    const Row row{{std::int64_t{7}, 2.5, std::string{"text"}, Blob{"bytes"}, std::monostate{}}};

    EXPECT_EQ(row.size(), 5u);
    EXPECT_EQ(row.integer(0), 7);
    EXPECT_EQ(row.real(1), 2.5);
    EXPECT_EQ(row.text(2), "text");
    EXPECT_EQ(row.blob(3), "bytes");
    EXPECT_TRUE(row.is_null(4));
    EXPECT_FALSE(row.is_null(0));
}

TEST(RowDeathTest, ReadingAnotherTypeOrAMissingColumnStopsTheProgram)
{
    const Row row{{std::int64_t{7}}};

    EXPECT_DEATH(static_cast<void>(row.text(0)), "text != nullptr");
    EXPECT_DEATH(static_cast<void>(row.integer(1)), "column < columns_.size");
}

}  // namespace
}  // namespace umavez
