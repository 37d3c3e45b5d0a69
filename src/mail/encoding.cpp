#include "mail/encoding.hpp"

#include "base/char_set.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace umavez::mail {
namespace {

constexpr std::size_t body_columns = 76;  // RFC 2045
constexpr std::size_t header_columns =
    76;  // RFC 2047 for lines with encoded words; RFC 5322 would like 78
constexpr std::size_t unfolded_max = 900;  // RFC 5322 has 998 for a line
constexpr std::string_view word_begin = "=?utf-8?B?";
constexpr std::string_view word_end = "?=";
constexpr std::string_view line_end = "\r\n";

constexpr CharSet printable{[](unsigned char byte) { return byte == ' ' || is_visible(byte); }};
constexpr CharSet unbroken{[](unsigned char byte) { return byte != '\r' && byte != '\n'; }};
constexpr CharSet literal_chars{[](unsigned char byte) {
    return (byte == ' ' || byte == '\t' || is_visible(byte)) && byte != '=';
}};

void append_base64(std::string& to, std::string_view bytes)
{
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t j = i; j < i + 3; ++j) {
            group = group << 8 | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0u);
        }
        const std::size_t letter_count = std::min<std::size_t>(bytes.size() - i, 3) + 1;
        for (std::size_t j = 0; j < 4; ++j) {
            to += j < letter_count ? letters[group >> (18 - 6 * j) & 0x3f] : '=';
        }
    }
}

void append_hex(std::string& to, char c)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    to += '=';
    to += digits[byte >> 4];
    to += digits[byte & 0xf];
}

// One line of the text, without its end, in as many lines as it needs.
void append_quoted_line(std::string& to, std::string_view line)
{
    std::size_t column = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool is_last = i + 1 == line.size();
        const bool is_blank_end = is_last && (line[i] == ' ' || line[i] == '\t');
        // A dot at the start of a line ends a message where a server is careless, and "From " begins another.
        const bool is_risky =
            column == 0 && (line[i] == '.' || line.substr(i).starts_with("From "));
        const bool is_literal = literal_chars.has(line[i]) && !is_blank_end && !is_risky;
        const std::size_t needed = is_literal ? 1 : 3;
        if (column + needed > body_columns - (is_last ? 0 : 1)) {
            to += "=\r\n";
            column = 0;
            --i;
            continue;
        }
        if (is_literal) {
            to += line[i];
        } else {
            append_hex(to, line[i]);
        }
        column += needed;
    }
    to += line_end;
}

std::string to_crlf(std::string_view text)
{
    std::string lines;
    lines.reserve(text.size() + text.size() / 16 + 2);
    while (!text.empty()) {
        const std::size_t end = unbroken.count_first(text);
        lines += text.substr(0, end);
        lines += line_end;
        text.remove_prefix(end);
        if (text.starts_with(line_end)) text.remove_prefix(1);
        if (!text.empty()) text.remove_prefix(1);
    }
    if (lines.empty()) lines = line_end;
    return lines;
}

std::string to_quoted_printable(std::string_view lines)
{
    std::string encoded;
    encoded.reserve(lines.size() + lines.size() / 4);
    while (!lines.empty()) {
        const std::size_t end = lines.find(line_end);
        append_quoted_line(encoded, lines.substr(0, end));
        lines.remove_prefix(end + line_end.size());
    }
    return encoded;
}

std::string to_base64_lines(std::string_view lines)
{
    constexpr std::size_t bytes_per_line = body_columns / 4 * 3;
    std::string encoded;
    encoded.reserve(lines.size() * 3 / 2);
    for (; !lines.empty(); lines.remove_prefix(std::min(bytes_per_line, lines.size()))) {
        append_base64(encoded, lines.substr(0, bytes_per_line));
        encoded += line_end;
    }
    return encoded;
}

