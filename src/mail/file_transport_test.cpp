// Messages in a folder: each once, and every hand-over counted.

#include "mail/mime.hpp"
#include "mail/transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdlib.h>

namespace umavez::mail {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FileTransportTest : public testing::Test {
protected:
    FileTransportTest()
    {
        std::string pattern = (fs::temp_directory_path() / "umavez-eml-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    ~FileTransportTest() override { fs::remove_all(folder_); }

    static std::string message(const std::string& id, const std::string& text)
    {
        return to_mime({
            .from = "news@loja.example",
            .to = "ana@cliente.example",
            .subject = "Oi",
            .text = text,
            .html = "",
            .message_id = id,
            .date = from_micros(0),
        });
    }
    static std::string read(const fs::path& path)
    {
        std::ifstream file{path, std::ios::binary};
        return {std::istreambuf_iterator<char>{file}, {}};
    }
    std::vector<std::string> names() const
    {
        std::vector<std::string> found;
        for (const auto& entry : fs::directory_iterator{folder_ / "a" / "b"}) {
            found.push_back(entry.path().filename());
        }
        return found;
    }

    fs::path folder_;
};

TEST_F(FileTransportTest, OneFileForEachMessageAndALineForEachHandOver)
{
    auto transport = make_transport({.url = "file:" + (folder_ / "a" / "b").string()});
    ASSERT_TRUE(transport);
    const Envelope envelope{"news@loja.example", "ana@cliente.example"};
    const Delivered first = (*transport)->send(envelope, message("1@x", "um"), {});
    EXPECT_EQ(first.verdict, Verdict::accepted) << first.detail;
    EXPECT_EQ(first.external_id, "1@x.eml");
    const std::string again = message("1@x", "de novo");
    EXPECT_EQ((*transport)->send(envelope, again, {}).verdict, Verdict::accepted);
    EXPECT_EQ(
        (*transport)->send(envelope, message("../2@x", "dois"), {}).verdict, Verdict::accepted
    );
    EXPECT_THAT(names(), testing::UnorderedElementsAre("1@x.eml", "_._2@x.eml", "sent.log"));
    EXPECT_EQ(read(folder_ / "a" / "b" / "1@x.eml"), again);
    EXPECT_EQ(
        read(folder_ / "a" / "b" / "sent.log"),
        "{\"message_id\":\"1@x\",\"to\":\"ana@cliente.example\"}\n"
        "{\"message_id\":\"1@x\",\"to\":\"ana@cliente.example\"}\n"
        "{\"message_id\":\"../2@x\",\"to\":\"ana@cliente.example\"}\n"
    );
}

TEST_F(FileTransportTest, AFolderThatCannotBeIsUnreachable)
{
    std::ofstream{folder_ / "file"} << "x";
    auto transport = make_transport({.url = "file:" + (folder_ / "file").string()});
    const Delivered delivered = (*transport)->send({"a@b.example", "c@d.example"}, "x", {});
    EXPECT_EQ(delivered.verdict, Verdict::unreachable);
    EXPECT_THAT(delivered.detail, HasSubstr((folder_ / "file").string()));
}

TEST_F(FileTransportTest, AStopLeavesNothing)
{
    auto transport = make_transport({.url = "file:" + (folder_ / "a" / "b").string()});
    std::stop_source stop;
    stop.request_stop();
    const Delivered delivered =
        (*transport)->send({"a@b.example", "c@d.example"}, message("1@x", ""), stop.get_token());
    EXPECT_EQ(delivered.verdict, Verdict::unreachable);
    EXPECT_FALSE(fs::exists(folder_ / "a"));
}

}  // namespace
}  // namespace umavez::mail
