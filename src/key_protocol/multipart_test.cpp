// Multipart bodies as clients send them, with a new boundary in every attempt.

#include "key_protocol/multipart.hpp"

#include "key_protocol/content.hpp"

#include <gtest/gtest.h>

#include <string>

namespace umavez::key_protocol {
namespace {

struct Field {
    std::string headers;  // each line with its end
    std::string content;
};

std::string body_of(const std::vector<Field>& fields, const std::string& boundary)
{
    std::string body;
    for (const Field& field : fields) {
        body += "--" + boundary + "\r\n" + field.headers + "\r\n" + field.content + "\r\n";
    }
    return body + "--" + boundary + "--\r\n";
}

Fingerprint sent(const std::vector<Field>& fields, const std::string& boundary)
{
    const std::string body = body_of(fields, boundary);
    const auto read =
        read_body({{"Content-Type", "multipart/form-data; boundary=\"" + boundary + "\""}}, body);
    EXPECT_TRUE(read) << read.error().detail.english;
    return read ? read->fingerprint : Fingerprint{};
}

std::string refusal(std::string_view body, std::string_view boundary)
{
    const auto parts = parse_multipart(body, boundary);
    if (parts) return "accepted";
    EXPECT_FALSE(parts.error().reason_portuguese.empty());
    return std::to_string(parts.error().offset) + ": " + std::string{parts.error().reason};
}

const Field name{"Content-Disposition: form-data; name=\"nome\"\r\n", "Ana"};
const Field file{
    "Content-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\nContent-Type: "
    "text/csv\r\n",
    std::string{"x\r\n--y\r\n\0z", 10}
};

TEST(Multipart, TheBoundaryIsNotPartOfWhatWasSaid)
{
    const Fingerprint first = sent({name, file}, "----WebKitFormBoundary7MA4YWxk");

    EXPECT_EQ(sent({name, file}, "b"), first);
    EXPECT_EQ(sent({name, file}, "'()+_,-./:=? x"), first);
}

TEST(Multipart, WhatEachPartSaysIs)
{
    const Fingerprint first = sent({name, file}, "b");
    Field renamed = file;
    renamed.headers.replace(renamed.headers.find("a.csv"), 5, "b.csv");
    Field changed = file;
    changed.content += '\n';

    EXPECT_NE(sent({name, renamed}, "b"), first);
    EXPECT_NE(sent({name, changed}, "b"), first);
    EXPECT_NE(sent({file, name}, "b"), first);
    EXPECT_NE(sent({name}, "b"), first);
    EXPECT_NE(sent({name, file, file}, "b"), first);
}

TEST(Multipart, HeaderNamesHaveNoCase)
{
    EXPECT_EQ(
        sent({{"content-type:a/b \r\n", "x"}}, "b"), sent({{"Content-Type: a/b\r\n", "x"}}, "b")
    );
}

TEST(Multipart, PartsAreFoundByteForByte)
{
    const std::string body = body_of({name, file}, "y!");

    const auto parts = parse_multipart(body, "y!");

    ASSERT_TRUE(parts);
    ASSERT_EQ(parts->size(), 2u);
    EXPECT_EQ((*parts)[0].content, "Ana");
    EXPECT_EQ((*parts)[0].headers[0].first, "content-disposition");
    EXPECT_EQ((*parts)[1].content, file.content);
}

TEST(Multipart, PreambleEpilogueAndPaddingAreIgnored)
{
    const std::string wrapped = "hello\r\n--b \t\r\n\r\nx\r\n--b-- \r\nbye";

    const auto parts = parse_multipart(wrapped, "b");

    ASSERT_TRUE(parts);
    ASSERT_EQ(parts->size(), 1u);
    EXPECT_EQ((*parts)[0].content, "x");
}

TEST(Multipart, ALineThatOnlyBeginsLikeTheBoundaryIsContent)
{
    const auto parts = parse_multipart("--b\r\n\r\nx\r\n--bc\r\ny\r\n--b--", "b");

    ASSERT_TRUE(parts);
    ASSERT_EQ(parts->size(), 1u);
    EXPECT_EQ((*parts)[0].content, "x\r\n--bc\r\ny");
}

TEST(Multipart, EmptyPartsAndBodiesWithoutPartsAreRead)
{
    EXPECT_EQ(refusal("--b\r\n\r\n\r\n--b--", "b"), "accepted");
    EXPECT_EQ(refusal("--b--\r\n", "b"), "accepted");
}

TEST(Multipart, WhatBreaksOffIsRefusedWithItsPlace)
{
    EXPECT_EQ(refusal("x", "b"), "0: the first boundary is missing");
    EXPECT_EQ(refusal("--b\r\n\r\nx", "b"), "8: the closing boundary is missing");
    EXPECT_EQ(refusal("--b\n\nx\n--b--", "b"), "0: the first boundary is missing");
    EXPECT_EQ(
        refusal("--b\r\nA: 1\r\n--b--", "b"),
        "5: an empty line after the headers of a part is missing"
    );
    EXPECT_EQ(
        refusal("--b\r\n--b--", "b"), "5: an empty line after the headers of a part is missing"
    );
    EXPECT_EQ(
        refusal("--b\r\nno colon\r\n\r\nx\r\n--b--", "b"), "5: a header of a part cannot be read"
    );
    EXPECT_EQ(refusal("--\r\n", ""), "0: the boundary has 1 to 70 characters");
    EXPECT_EQ(refusal("x", std::string(71, 'b')), "0: the boundary has 1 to 70 characters");
}

TEST(Multipart, EveryPrefixOfABodyIsRefused)
{
    const std::string whole = body_of({name, file}, "b");
    const std::size_t closed = whole.size() - 2;  // the last line end is not needed

    for (std::size_t size = 0; size < closed; ++size) {
        EXPECT_NE(refusal(whole.substr(0, size), "b"), "accepted") << size;
    }
}

TEST(Multipart, ABoundaryMustBeNamed)
{
    const auto read = read_body({{"Content-Type", "multipart/form-data"}}, "--b--");

    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().name, "malformed-body");
}

}  // namespace
}  // namespace umavez::key_protocol
