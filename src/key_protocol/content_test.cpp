// Which bodies are the same: the cases of hazards F, and what retrying clients change.

#include "key_protocol/content.hpp"

#include "base/digest.hpp"

#include <gtest/gtest.h>

#include <string>

namespace umavez::key_protocol {
namespace {

using Read = std::expected<Fingerprint, http::Problem>;

Read read_lines(const std::vector<Header>& headers, std::string_view body)
{
    auto read = read_body(headers, body);
    if (!read) return std::unexpected(read.error());
    return read->fingerprint;
}

Read read(std::string media_type, std::string_view body)
{
    return read_lines({{"content-type", std::move(media_type)}}, body);
}

Fingerprint of(std::string media_type, std::string_view body)
{
    const Read fingerprint = read(std::move(media_type), body);
    EXPECT_TRUE(fingerprint) << fingerprint.error().detail.english;
    return fingerprint ? *fingerprint : Fingerprint{};
}

// "malformed-body: byte 3: …"
std::string refusal(const Read& fingerprint)
{
    if (fingerprint) return "accepted";
    EXPECT_FALSE(fingerprint.error().detail.portuguese.empty());
    return fingerprint.error().name + ": " + fingerprint.error().detail.english;
}

std::string refusal(std::string media_type, std::string_view body)
{
    return refusal(read(std::move(media_type), body));
}

const std::string json = "application/json";
const std::string form = "application/x-www-form-urlencoded";

TEST(Content, JsonIsComparedByValueWhateverItsTypeIsSpelledLike)
{
    const Fingerprint first = of(json, R"({"a":1,"b":[2,1]})");

    EXPECT_EQ(first, *fingerprint_json(R"({"a":1,"b":[2,1]})"));
    EXPECT_EQ(of("Application/JSON; charset=UTF-8", R"({ "b": [2, 1.0], "a": 1e0 })"), first);
    EXPECT_EQ(of("application/json;charset=\"utf-8\"", R"({"\u0061":1,"b":[2,1]})"), first);
    EXPECT_NE(of(json, R"({"a":1,"b":[1,2]})"), first);
}

TEST(Content, OtherMediaTypesOfJsonDiffer)
{
    const Fingerprint patch = of("application/merge-patch+json", R"({"a":1})");

    EXPECT_EQ(of("application/Merge-Patch+JSON;charset=utf-8", R"({ "a": 1.0 })"), patch);
    EXPECT_NE(of(json, R"({"a":1})"), patch);
    EXPECT_NE(of("application/json;version=2", R"({"a":1})"), of(json, R"({"a":1})"));
    EXPECT_NE(of("text/plain", R"({"a":1})"), of(json, R"({"a":1})"));
}

TEST(Content, MalformedJsonIsRefusedWithItsPlace)
{
    EXPECT_EQ(
        refusal(json, R"({"amount":1,"amount":100})"),
        "malformed-body: not valid JSON: byte 12: duplicate member name"
    );
    EXPECT_EQ(
        refusal(json, R"([1e400])"),
        "malformed-body: not valid JSON: byte 1: number beyond the range of a double"
    );
    EXPECT_EQ(
        refusal(json, "{} x"), "malformed-body: not valid JSON: byte 3: text after the value"
    );
    EXPECT_EQ(
        refusal("application/x+json", "\xef\xbb\xbf{}"),
        "malformed-body: not valid JSON: byte 0: byte order mark"
    );
}

TEST(Content, JsonIsNestedAtMost64Deep)
{
    const std::string deepest = std::string(64, '[') + std::string(64, ']');

    EXPECT_EQ(refusal(json, deepest), "accepted");
    EXPECT_EQ(
        refusal(json, "[" + deepest + "]"),
        "malformed-body: not valid JSON: byte 64: nested more than 64 levels deep"
    );
    EXPECT_NE(refusal(json, std::string(1'000'000, '[')), "accepted");
}

TEST(Content, JsonAndFormsAreUtf8)
{
    EXPECT_EQ(
        refusal("application/json; charset=utf-16", "{}"),
        "unsupported-media-type: the charset must be utf-8"
    );
    EXPECT_EQ(
        refusal(form + ";charset=latin1", "a=1"),
        "unsupported-media-type: the charset must be utf-8"
    );
    EXPECT_EQ(refusal("text/plain; charset=latin1", "\xe9"), "accepted");
}

TEST(Content, AbsentBodyAndSmallestDocumentsAllDiffer)
{
    const std::vector<Fingerprint> all{
        *read_lines({}, ""),
        of(json, R"("")"),
        of(json, "{}"),
        of(json, "null"),
        of(json, "[]"),
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(all[i], all[j]) << i << " " << j;
    }
}

TEST(Content, ATypeWithoutABodySaysNothing)
{
    EXPECT_EQ(of(json, ""), *read_lines({}, ""));
    EXPECT_EQ(of("multipart/form-data", ""), *read_lines({}, ""));
    EXPECT_EQ(*read_lines({}, ""), fingerprint_bytes("", ""));
}

TEST(Content, FormFieldsHaveNoOrderAcrossNamesAndKeepItWithinOne)
{
    const Fingerprint first = of(form, "a=1&b=2&a=3");

    EXPECT_EQ(of(form, "b=2&a=1&a=3"), first);
    EXPECT_EQ(of(form, "%61=1&&a=%33&b=2&"), first);
    EXPECT_NE(of(form, "a=3&b=2&a=1"), first);
    EXPECT_NE(of(form, "a=1&b=2"), first);
}

TEST(Content, FormSpellingIsDecodedAndPiecesDoNotRunTogether)
{
    EXPECT_EQ(of(form, "a=x+y&b"), of(form + "; charset=UTF-8", "a=x%20y&b="));
    EXPECT_NE(of(form, "ab=c"), of(form, "a=bc"));
    EXPECT_NE(of(form, "a=1%26b=2"), of(form, "a=1&b=2"));
    EXPECT_NE(of(form, "a=1"), of("text/plain", "a=1"));
    EXPECT_EQ(
        refusal(form, "a=1&b=%4"), "malformed-body: byte 6: two hexadecimal digits must follow %"
    );
    EXPECT_EQ(
        refusal(form, "%zz=1"), "malformed-body: byte 0: two hexadecimal digits must follow %"
    );
}

TEST(Content, AnythingElseIsComparedByNormalisedTypeAndBytes)
{
    const Fingerprint first = of("text/csv; header=present; charset=utf-8", "a,b");

    EXPECT_EQ(of("Text/CSV;Charset=\"UTF-8\";header=\"present\";", "a,b"), first);
    EXPECT_NE(of("text/csv; header=Present; charset=utf-8", "a,b"), first);
    EXPECT_NE(of("text/csv", "a,b"), first);
    EXPECT_NE(of("text/csv; header=present; charset=utf-8", "a,b\n"), first);
    EXPECT_EQ(*read_lines({}, "a,b"), fingerprint_bytes("", "a,b"));
}

TEST(Content, ATypeThatCannotBeReadIsRefused)
{
    const std::string unreadable = "unsupported-media-type: Content-Type cannot be read";
    for (const char* const value :
         {"",
          "json",
          "/",
          "a/",
          "a/b/c",
          "a/b;c",
          "a/b;c=\"x",
          "a/b;c=1;C=2",
          "a b/c",
          "text/plain, text/html"}) {
        EXPECT_EQ(refusal(value, "x"), unreadable) << value;
    }
    EXPECT_EQ(
        refusal(read_lines({{"Content-Type", json}, {"content-type", json}}, "{}")),
        "unsupported-media-type: Content-Type is given twice"
    );
}

// Records keep these digests, so they may not change under version 1. Computed outside of this
// project.
TEST(Content, DigestsArePinned)
{
    const Fingerprint of_form = of(form, "b=2&a=1&a=x+y");
    const Fingerprint of_parts =
        of("multipart/form-data; boundary=b",
           "--b\r\nContent-Disposition: form-data; name=\"nome\"\r\n\r\nAna\r\n--b--\r\n");
    const Fingerprint of_patch = of("application/merge-patch+json", R"({ "a": 1.0 })");

    EXPECT_EQ(
        to_hex(of_form.digest), "a428ad694d6b223cc91908f89dee2ce13c0adfffdb67f4c69bf2dd8b94438862"
    );
    EXPECT_EQ(
        to_hex(of_parts.digest), "1f62259b428c7bff1a8944264c27c1c471ac4bd3eb28892f5d0d499099ac5de7"
    );
    EXPECT_EQ(
        to_hex(of_patch.digest), "77c4b539007f8e08eaaf950c3d6e8490d4b5633484a2e021dad7f0a176b8124a"
    );
}

}  // namespace
}  // namespace umavez::key_protocol
