// Hostile headers and bodies for the Idempotency-Key protocol.
//
// The first byte of an input chooses what the rest is. Checked: a key survives being written as a
// string of RFC 8941, and strict accepts no more than lenient; a form written anew with every byte
// escaped, a multipart body under another boundary and a media type in its own text say the same.

#include "key_protocol/content.hpp"
#include "key_protocol/form.hpp"
#include "http/header_syntax.hpp"
#include "key_protocol/key_header.hpp"
#include "http/language.hpp"
#include "http/media_type.hpp"
#include "key_protocol/multipart.hpp"
#include "key_protocol/prefer.hpp"
#include "key_protocol/replay_headers.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace umavez;
using namespace umavez::key_protocol;

void require(bool condition, const char* promise)
{
    if (condition) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

std::string as_string(std::string_view key)
{
    std::string text = "\"";
    for (const char c : key) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text + "\"";
}

void try_key(std::string_view text)
{
    const std::vector<Header> headers{{"Idempotency-Key", std::string{text}}};
    const auto lenient = parse_key_headers(headers, KeySyntax::lenient);
    const auto strict = parse_key_headers(headers, KeySyntax::strict);
    if (strict) require(lenient && *lenient == *strict, "strict accepts no more than lenient");
    if (!lenient) return;
    require(lenient->has_value(), "a header is a key or a refusal");
    const std::vector<Header> again{{"Idempotency-Key", as_string((*lenient)->text())}};
    const auto same = parse_key_headers(again, KeySyntax::strict);
    require(same && *same == *lenient, "a key survives being written as a string");
}

void try_form(std::string_view text)
{
    const auto pairs = parse_form(text);
    if (!pairs) return;
    const auto escape = [](std::string& out, std::string_view plain) {
        for (const char c : plain) {
            constexpr std::string_view digits = "0123456789abcdef";
            const auto byte = static_cast<unsigned char>(c);
            out += {'%', digits[byte / 16], digits[byte % 16]};
        }
    };
    std::string escaped;
    for (const auto& [name, value] : *pairs) {
        escape(escaped, name);
        escaped += '=';
        escape(escaped, value);
        escaped += '&';
    }
    const auto again = parse_form(escaped);
    require(again && *again == *pairs, "a form written anew has the same fields");
    require(to_canonical(*again) == to_canonical(*pairs), "and the same canonical text");
}

void try_multipart(std::string_view text)
{
    const auto parts = parse_multipart(text, "b");
    if (!parts) return;
    const std::string boundary = "another boundary that no input is long enough to contain";
    std::string body;
    for (const Part& part : *parts) {
        body += "--" + boundary + "\r\n";
        for (const auto& [name, value] : part.headers) {
            body += name + ": " + std::string{value} + "\r\n";
        }
        body += "\r\n" + std::string{part.content} + "\r\n";
    }
    body += "--" + boundary + "--";
    if (text.find(boundary) != std::string_view::npos) return;
    const auto again = parse_multipart(body, boundary);
    require(again.has_value(), "parts can be written under another boundary");
    require(to_canonical(*again) == to_canonical(*parts), "and say the same");
}

void try_headers(std::string_view text)
{
    const std::string value{text};
    http::choose_language({{"Accept-Language", value}});
    read_wait({{"Prefer", value}}, std::chrono::seconds{30});
    split_for_record({200, {{"Location", value}, {"Connection", value}, {value, value}}, "", {}});
    if (const auto media_type = http::parse_media_type(text)) {
        const auto again = http::parse_media_type(media_type->text());
        require(again && again->text() == media_type->text(), "a media type has one spelling");
    }
}

// The media type ends with the first line.
void try_content(std::string_view text)
{
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return;
    const std::vector<Header> headers{{"Content-Type", std::string{text.substr(0, end)}}};
    const auto first = read_body(headers, text.substr(end + 1));
    const auto second = read_body(headers, text.substr(end + 1));
    require(first.has_value() == second.has_value(), "a body is read alike each time");
    if (first) require(first->fingerprint == second->fingerprint, "and has one fingerprint");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) return 0;
    const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
    switch (data[0]) {
        case 'k': try_key(text); break;
        case 'f': try_form(text); break;
        case 'm': try_multipart(text); break;
        case 'h': try_headers(text); break;
        case 'c': try_content(text); break;
        default: break;
    }
    return 0;
}
