// Hostile values for mail: addresses, templates, messages.
//
// An input is lines (sender, recipient, subject, name and value of a header, value of a field) and a
// template. Whatever they are: an address that is accepted is plain, a message has exactly the headers it
// should have and lines that every server takes, its body decodes to what was rendered, and nothing in it
// ends it early.

#include "mail/address.hpp"
#include "mail/encoding.hpp"
#include "mail/mime.hpp"
#include "mail/smtp_url.hpp"
#include "mail/template.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace umavez;
using namespace umavez::mail;

void require(bool condition, const char* promise)
{
    if (condition) return;
    std::fprintf(stderr, "broken: %s\n", promise);
    std::abort();
}

std::string_view take_line(std::string_view& rest)
{
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
}

void try_address(std::string_view text)
{
    const auto address = normalise_address(text);
    if (!address) {
        require(!address.error().empty(), "a refusal has a reason");
        return;
    }
    require(normalise_address(*address) == *address, "an address stays as it is");
    require(std::ranges::count(*address, '@') == 1, "an address has one @");
    for (const char c : *address) {
        require(c > ' ' && c < 0x7f && c != '<' && c != '>' && c != '"', "an address is plain");
    }
    require(parse_mailbox("x <" + *address + ">")->address == *address, "it is a mailbox, too");
}

std::string decode_base64(std::string_view text)
{
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned group = 0;
    unsigned bits = 0;
    for (const char c : text) {
        if (c == '\r' || c == '\n' || c == '=') continue;
        const std::size_t value = letters.find(c);
        require(value != std::string_view::npos, "base64 has its letters");
        group = group << 6 | static_cast<unsigned>(value);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes += static_cast<char>(group >> bits & 0xff);
    }
    return bytes;
}

std::string decode_quoted(std::string_view text)
{
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '=') {
            bytes += text[i];
        } else if (text.substr(i).starts_with("=\r\n")) {
            i += 2;
        } else {
            const std::string digits{text.substr(i + 1, 2)};
            bytes += static_cast<char>(std::stoi(digits, nullptr, 16));
            i += 2;
        }
    }
    return bytes;
}

std::string to_lines(std::string_view text)
{
    std::string lines;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r' && text.substr(i + 1).starts_with('\n')) continue;
        lines += text[i] == '\r' || text[i] == '\n' ? std::string{"\r\n"} : std::string(1, text[i]);
    }
    return lines.ends_with("\r\n") ? lines : lines + "\r\n";
}

void check_lines(const std::string& message)
{
    require(message.ends_with("\r\n"), "a message ends with its last line");
    std::string_view rest = message;
    while (!rest.empty()) {
        const std::size_t end = rest.find("\r\n");
        const std::string_view line = rest.substr(0, end);
        require(line.size() <= 998, "lines are short");
        require(!line.starts_with('.'), "no line begins with a dot");
        for (const char c : line) require((c >= ' ' && c < 0x7f) || c == '\t', "lines are ASCII");
        rest.remove_prefix(end + 2);
    }
    require(to_smtp_lines(message) == message, "a message needs no stuffing");
}

void check_headers(std::string_view head, bool has_header)
{
    std::vector<std::string_view> expected{"From", "To", "Subject", "Date", "Message-ID"};
    if (has_header) expected.push_back("X-");
    expected.insert(expected.end(), {"MIME-Version", "Content-Type"});
    std::size_t count = 0;
    while (!head.empty()) {
        const std::size_t end = std::min(head.find("\r\n"), head.size());
        const std::string_view line = head.substr(0, end);
        head.remove_prefix(std::min(end + 2, head.size()));
        if (line.starts_with(' ')) continue;
        const bool is_known = count < expected.size() && line.starts_with(expected[count]);
        require(is_known || line.starts_with("Content-Transfer-Encoding: "), "no header but ours");
        count += is_known ? 1 : 0;
    }
    require(count == expected.size(), "every header of ours");
}

void check_body(const std::string& message, std::string_view text)
{
    const std::size_t end = message.find("\r\n\r\n");
    const std::string_view body = std::string_view{message}.substr(end + 4);
    // From the beginning of a line: the value of another header may end with the same words.
    const bool is_base64 = message.find("\r\nContent-Transfer-Encoding: base64\r\n") < end;
    require((is_base64 ? decode_base64(body) : decode_quoted(body)) == to_lines(text), "the text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string_view rest{reinterpret_cast<const char*>(data), size};
    static_cast<void>(parse_smtp_url(rest));
    const std::string from{take_line(rest)};
    const std::string to{take_line(rest)};
    const std::string subject{take_line(rest)};
    const std::string header{take_line(rest)};
    const std::string value{take_line(rest)};
    try_address(to);
    static_cast<void>(parse_mailbox(from));
    const auto parsed = Template::parse(rest);
    std::string text{rest};
    if (parsed) {
        const Template::Lookup lookup = [&](std::string_view) -> std::string_view { return value; };
        text = parsed->render(lookup, Escaping::none);
        static_cast<void>(parsed->render(lookup, Escaping::html));
    }
    Content content{
        .from = from,
        .to = to,
        .subject = subject,
        .text = text,
        .html = "",
        .message_id = value,
        .date = from_micros(1'760'000'000'000'000),
        .headers = {{"X-" + header, value}},
    };
    const std::string message = to_mime(content);
    check_lines(message);
    const bool has_header = std::ranges::all_of(header, [](char c) {
        return c == '-' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    });
    check_headers(std::string_view{message}.substr(0, message.find("\r\n\r\n")), has_header);
    check_body(message, text);
    content.html = value.empty() ? "x" : value;
    check_lines(to_mime(content));
    const std::string stuffed = to_smtp_lines(rest);
    require(!stuffed.starts_with(".\r\n"), "no dot ends it at once");
    require(stuffed.find("\r\n.\r\n") == std::string::npos, "no dot ends it early");
    return 0;
}
