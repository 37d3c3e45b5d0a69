#include "mail/mime.hpp"

#include "base/char_set.hpp"
#include "base/digest.hpp"
#include "mail/address.hpp"
#include "mail/encoding.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>

namespace umavez::mail {
namespace {

constexpr std::size_t id_digits = 40;  // 160 bits: nobody's by chance, and the line stays short
constexpr std::size_t quoted_name_max = 60;

constexpr CharSet header_name_chars{[](unsigned char byte) {
    return is_letter_or_digit(byte) || byte == '-';
}};
constexpr CharSet printable{[](unsigned char byte) { return byte == ' ' || is_visible(byte); }};
// Of an address or an id between brackets.
constexpr CharSet bracketed_chars{[](unsigned char byte) {
    return is_visible(byte) && byte != '<' && byte != '>';
}};

std::string bracketed(std::string_view text)
{
    std::string kept = "<";
    for (const char c : text) {
        if (bracketed_chars.has(c)) kept += c;
    }
    return kept + ">";
}

std::string make_from(std::string_view from)
{
    const auto mailbox = parse_mailbox(from);
    if (!mailbox) return make_plain_header("From", bracketed(from));
    const std::string name = to_one_line(mailbox->name);
    if (name.empty()) return make_plain_header("From", mailbox->address);
    const bool is_plain = printable.has_all(name) && name.size() <= quoted_name_max &&
                          name.find("=?") == std::string::npos;
    if (!is_plain) {
        constexpr std::string_view begin = "From: ";
        return fmt::format(
            "{}{}\r\n <{}>\r\n", begin, to_encoded_words(name, begin.size()), mailbox->address
        );
    }
    std::string quoted;
    for (const char c : name) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return fmt::format("From: \"{}\"\r\n <{}>\r\n", quoted, mailbox->address);
}

// RFC 5322 has its own words for days and months, whatever the locale.
std::string to_rfc5322(Instant instant)
{
    constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array months{
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
    };
    const auto day = std::chrono::floor<std::chrono::days>(instant);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::seconds>(instant - day)};
    return fmt::format(
        "{}, {:02} {} {:04} {:02}:{:02}:{:02} +0000",
        days.at(std::chrono::weekday{day}.c_encoding()),
        static_cast<unsigned>(date.day()),
        months.at(static_cast<unsigned>(date.month()) - 1),
        static_cast<int>(date.year()),
        time.hours().count(),
        time.minutes().count(),
        time.seconds().count()
    );
}

void append_part(std::string& to, std::string_view subtype, std::string_view body)
{
    const EncodedBody encoded = encode_body(body);
    to += fmt::format(
        "Content-Type: text/{}; charset=utf-8\r\nContent-Transfer-Encoding: {}\r\n\r\n",
        subtype,
        encoded.name
    );
    to += encoded.text;
}

void append_alternatives(std::string& to, const Content& content)
{
    // No encoded body has "=_", so this cannot occur in one.
    const std::string boundary = "=_" + to_hex(sha256(content.message_id)).substr(0, 24);
    to += fmt::format("Content-Type: multipart/alternative;\r\n boundary=\"{}\"\r\n", boundary);
    to += fmt::format("\r\n--{}\r\n", boundary);
    append_part(to, "plain", content.text);
    to += fmt::format("\r\n--{}\r\n", boundary);
    append_part(to, "html", content.html);
    to += fmt::format("\r\n--{}--\r\n", boundary);
}

}  // namespace

std::string to_mime(const Content& content)
{
    std::string message = make_from(content.from);
    message.reserve(1024 + content.text.size() * 4 / 3 + content.html.size() * 4 / 3);
    message += make_plain_header("To", bracketed(content.to));
    message += make_text_header("Subject", content.subject);
    message += make_plain_header("Date", to_rfc5322(content.date));
    message += make_plain_header("Message-ID", bracketed(content.message_id));
    for (const auto& [name, value] : content.headers) {
        if (!name.empty() && header_name_chars.has_all(name)) {
            message += make_plain_header(name, value);
        }
    }
    message += "MIME-Version: 1.0\r\n";
    if (!content.text.empty() && !content.html.empty()) {
        append_alternatives(message, content);
    } else if (!content.html.empty()) {
        append_part(message, "html", content.html);
    } else {
        append_part(message, "plain", content.text);
    }
    return message;
}

std::string make_message_id(
    std::string_view mailing_uuid, std::string_view email, std::string_view domain
)
{
    Hasher hasher;
    hasher.part(mailing_uuid);
    hasher.part(email);
    return fmt::format("{}@{}", to_hex(hasher.finish()).substr(0, id_digits), domain);
}

}  // namespace umavez::mail
