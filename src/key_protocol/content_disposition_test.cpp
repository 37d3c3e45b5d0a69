#include "key_protocol/content_disposition.hpp"

#include <gtest/gtest.h>

namespace umavez::key_protocol {
namespace {

// "name|filename", "name" without one, "-" for what is refused.
std::string read(std::string_view value)
{
    const auto parsed = parse_form_disposition(value);
    if (!parsed) return "-";
    return parsed->filename ? parsed->name + "|" + *parsed->filename : parsed->name;
}

TEST(ContentDisposition, NamesAPartAndItsFile)
{
    EXPECT_EQ(read(R"(form-data; name="assunto")"), "assunto");
    EXPECT_EQ(read("Form-Data; NAME=texto"), "texto");
    EXPECT_EQ(read(R"(form-data; name="file"; filename="a; b.csv")"), "file|a; b.csv");
    EXPECT_EQ(read(R"(form-data; name="file"; filename="")"), "file|");
    EXPECT_EQ(read("form-data; name=\"file\"; filename=\"promoção.csv\""), "file|promoção.csv");
}

TEST(ContentDisposition, BackslashesAreThoseOfPaths)
{
    EXPECT_EQ(read(R"(form-data; name="f"; filename="C:\cartas\a.csv")"), R"(f|C:\cartas\a.csv)");
    EXPECT_EQ(read(R"(form-data; name="f"; filename="a\"b.csv")"), R"(f|a"b.csv)");
    EXPECT_EQ(read(R"(form-data; name="f"; filename="a\\b.csv")"), R"(f|a\b.csv)");
    EXPECT_EQ(read(R"(form-data; filename="C:\"; name="f")"), R"(f|C:\)");
}

TEST(ContentDisposition, TheExtendedNameIsPreferred)
{
    EXPECT_EQ(
        read(
            R"(form-data; name="f"; filename="promocao.csv"; filename*=UTF-8''promo%C3%A7%C3%A3o.csv)"
        ),
        "f|promoção.csv"
    );
    EXPECT_EQ(read("form-data; name=f; filename*=utf-8'pt'a%20b.csv"), "f|a b.csv");
}

TEST(ContentDisposition, AnythingElseIsRefused)
{
    EXPECT_EQ(read(""), "-");
    EXPECT_EQ(read("form-data"), "-");
    EXPECT_EQ(read("attachment; name=f"), "-");
    EXPECT_EQ(read("form-data; name=a; name=b"), "-");
    EXPECT_EQ(read("form-data; name=f; filename=a; filename=b"), "-");
    EXPECT_EQ(read(R"(form-data; name="f)"), "-");
    EXPECT_EQ(read("form-data; name=f; filename*=iso-8859-1''a"), "-");
    EXPECT_EQ(read("form-data; name=f; filename*=UTF-8''%zz"), "-");
    EXPECT_EQ(read("form-data; name=f; filename*=plain"), "-");
}

}  // namespace
}  // namespace umavez::key_protocol
