#include "http/chunked_body.hpp"

#include "http/header_syntax.hpp"
#include "http/hex.hpp"

#include <algorithm>

namespace umavez::http {
namespace {

constexpr std::size_t size_digits_max = 16;  // of 64 bits

Refusal bad(std::string english, std::string portuguese)
{
    return {400, {std::move(english), std::move(portuguese)}};
}

Refusal bad_size()
{
    return bad(
        "a chunk does not begin with its size in hexadecimal digits",
        "um chunk não começa com o seu tamanho em dígitos hexadecimais"
    );
}

Refusal bad_line_end()
{
    return bad(
        "a line of a chunk does not end with CRLF", "uma linha de um chunk não termina com CRLF"
    );
}

Refusal too_large()
{
    return {413, {"the body is too large", "o corpo é grande demais"}};
}

}  // namespace

std::size_t ChunkedBody::put(std::string_view bytes)
{
    std::size_t used = 0;
    while (used < bytes.size() && !refusal_ && !is_done()) {
        if (state_ == State::data) {
            used += on_data(bytes.substr(used));
        } else {
            step(bytes[used]);
            ++used;
        }
    }
    return used;
}

std::size_t ChunkedBody::on_data(std::string_view bytes)
{
    const std::string_view piece = bytes.substr(0, size_);
    body_.append(piece);
    bytes_ += piece.size();
    size_ -= piece.size();
    if (size_ == 0) state_ = State::data_cr;
    return piece.size();
}

void ChunkedBody::step(char c)
{
    switch (state_) {
        case State::size: on_size(c); break;
        case State::extension: on_extension(c); break;
        case State::size_lf:
            if (c != '\n') return refuse(bad_line_end());
            on_size_line();
            break;
        case State::data_cr:
        case State::data_lf:
            if (c != (state_ == State::data_cr ? '\r' : '\n')) {
                return refuse(
                    bad("the data of a chunk is longer than its size, or CRLF does not follow it",
                        "os dados de um chunk são maiores que o seu tamanho, ou CRLF não os segue")
                );
            }
            state_ = state_ == State::data_cr ? State::data_lf : State::size;
            break;
        case State::trailer: on_trailer(c); break;
        case State::data:
        case State::done: break;
    }
}

void ChunkedBody::on_size(char c)
{
    if (const int digit = hex_value(c); digit >= 0) {
        if (++digits_ > size_digits_max) return refuse(bad_size());
        size_ = size_ * 16 + static_cast<std::uint64_t>(digit);
        return;
    }
    if (digits_ == 0) return refuse(bad_size());
    state_ = State::extension;
    on_extension(c);
}

void ChunkedBody::on_extension(char c)
{
    if (c == '\r') {
        if (is_quoted_) {
            return refuse(
                bad("a quoted string in the extension of a chunk is not closed",
                    "um texto entre aspas na extensão de um chunk não está fechado")
            );
        }
        state_ = State::size_lf;
    } else if (c == '\n') {
        refuse(bad_line_end());
    } else if (!value_chars.has(c)) {
        refuse(
            bad("the extension of a chunk has a control character",
                "a extensão de um chunk tem um caractere de controle")
        );
    } else if (++lines_bytes_ > lines_bytes_max_) {
        refuse(bad(
            "the extensions of the chunks are too long", "as extensões dos chunks são longas demais"
        ));
    } else if (has_semicolon_) {
        on_quoted(c);
    } else if (c == ';') {
        has_semicolon_ = true;
    } else if (c != ' ' && c != '\t') {
        refuse(bad_size());
    }
}

void ChunkedBody::on_quoted(char c) noexcept
{
    if (is_escaped_) {
        is_escaped_ = false;
    } else if (c == '"') {
        is_quoted_ = !is_quoted_;
    } else {
        is_escaped_ = is_quoted_ && c == '\\';
    }
}

void ChunkedBody::on_size_line()
{
    const bool is_last = size_ == 0;
    if (size_ > body_bytes_max_ - bytes_) return refuse(too_large());
    state_ = is_last ? State::trailer : State::data;
    digits_ = 0;
    has_semicolon_ = false;
    if (is_last) lines_bytes_ = 0;
}

void ChunkedBody::on_trailer(char c)
{
    if (++lines_bytes_ > lines_bytes_max_) {
        return refuse({431, {"the trailers are too large", "os trailers são grandes demais"}});
    }
    // A CR inside a line is found as a control character, or here, when something follows it.
    const bool has_return = line_.ends_with('\r');
    if (c != '\n') {
        if (has_return) return refuse(bad_line_end());
        line_ += c;
        return;
    }
    if (!has_return) return refuse(bad_line_end());
    line_.pop_back();
    if (line_.empty()) {
        state_ = State::done;
        return;
    }
    auto parsed = parse_field(line_);
    if (auto* const refusal = std::get_if<Refusal>(&parsed)) refuse(std::move(*refusal));
    line_.clear();
}

}  // namespace umavez::http
