#include "modules/mailing/message_rules.hpp"

#include <gtest/gtest.h>

namespace umavez::mailing {
namespace {

// "assunto: it has …; …"
std::string said(const std::vector<http::FieldError>& errors)
{
    std::string text;
    for (const http::FieldError& error : errors) {
        EXPECT_FALSE(error.message.portuguese.empty());
        text += error.field + ": " + error.message.english + "; ";
    }
    return text;
}

std::string filename_error(std::string_view name)
{
    const auto error = check_filename("file", name);
    return error ? error->message.english : "";
}

MessageFields good()
{
    return {"Olá, {{nome}}", "Loja <news@loja.example>", "Oi\n\tlinha dois", ""};
}

TEST(MessageRules, AWholeMessageIsFine)
{
    EXPECT_EQ(said(check_fields(good())), "");
    EXPECT_EQ(said(missing_fields(good())), "");
    EXPECT_TRUE(MessageFields{}.is_empty());
    EXPECT_FALSE(good().is_empty());
}

TEST(MessageRules, ASubjectIsOneShortLine)
{
    MessageFields fields = good();
    fields.assunto = "a\r\nBcc: todos@loja.example";
    EXPECT_EQ(
        said(check_fields(fields)), "assunto: it must be one line without control characters; "
    );
    fields.assunto = std::string(256, 'x');
    EXPECT_EQ(said(check_fields(fields)), "assunto: it has at most 255 characters; ");
    fields.assunto.clear();
    for (int i = 0; i < 255; ++i) fields.assunto += "ç";
    EXPECT_EQ(said(check_fields(fields)), "");
    fields.assunto = "  ";
    EXPECT_EQ(said(check_fields(fields)), "assunto: it must show something; ");
    fields.assunto = "\xff";
    EXPECT_EQ(said(check_fields(fields)), "assunto: it is not UTF-8; ");
}

TEST(MessageRules, BodiesAreBounded)
{
    MessageFields fields = good();
    fields.texto = std::string(body_bytes_max, 'x');
    fields.html = std::string(body_bytes_max + 1, 'x');
    EXPECT_EQ(said(check_fields(fields)), "html: it has at most 256 KiB; ");
    fields.html = std::string{"a\0b", 3};
    EXPECT_EQ(said(check_fields(fields)), "html: it must not have control characters; ");
}

TEST(MessageRules, WhatIsMissingIsNamed)
{
    MessageFields fields;
    fields.html = "<p>oi</p>";
    EXPECT_EQ(
        said(missing_fields(fields)),
        "assunto: it is needed to send; remetente: it is needed to send; "
    );
    fields = good();
    fields.texto.clear();
    EXPECT_EQ(said(missing_fields(fields)), "texto: texto, html or both are needed to send; ");
}

TEST(MessageRules, NamesOfFilesLoseTheirFolders)
{
    EXPECT_EQ(strip_folders("a.csv"), "a.csv");
    EXPECT_EQ(strip_folders("/srv/ana/a.csv"), "a.csv");
    EXPECT_EQ(strip_folders(R"(C:\cartas\a.csv)"), "a.csv");
    EXPECT_EQ(strip_folders("../../etc/passwd"), "passwd");
    EXPECT_EQ(strip_folders("folder/"), "");

    EXPECT_EQ(filename_error("promoção.csv"), "");
    EXPECT_EQ(filename_error(std::string(255, 'x')), "");
    EXPECT_EQ(filename_error(""), "the file needs a name");
    EXPECT_NE(filename_error(std::string(256, 'x')), "");
    EXPECT_NE(filename_error("a\nb"), "");
    EXPECT_NE(
        filename_error("a\xc2\x85"
                       "b"),
        ""
    );
}

}  // namespace
}  // namespace umavez::mailing