// Folded before a word that would stick out, but not right after the name, which some readers do not bear.
// A word that no line can hold is cut. `header` has single spaces.
std::string fold(std::string_view header)
{
    std::string folded;
    std::size_t column = 0;
    bool has_name = false;
    for (std::string_view rest = header; !rest.empty();) {
        // A word and the space before it.
        const std::size_t end = std::min({rest.find(' ', 1), rest.size(), unfolded_max});
        if (has_name && rest.starts_with(' ') && column + end > header_columns) {
            folded += line_end;
            column = 0;
        } else if (column > 0 && column + end > unfolded_max + header_columns) {
            folded += "\r\n ";
            column = 1;
        }
        has_name = column > 0;
        folded += rest.substr(0, end);
        column += end;
        rest.remove_prefix(end);
    }
    folded += line_end;
    return folded;
}

// ASCII that reads back the same after folding.
bool is_plain(std::string_view text, std::size_t room)
{
    if (!printable.has_all(text) || text.find("=?") != std::string_view::npos) return false;
    if (text.starts_with(' ') || text.ends_with(' ') || text.find("  ") != std::string_view::npos) {
        return false;
    }
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end > room) return false;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return true;
}

}  // namespace

std::string to_one_line(std::string_view text)
{
    std::string line;
    line.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8_sequence_length(text);
        if (length == 0) {
            line += "\xef\xbf\xbd";
            text.remove_prefix(1);
            continue;
        }
        std::string_view rest = text;
        if (is_control(take_character(rest))) {
            line += ' ';
        } else {
            line += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return line;
}

EncodedBody encode_body(std::string_view text)
{
    const std::string lines = to_crlf(text);
    const auto escaped = static_cast<std::size_t>(std::ranges::count_if(lines, [](char c) {
        return static_cast<unsigned char>(c) >= 0x7f;
    }));
    // Each of these grows to three bytes; base64 grows everything by a third.
    if (escaped > lines.size() / 6) return {"base64", to_base64_lines(lines)};
    return {"quoted-printable", to_quoted_printable(lines)};
}

std::string to_encoded_words(std::string_view text, std::size_t column)
{
    std::string words;
    for (bool is_first = true; is_first || !text.empty(); is_first = false) {
        if (!is_first) {
            words += "\r\n ";
            column = 1;
        }
        const std::size_t used = column + word_begin.size() + word_end.size();
        const std::size_t room = used < header_columns ? (header_columns - used) / 4 * 3 : 0;
        std::size_t bytes = 0;  // whole characters only
        while (bytes < text.size()) {
            const std::size_t length = utf8_sequence_length(text.substr(bytes));
            if (bytes + length > room) break;
            bytes += length;
        }
        if (bytes == 0 && !text.empty()) continue;  // on the next line
        words += word_begin;
        append_base64(words, text.substr(0, bytes));
        words += word_end;
        text.remove_prefix(bytes);
    }
    return words;
}

std::string to_smtp_lines(std::string_view message)
{
    std::string lines = to_crlf(message);
    if (lines.starts_with('.')) lines.insert(0, 1, '.');
    for (std::size_t at = lines.find("\r\n."); at != std::string::npos;
         at = lines.find("\r\n.", at + 4)) {
        lines.insert(at + 2, 1, '.');
    }
    return lines;
}

std::string make_text_header(std::string_view name, std::string_view text)
{
    const std::string line = to_one_line(text);
    std::string header{name};
    header += ": ";
    if (is_plain(line, header_columns - header.size())) return fold(header + line);
    header += to_encoded_words(line, header.size());
    header += line_end;
    return header;
}

std::string make_plain_header(std::string_view name, std::string_view value)
{
    std::string header{name};
    header += ": ";
    for (const char c : value) {
        if (is_visible(static_cast<unsigned char>(c))) {
            header += c;
        } else if (!header.ends_with(' ')) {
            header += ' ';
        }
    }
    while (header.ends_with(' ')) header.pop_back();
    return fold(header);
}

}  // namespace umavez::mail
