// Forms in files: the same parts as in memory, whatever the windows cut, and in bounded memory.

#include "key_protocol/multipart_file.hpp"

#include "key_protocol/multipart.hpp"
#include "key_protocol/test_spool.hpp"

#include <gtest/gtest.h>

#include <random>

namespace umavez::key_protocol {
namespace {

std::string part(const std::string& disposition, const std::string& content)
{
    return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n";
}

// "name|filename=content, …" or the fault.
std::string found(const std::string& body, std::string_view boundary = "b")
{
    const auto spool = spooled(body);
    const auto parts = find_form_parts(spool->file(), boundary);
    EXPECT_TRUE(parts) << parts.error().detail;
    if (!*parts) {
        EXPECT_FALSE(parts->error().reason_portuguese.empty());
        return std::to_string(parts->error().offset) + ": " + std::string{parts->error().reason};
    }
    std::string said;
    for (const FormPart& one : **parts) {
        if (!said.empty()) said += ", ";
        said += one.name + (one.filename ? "|" + *one.filename : "") + "=";
        said += one.bytes <= 100 ? read_form_part(spool->file(), one).value_or("error")
                                 : std::to_string(one.bytes);
    }
    return said;
}

TEST(MultipartFile, FindsFieldsAndFiles)
{
    EXPECT_EQ(
        found(
            "preamble\r\n" + part("name=assunto", "Oi") +
            part("name=file; filename=a.csv", "x\r\n--y") + part("name=vazio", "") +
            "--b--\r\nepilogue"
        ),
        "assunto=Oi, file|a.csv=x\r\n--y, vazio="
    );
    EXPECT_EQ(found("--b--"), "");
}

TEST(MultipartFile, SaysWhatIsWrongAndWhere)
{
    const std::string good = part("name=a", "1");

    EXPECT_EQ(found(""), "0: the first boundary is missing");
    EXPECT_EQ(found(good, "c"), "0: the first boundary is missing");
    EXPECT_EQ(found(good), std::to_string(good.size()) + ": the closing boundary is missing");
    EXPECT_EQ(found("--b\r\nX\r\n\r\n\r\n--b--"), "5: a header of a part cannot be read");
    EXPECT_EQ(
        found("--b\r\nX: y\r\n\r\n1\r\n--b--"),
        "13: a part has no Content-Disposition: form-data with a name"
    );
    EXPECT_EQ(
        found("--b\r\nX: y\r\n--b--"), "5: an empty line after the headers of a part is missing"
    );
    EXPECT_EQ(found("x", std::string(71, 'b')), "0: the boundary has 1 to 70 characters");
}

TEST(MultipartFile, HeadsAndNumbersOfPartsAreBounded)
{
    const std::string long_head =
        part("name=a; x=" + std::string(form_part_head_bytes_max, 'x'), "1");
    std::string many;
    for (std::size_t i = 0; i <= form_parts_max; ++i) many += part("name=a", "");

    EXPECT_EQ(found(long_head + "--b--"), "5: the headers of a part are too long");
    EXPECT_NE(found(many + "--b--").find("there are too many parts"), std::string::npos);
}

// The boundary wanders over the ends of the windows.
TEST(MultipartFile, WindowsCutNothing)
{
    for (std::size_t size = 65'400; size < 65'560; ++size) {
        const std::string body =
            part("name=file; filename=f", std::string(size, '\r')) + part("name=a", "1") + "--b--";
        ASSERT_EQ(found(body), "file|f=" + std::to_string(size) + ", a=1");
    }
}

// What nearly is a boundary, millions of times: each byte is looked at a few times, not each window.
TEST(MultipartFile, FakesAreCheap)
{
    std::string fakes;
    while (fakes.size() < 4'000'000) fakes += "\r\n--bx";
    const std::string body = part("name=file; filename=f", fakes) + "--b--";

    EXPECT_EQ(found(body), "file|f=" + std::to_string(fakes.size()));
}

// Against the parser in memory, on bodies made of what matters to both.
TEST(MultipartFile, AgreesWithTheParserInMemory)
{
    const std::vector<std::string> pieces = {
        "--b",
        "\r\n",
        "--",
        " ",
        "b",
        "Content-Disposition: form-data; name=a\r\n",
        "\r\n\r\n",
        "x",
        "\r",
        "\n",
        "\r\n--b\r\n",
        "\r\n--b--",
    };
    std::mt19937 random{7};
    for (int round = 0; round < 3000; ++round) {
        std::string body;
        for (int i = 0; i < 12; ++i) body += pieces[random() % pieces.size()];
        const auto memory = parse_multipart(body, "b");
        const auto spool = spooled(body);
        const auto file = find_form_parts(spool->file(), "b");
        ASSERT_TRUE(file);
        if (!memory) {
            ASSERT_FALSE(*file) << body;
            continue;
        }
        if (!*file) {
            ASSERT_EQ(file->error().reason.find("a part has no"), 0u) << body;
            continue;
        }
        ASSERT_EQ((*file)->size(), memory->size()) << body;
        for (std::size_t i = 0; i < memory->size(); ++i) {
            ASSERT_EQ(*read_form_part(spool->file(), (**file)[i]), (*memory)[i].content) << body;
        }
    }
}

}  // namespace
}  // namespace umavez::key_protocol
