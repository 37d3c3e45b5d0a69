// The public test vectors: RFC 8785 and JSONTestSuite. They are read where they lie, beside the
// project, and never copied into it.
//
// Where the expected text has the value that was written, ours must be equal to it byte for byte.
// Where RFC 8785 rounds to another number, ours must keep the value. Which of the two applies is
// decided by the reader of tests/fuzz, which shares no code with this folder.

#include "fuzz/reference_json.hpp"
#include "json/tree.hpp"

#include <umavez/fingerprint.hpp>

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace umavez {
namespace {

namespace fs = std::filesystem;

const fs::path vectors{UMAVEZ_VECTORS_DIR};

std::string read_file(const fs::path& path)
{
    std::ifstream file{path, std::ios::binary};
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::string decode_base64(std::string_view text)
{
    constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0;
    int count = 0;
    for (const char c : text.substr(0, text.find('='))) {
        bits = bits << 6 | static_cast<unsigned>(alphabet.find(c));
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += static_cast<char>(bits >> count & 0xff);
    }
    return bytes;
}

std::string shortest(double value)
{
    std::array<char, 40> text;
    constexpr auto format = std::chars_format::scientific;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, format).ptr};
}

std::string text_of(JsonValue object, std::string_view name)
{
    const auto member = object.find(name);
    return member ? std::string{member->string()} : std::string{};
}

// True if the expected text had to be ours to the byte.
bool check_canonical(const std::string& input, const std::string& expected)
{
    const auto canonical = canonical_json(input);
    EXPECT_TRUE(canonical) << input << ": " << canonical.error().detail;
    if (!canonical) return false;
    EXPECT_EQ(reference::read(*canonical), reference::read(input)) << *canonical;
    if (reference::read(expected) != reference::read(input)) return false;
    EXPECT_EQ(*canonical, expected);
    return true;
}

class Vectors : public testing::Test {
protected:
    void SetUp() override
    {
        if (!fs::exists(vectors)) GTEST_SKIP() << "no test vectors in " << vectors;
    }
};

TEST_F(Vectors, OfficialDocumentsHaveTheOfficialText)
{
    for (const std::string name : {"arrays", "french", "structures", "values"}) {
        const fs::path folder = vectors / "jcs/official";
        const std::string input = read_file(folder / "input" / (name + ".json"));

        const bool is_exact =
            check_canonical(input, read_file(folder / "output" / (name + ".json")));

        // values.json contains 333333333.33333329, which RFC 8785 rounds.
        EXPECT_EQ(is_exact, name != "values") << name;
    }
}

TEST_F(Vectors, DocumentsHaveTheExpectedTextOrRefusal)
{
    const std::string text = read_file(vectors / "jcs/documents.json");
    const auto list = JsonTree::parse(text);
    ASSERT_TRUE(list) << list.error().detail;

    int exact = 0;
    int refused = 0;
    for (const JsonValue document : list->root().elements()) {
        SCOPED_TRACE(text_of(document, "id") + " " + text_of(document, "name"));
        const std::string input = decode_base64(text_of(document, "input_base64"));
        if (text_of(document, "expect") == "ok") {
            exact += check_canonical(input, decode_base64(text_of(document, "output_base64")));
        } else {
            EXPECT_FALSE(canonical_json(input));
            ++refused;
        }
    }
    EXPECT_GE(exact, 45);
    EXPECT_GE(refused, 25);
}

TEST_F(Vectors, DoublesPrintAsEcmaScriptPrintsThem)
{
    int count = 0;
    for (const std::string name : {"es6-numbers-10000.csv", "rfc8785-appendix-b.csv"}) {
        std::ifstream file{vectors / "jcs" / name};
        for (std::string line; std::getline(file, line);) {
            const std::string expected = line.substr(line.find(',') + 1);
            const auto bits = std::stoull(line, nullptr, 16);
            const double value = std::bit_cast<double>(static_cast<std::uint64_t>(bits));
            if (!std::isfinite(value)) continue;

            EXPECT_TRUE(check_canonical(shortest(value), expected)) << line;
            EXPECT_TRUE(check_canonical(expected, expected)) << line;
            ++count;
        }
    }
    EXPECT_GE(count, 10'000);
}

TEST_F(Vectors, JsonTestSuiteIsAcceptedAndRefusedAsIJson)
{
    const std::string text = read_file(vectors / "json-test-suite/expected.json");
    const auto list = JsonTree::parse(text);
    ASSERT_TRUE(list) << list.error().detail;

    EXPECT_GE(list->root().elements().size(), 200u);
    for (const JsonValue file : list->root().elements()) {
        const std::string name = text_of(file, "file");
        SCOPED_TRACE(name);
        const std::string input = read_file(vectors / "json-test-suite/test_parsing" / name);
        const bool is_accepted = text_of(file, "ijson_strict") == "accept";

        EXPECT_EQ(fingerprint_json(input).has_value(), is_accepted);
        const std::string expected = decode_base64(text_of(file, "jcs_base64"));
        if (is_accepted && !expected.empty()) check_canonical(input, expected);
    }
}

TEST_F(Vectors, EveryFileOfTheSuiteIsReadAsTheReferenceReadsIt)
{
    for (const std::string folder : {"test_parsing", "test_transform"}) {
        for (const auto& file : fs::directory_iterator{vectors / "json-test-suite" / folder}) {
            const std::string text = read_file(file.path());

            EXPECT_EQ(canonical_json(text).has_value(), reference::read(text).has_value())
                << file.path();
        }
    }
}

}  // namespace
}  // namespace umavez
