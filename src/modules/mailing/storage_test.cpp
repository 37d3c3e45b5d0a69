#include "modules/mailing/storage.hpp"

#include "base/digest.hpp"
#include "key_protocol/test_spool.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace umavez::mailing {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view uuid = "01890a5d-ac96-774b-bcce-b302099a8057";

TenantId tenant(std::string_view text)
{
    return *TenantId::parse(text);
}

class StorageTest : public testing::Test {
protected:
    void SetUp() override
    {
        std::string pattern = (fs::temp_directory_path() / "umavez-storage-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        storage_ = std::make_unique<Storage>(*Storage::open(folder_ + "/files"));
    }
    void TearDown() override { fs::remove_all(folder_); }

    static std::string text_at(const std::string& path)
    {
        std::stringstream text;
        text << std::ifstream{path}.rdbuf();
        return text.str();
    }

    // Its url.
    std::string keep(std::string_view content, const TenantId& tenant_id)
    {
        const auto body = key_protocol::spooled(content, storage_->folder());
        const auto staged = storage_->stage(body, {0, content.size()});
        EXPECT_TRUE(staged);
        const auto url = storage_->keep(*staged, tenant_id, uuid);
        EXPECT_TRUE(url) << url.error().detail;
        return url.value_or("");
    }

    std::string folder_;
    std::unique_ptr<Storage> storage_;
};

TEST_F(StorageTest, KeepsAnUploadWhereItsUrlSays)
{
    const std::string url = keep("email\na@b.example\n", tenant("acme"));

    EXPECT_EQ(url, "file:acme/" + std::string{uuid} + ".csv");
    EXPECT_EQ(*storage_->path_of(url), storage_->folder() + "/acme/" + std::string{uuid} + ".csv");
    EXPECT_EQ(text_at(*storage_->path_of(url)), "email\na@b.example\n");
}

TEST_F(StorageTest, APartIsCopiedAndHashed)
{
    std::string large(700'000, 'x');
    large[350'000] = 'y';
    const auto body = key_protocol::spooled("head" + large + "tail", storage_->folder());

    const auto staged = storage_->stage(body, {4, large.size()});

    ASSERT_TRUE(staged) << staged.error().detail;
    EXPECT_EQ(staged->sha256, to_hex(sha256(large)));
    EXPECT_EQ(staged->content->bytes(), large.size());
    EXPECT_EQ(text_at(staged->content->path()), large);
    EXPECT_EQ(
        storage_->stage(body, {0, body->bytes()})->sha256, to_hex(sha256("head" + large + "tail"))
    );
    EXPECT_FALSE(storage_->stage(body, {4, 800'000}));
}

TEST_F(StorageTest, TenantsWithDotsStayInside)
{
    for (const std::string_view name : {".", "..", "...", ".git", "a..b", "a."}) {
        const std::string url = keep("x", tenant(name));
        const fs::path path = fs::weakly_canonical(*storage_->path_of(url));
        EXPECT_EQ(path.parent_path().parent_path(), fs::path{storage_->folder()}) << name;
        EXPECT_TRUE(fs::exists(path)) << name;
    }
    // And each in a folder of its own.
    EXPECT_EQ(
        std::distance(fs::directory_iterator{storage_->folder()}, fs::directory_iterator{}), 6
    );
}

TEST_F(StorageTest, OnlyUrlsOfOursArePaths)
{
    const std::string name{uuid};
    const std::vector<std::string> strange = {
        "file:../" + name + ".csv",
        "file:./" + name + ".csv",
        "file:acme/../" + name + ".csv",
        "file:/etc/passwd",
        "file:acme/" + name + ".csv/x",
        "file:acme/" + name,
        "file:acme/..................................../.csv",
        "http:acme/" + name + ".csv",
        std::string{},
    };
    for (const std::string& url : strange) {
        const auto path = storage_->path_of(url);
        ASSERT_FALSE(path) << url;
        EXPECT_EQ(path.error().code, Errc::corrupt_record);
        EXPECT_FALSE(storage_->remove(url));
    }
}

TEST_F(StorageTest, RemovingTwiceIsFine)
{
    const std::string url = keep("x", tenant("acme"));

    EXPECT_TRUE(storage_->remove(url));
    EXPECT_FALSE(fs::exists(*storage_->path_of(url)));
    EXPECT_TRUE(storage_->remove(url));
}

TEST_F(StorageTest, ListsOldFilesOfItsOwn)
{
    const std::string url = keep("x", tenant("acme"));
    std::ofstream{storage_->folder() + "/acme/notes.txt"} << "mine";
    const Instant now = system_clock().realtime();

    EXPECT_TRUE(storage_->files_before(now - std::chrono::hours{1})->empty());
    EXPECT_EQ(*storage_->files_before(now + std::chrono::hours{1}), std::vector<std::string>{url});
}

TEST_F(StorageTest, AFolderThatCannotBeUsedIsTold)
{
    std::ofstream{folder_ + "/file"} << "x";

    const auto opened = Storage::open(folder_ + "/file/below");

    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Errc::misconfigured);
    EXPECT_NE(opened.error().detail.find("--mailing-storage"), std::string::npos);
}

}  // namespace
}  // namespace umavez::mailing
