#pragma once

// Text as mail carries it: quoted-printable and base64 bodies (RFC 2045), and headers with encoded words
// (RFC 2047). What comes out is ASCII in short lines that end with CRLF. Pure, thread-safe.

#include <string>
#include <string_view>

namespace umavez::mail {

// Fit to stand in one line of text: bytes that are not UTF-8 become U+FFFD, control characters become spaces.
std::string to_one_line(std::string_view text);

struct EncodedBody {
    std::string_view name;  // for Content-Transfer-Encoding
    std::string text;       // ends with CRLF, has no "=_", and no line of it begins with a dot
};

// The shorter of the two. Every line break (LF, CR, CRLF) becomes CRLF.
EncodedBody encode_body(std::string_view text);

// "Name: value\r\n" for a text that people read: folded, with encoded words where ASCII is not enough.
std::string make_text_header(std::string_view name, std::string_view text);
// The same for one with a syntax of its own (an address, a URL, an id): folded at spaces only, never encoded.
std::string make_plain_header(std::string_view name, std::string_view value);

// A whole message as SMTP carries it between DATA and the dot (RFC 5321, section 4.5.2): every line ends with
// CRLF, and one that begins with a dot gets a second one.
std::string to_smtp_lines(std::string_view message);

// `text` as encoded words with folds between them; `column`: where the first one begins.
std::string to_encoded_words(std::string_view text, std::size_t column);

}  // namespace umavez::mail
