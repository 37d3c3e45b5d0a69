#include "base/file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace umavez {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
protected:
    void SetUp() override
    {
        std::string pattern = (fs::temp_directory_path() / "umavez-file-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    void TearDown() override { fs::remove_all(folder_); }

    static std::string text_at(const std::string& path)
    {
        std::stringstream text;
        text << std::ifstream{path}.rdbuf();
        return text.str();
    }

    std::string folder_;
};

TEST_F(FileTest, WithoutANameItLeavesNothing)
{
    {
        auto file = File::make_unnamed(folder_);
        ASSERT_TRUE(file) << file.error().detail;
        EXPECT_TRUE(file->append("some bytes"));
        EXPECT_TRUE(fs::is_empty(folder_));
    }
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(FileTest, IsReadAtAnyPlaceAndOpenedByItsPath)
{
    auto file = File::make_unnamed(folder_);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append("hello, "));
    ASSERT_TRUE(file->append("world"));

    std::array<char, 5> space{};
    EXPECT_EQ(file->read_at(7, space).value_or(0), 5u);
    EXPECT_EQ(std::string_view(space.data(), 5), "world");
    EXPECT_EQ(file->read_at(10, space).value_or(0), 2u);
    EXPECT_EQ(file->read_at(100, space).value_or(9), 0u);
    EXPECT_EQ(file->bytes().value_or(0), 12u);
    EXPECT_EQ(text_at(file->path()), "hello, world");
}

TEST_F(FileTest, IsKeptUnderAName)
{
    const std::string path = folder_ + "/kept";
    auto file = File::make_unnamed(folder_);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->append("content"));

    const auto kept = file->keep_as(path);

    ASSERT_TRUE(kept) << kept.error().detail;
    EXPECT_EQ(text_at(path), "content");
}

TEST_F(FileTest, ANameThatIsTakenIsRefused)
{
    const std::string path = folder_ + "/taken";
    std::ofstream{path} << "older";
    auto file = File::make_unnamed(folder_);
    ASSERT_TRUE(file && file->append("newer"));

    EXPECT_FALSE(file->keep_as(path));
    EXPECT_EQ(text_at(path), "older");
}

// As on another file system: a file that once had a name cannot be given one.
TEST_F(FileTest, WhatCannotBeNamedIsCopied)
{
    const std::string gone = folder_ + "/gone";
    const std::string path = folder_ + "/kept";
    std::ofstream{gone} << std::string(200'000, 'x');
    auto file = File::open(gone);
    ASSERT_TRUE(file);
    fs::remove(gone);

    const auto kept = file->keep_as(path);

    ASSERT_TRUE(kept) << kept.error().detail;
    EXPECT_EQ(text_at(path), std::string(200'000, 'x'));
}

TEST_F(FileTest, ErrorsAreSortedByWhatCanBeDone)
{
    const auto missing = File::open(folder_ + "/missing");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Errc::not_found);
    EXPECT_FALSE(File::make_unnamed(folder_ + "/missing"));

    const auto full = File::make_unnamed(folder_);
    ASSERT_TRUE(full);
    EXPECT_FALSE(full->keep_as(folder_ + "/missing/name"));
}

}  // namespace
}  // namespace umavez
