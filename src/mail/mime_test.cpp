// Messages read back by Python's email package: what a reader sees is what was meant.

#include "mail/mime.hpp"

#include "base/json_object.hpp"
#include "mail/address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace umavez::mail {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

constexpr Instant noon = from_micros(1'760'000'000'000'000);

Content make_content()
{
    return {
        .from = "Loja <news@loja.example>",
        .to = "ana@cliente.example",
        .subject = "Oi",
        .text = "Olá",
        .html = "",
        .message_id = "0123@loja.example",
        .date = noon,
    };
}

TEST(MimeTest, ASmallMessageByteByByte)
{
    Content content = make_content();
    content.headers = {{"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"}};
    EXPECT_EQ(
        to_mime(content),
        "From: \"Loja\"\r\n <news@loja.example>\r\n"
        "To: <ana@cliente.example>\r\n"
        "Subject: Oi\r\n"
        "Date: Thu, 09 Oct 2025 08:53:20 +0000\r\n"
        "Message-ID: <0123@loja.example>\r\n"
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"
        "MIME-Version: 1.0\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n"
        "Content-Transfer-Encoding: base64\r\n"
        "\r\n"
        "T2zDoQ0K\r\n"
    );
}

TEST(MimeTest, TheSameEveryTime)
{
    Content content = make_content();
    content.html = "<p>Olá</p>";
    EXPECT_EQ(to_mime(content), to_mime(content));
}

TEST(MimeTest, MessageIdsAreOfMailingAndRecipient)
{
    const std::string id = make_message_id("0190-a", "ana@cliente.example", "loja.example");
    EXPECT_EQ(id, make_message_id("0190-a", "ana@cliente.example", "loja.example"));
    EXPECT_NE(id, make_message_id("0190-b", "ana@cliente.example", "loja.example"));
    EXPECT_NE(id, make_message_id("0190-a", "bia@cliente.example", "loja.example"));
    EXPECT_NE(id, make_message_id("0190-aa", "na@cliente.example", "loja.example"));
    EXPECT_EQ(id.size(), 40 + "@loja.example"s.size());
}

TEST(MimeTest, GarbageIsStillOneMessage)
{
    Content content = make_content();
    content.from = "nobody\r\nBcc: x@y.example";
    content.to = "a@b.example>\r\nBcc: <x@y.example";
    content.message_id = "a b\r\n>c";
    content.headers = {{"Bad Name", "x"}, {"Bad:", "x"}, {"", "x"}, {"X-Ok", "a\r\nBcc: b"}};
    const std::string message = to_mime(content);
    EXPECT_THAT(message, Not(HasSubstr("\nBcc")));
    EXPECT_THAT(message, Not(HasSubstr("Bad")));
    EXPECT_THAT(message, HasSubstr("X-Ok: a Bcc: b\r\n"));
}

// What awkward values there are, alone and together.
std::vector<Content> make_awkward()
{
    const std::vector<std::string> texts{
        "Olá, João! Promoção: ação é só amanhã",
        "🎉🎉🎉 " + std::string(60, 'x') + " 🎉",
        "=?utf-8?Q?n=C3=A3o?= não é",
        "=?utf-8?B?T2zDoQ==?=",
        std::string(2000, 'y'),
        std::string(500, 'z') + " é " + std::string(500, 'z'),
        "dois  espaços e fim ",
        " começo",
        "\"aspas\" <x@y.example>, (coment) \\ ; :",
        "日本語の件名はとても長いので何行にもなる日本語の件名はとても長いので何行にもなる",
        "palavra " + std::string(66, 'w') + " palavra palavra palavra palavra palavra",
    };
    const std::vector<std::string> bodies{
        "uma linha",
        ".\n..\n.começo com ponto\nFrom alguém\n\n\nfim sem quebra",
        std::string(5000, 'l') + "\n" + std::string(3000, '.') + "\n",
        "LF\nCR\rCRLF\r\nfim \nespaço \t\n",
        "--=_0123\n--\n=_\n= =\n",
        "emoji 🎉 " + std::string(998, 'x') + "é\n",
        "すべて日本語の本文です。\nすべて日本語の本文です。\n",
        "\n",
    };
    std::vector<Content> contents;
    for (const std::string& text : texts) {
        Content content = make_content();
        content.subject = text;
        content.text = bodies[contents.size() % bodies.size()];
        contents.push_back(content);
    }
    for (const std::string& body : bodies) {
        Content content = make_content();
        content.text = body;
        content.html = "<p>" + body + "</p>";
        contents.push_back(content);
        content.text.clear();
        contents.push_back(content);
    }
    for (const std::string name :
         {"João da Loja 🎉", "Loja, \\\"A\\\" Ltda", "=?utf-8?Q?x?=", "Loja (SP): ofertas; já"}) {
        Content content = make_content();
        content.from = "\"" + name + "\" <news@loja.example>";
        content.headers = {
            {"List-Unsubscribe", "<https://loja.example/u/1-" + std::string(80, 'a') + ">"}
        };
        contents.push_back(content);
    }
    return contents;
}

std::string to_lf(std::string_view text)
{
    std::string lines;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r' && text.substr(i + 1).starts_with('\n')) continue;
        lines += text[i] == '\r' ? '\n' : text[i];
    }
    if (!lines.ends_with('\n')) lines += '\n';
    return lines;
}

std::string to_expected(const Content& content)
{
    const auto from = parse_mailbox(content.from);
    JsonObject headers;
    for (const auto& [name, value] : content.headers) headers.text(name, value);
    JsonObject expected;
    expected.text("from_name", from->name)
        .text("from_address", from->address)
        .text("to", content.to)
        .text("subject", content.subject)
        .text("message_id", "<" + content.message_id + ">")
        .number("date", to_micros(content.date) / 1'000'000)
        .raw("headers", headers.str());
    if (!content.text.empty()) expected.text("text", to_lf(content.text));
    if (!content.html.empty()) expected.text("html", to_lf(content.html));
    return expected.str();
}

TEST(MimeTest, PythonReadsWhatWasMeant)
{
    std::string pattern = (fs::temp_directory_path() / "umavez-mime-XXXXXX").string();
    const fs::path folder = ::mkdtemp(pattern.data());
    const auto contents = make_awkward();
    for (std::size_t i = 0; i < contents.size(); ++i) {
        const std::string stem = folder / ("m" + std::to_string(i));
        std::ofstream{stem + ".eml", std::ios::binary} << to_mime(contents[i]);
        std::ofstream{stem + ".json"} << to_expected(contents[i]);
    }
    const std::string command =
        "/usr/bin/python3 " UMAVEZ_READ_MIME " " + folder.string() + " 2>&1";
    std::string said;
    FILE* const output = ::popen(command.c_str(), "r");
    ASSERT_NE(output, nullptr);
    for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) said += static_cast<char>(c);
    ::pclose(output);
    EXPECT_EQ(said, std::to_string(contents.size()) + " messages read as meant\n");
    fs::remove_all(folder);
}

}  // namespace
}  // namespace umavez::mail
