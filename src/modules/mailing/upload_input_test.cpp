#include "modules/mailing/upload_input.hpp"

#include "key_protocol/test_spool.hpp"

#include <gtest/gtest.h>

namespace umavez::mailing {
namespace {

using key_protocol::FormPart;
using key_protocol::UploadForm;

// The names of the fields that are wrong, as the problem lists them.
std::string wrong_fields(const modules::Read<UploadInput>& read)
{
    if (read) return "";
    EXPECT_EQ(read.error().name, "validation");
    std::string names;
    for (const auto& member : read.error().members) {
        for (std::size_t at = member.json.find("\"field\":\""); at != std::string::npos;
             at = member.json.find("\"field\":\"", at + 1)) {
            const std::size_t begin = at + 9;
            names += member.json.substr(begin, member.json.find('"', begin) - begin) + " ";
        }
    }
    return names;
}

UploadForm form_with(std::vector<std::pair<std::string, std::string>> fields)
{
    return {
        .files = {FormPart{.name = "file", .filename = "news.csv", .offset = 10, .bytes = 20}},
        .fields = std::move(fields),
    };
}

modules::Read<UploadInput> read_form(const UploadForm& form)
{
    return read_form_upload(form, http::Request{}, http::Language::english);
}

TEST(UploadInput, AFormWithAMessage)
{
    const auto read = read_form(form_with(
        {{"assunto", "Oi"},
         {"remetente", "news@loja.example"},
         {"html", "<p>oi</p>"},
         {"incerteza", "ao-menos-uma"},
         {"dedupe", "content"}}
    ));

    ASSERT_TRUE(read) << wrong_fields(read);
    EXPECT_EQ(read->filename, "news.csv");
    EXPECT_EQ(read->range.offset, 10u);
    EXPECT_EQ(read->range.bytes, 20u);
    EXPECT_EQ(read->message, (Message{"Oi", "news@loja.example", "", "<p>oi</p>"}));
    EXPECT_EQ(read->incerteza, Incerteza::ao_menos_uma);
    EXPECT_EQ(read->dedupes_by_content, true);
}

TEST(UploadInput, WithoutAMessageItIsADraft)
{
    const auto read = read_form(form_with({{"assunto", ""}, {"texto", ""}}));

    ASSERT_TRUE(read);
    EXPECT_FALSE(read->message);
    EXPECT_FALSE(read->dedupes_by_content);
}

TEST(UploadInput, HalfAMessageNamesTheRest)
{
    EXPECT_EQ(wrong_fields(read_form(form_with({{"assunto", "Oi"}}))), "remetente texto ");
    EXPECT_EQ(wrong_fields(read_form(form_with({{"texto", "Oi"}}))), "assunto remetente ");
}

TEST(UploadInput, WordsAreChecked)
{
    EXPECT_EQ(wrong_fields(read_form(form_with({{"incerteza", "talvez"}}))), "incerteza ");
    EXPECT_EQ(wrong_fields(read_form(form_with({{"dedupe", "name"}}))), "dedupe ");
    EXPECT_EQ(wrong_fields(read_form(form_with({{"asunto", "Oi"}}))), "asunto ");
    EXPECT_EQ(
        wrong_fields(read_form(form_with({{"dedupe", "content"}, {"dedupe", "content"}}))),
        "dedupe "
    );
}

TEST(UploadInput, OneFileThatIsNotEmptyAndHasAName)
{
    UploadForm form = form_with({});
    form.files.push_back(form.files.front());
    EXPECT_EQ(wrong_fields(read_form(form)), "file ");
    form.files.clear();
    EXPECT_EQ(wrong_fields(read_form(form)), "file ");
    form.fields = {{"file", "a,b"}};
    EXPECT_EQ(wrong_fields(read_form(form)), "file ");
    form = form_with({});
    form.files.front().bytes = 0;
    EXPECT_EQ(wrong_fields(read_form(form)), "file ");
    form = form_with({});
    form.files.front().filename = "folder/";
    EXPECT_EQ(wrong_fields(read_form(form)), "file ");
    form = form_with({});
    form.files.front().name = "anexo";
    EXPECT_EQ(wrong_fields(read_form(form)), "anexo file ");
}

TEST(UploadInput, ABareFileHasItsNameInTheQuery)
{
    http::Request request;
    request.spooled = key_protocol::spooled("email\n");
    EXPECT_EQ(wrong_fields(read_bare_upload(request, http::Language::english)), "filename ");
    request.parameters = {{"filename", "dir/news.csv"}, {"dedupe", "content"}};
    const auto read = read_bare_upload(request, http::Language::english);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->filename, "news.csv");
    EXPECT_EQ(read->range.bytes, 6u);
    EXPECT_FALSE(read->message);
    EXPECT_EQ(read->dedupes_by_content, true);
    EXPECT_EQ(
        wrong_fields(read_form_upload(form_with({}), request, http::Language::english)), "filename "
    );
}

}  // namespace
}  // namespace umavez::mailing
