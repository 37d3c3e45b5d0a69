#include "http/framing.hpp"

#include "http/message.hpp"

#include <algorithm>
#include <charconv>

namespace umavez::http {
namespace {

bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

bool is_letter(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_token_char(char c) noexcept
{
    return is_digit(c) || is_letter(c) ||
           std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) noexcept
{
    return !text.empty() && std::ranges::all_of(text, is_token_char);
}

bool is_value_char(char c) noexcept
{
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

std::string_view trim(std::string_view text) noexcept
{
    constexpr std::string_view blank = " \t";
    const std::size_t begin = text.find_first_not_of(blank);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

Refusal bad(std::string reason)
{
    return {400, std::move(reason)};
}

// The framing headers of a head, as they come along.
class HeadCheck {
public:
    std::optional<Refusal> request_line(std::string_view line)
    {
        const std::size_t first = line.find(' ');
        const std::size_t last = line.rfind(' ');
        if (first == std::string_view::npos || first == last) {
            return bad("the request line has no method, target and version");
        }
        const std::string_view target = line.substr(first + 1, last - first - 1);
        const std::string_view version = line.substr(last + 1);
        if (!is_token(line.substr(0, first))) return bad("the method is not a token");
        if (target.empty() ||
            !std::ranges::all_of(target, [](char c) { return c > 0x20 && c < 0x7f; })) {
            return bad("the target has a character that must be percent-encoded");
        }
        if (version.size() != 8 || !version.starts_with("HTTP/") || !is_digit(version[5]) ||
            version[6] != '.' || !is_digit(version[7])) {
            return bad("the version is malformed");
        }
        if (version[5] != '1') return Refusal{505, "only version 1 is spoken here"};
        framing_.version_minor = version[7] == '0' ? 0 : 1;
        return std::nullopt;
    }

    std::optional<Refusal> field(std::string_view line)
    {
        if (line.front() == ' ' || line.front() == '\t')
            return bad("a header is folded over two lines");
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) return bad("a header has no colon");
        const std::string_view name = line.substr(0, colon);
        const std::string_view value = trim(line.substr(colon + 1));
        if (!is_token(name)) return bad("a header name is not a token");
        if (!std::ranges::all_of(value, is_value_char)) {
            return bad("a header value has a control character");
        }
        if (is_same_header(name, "Host")) return host(value);
        if (is_same_header(name, "Content-Length")) return length(value);
        if (is_same_header(name, "Transfer-Encoding")) return coding(value);
        if (is_same_header(name, "Expect")) return expectation(value);
        return std::nullopt;
    }

    std::variant<Framing, Refusal> finish(std::uint64_t body_bytes_max) const
    {
        if (!has_host_ && framing_.version_minor >= 1) return bad("the Host header is missing");
        if (framing_.chunked && has_length_)
            return bad("both Content-Length and Transfer-Encoding are given");
        if (framing_.chunked && framing_.version_minor == 0) {
            return bad("version 1.0 has no Transfer-Encoding");
        }
        if (framing_.content_length > body_bytes_max) return Refusal{413, "the body is too large"};
        return framing_;
    }

private:
    std::optional<Refusal> host(std::string_view value)
    {
        if (has_host_) return bad("the Host header is repeated");
        if (!is_host(value)) return bad("the Host header is invalid");
        has_host_ = true;
        return std::nullopt;
    }

    std::optional<Refusal> length(std::string_view value)
    {
        if (has_length_) return bad("the Content-Length header is repeated");
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), framing_.content_length);
        const bool is_number = !value.empty() && std::ranges::all_of(value, is_digit);
        if (!is_number || error != std::errc{} || end != value.data() + value.size()) {
            return bad("the Content-Length header is not a length");
        }
        has_length_ = true;
        return std::nullopt;
    }

    std::optional<Refusal> coding(std::string_view value)
    {
        if (framing_.chunked) return bad("the Transfer-Encoding header is repeated");
        if (!is_same_header(value, "chunked")) {
            // A body whose last coding is not chunked has no end that both sides agree on.
            const std::string_view last = trim(value.substr(value.rfind(',') + 1));
            if (!is_same_header(last, "chunked"))
                return bad("the Transfer-Encoding does not end with chunked");
            return Refusal{501, "no Transfer-Encoding but chunked is understood"};
        }
        framing_.chunked = true;
        return std::nullopt;
    }

    std::optional<Refusal> expectation(std::string_view value)
    {
        if (!is_same_header(value, "100-continue"))
            return Refusal{417, "the expectation cannot be met"};
        framing_.expects_continue = true;
        return std::nullopt;
    }

    Framing framing_;
    bool has_host_ = false;
    bool has_length_ = false;
};

}  // namespace

std::variant<NeedMore, HeadEnd, Refusal> scan_head(
    std::string_view arrived, std::size_t head_bytes_max
)
{
    const std::string_view seen = arrived.substr(0, head_bytes_max);
    std::size_t line_begin = 0;
    for (std::size_t at = seen.find('\n'); at != std::string_view::npos;
         at = seen.find('\n', at + 1)) {
        if (at == 0 || seen[at - 1] != '\r') return bad("a line ends with LF alone");
        if (at - 1 == line_begin) return HeadEnd{at + 1};
        line_begin = at + 1;
    }
    if (arrived.size() >= head_bytes_max) return Refusal{431, "the header block is too large"};
    return NeedMore{};
}

std::variant<Framing, Refusal> check_head(std::string_view head, std::uint64_t body_bytes_max)
{
    HeadCheck check;
    bool is_first = true;
    while (head != "\r\n") {
        const std::size_t end = head.find("\r\n");
        if (end == std::string_view::npos) return bad("the header block has no end");
        const std::string_view line = head.substr(0, end);
        auto refusal = is_first ? check.request_line(line) : check.field(line);
        if (refusal) return *std::move(refusal);
        is_first = false;
        head.remove_prefix(end + 2);
    }
    return check.finish(body_bytes_max);
}

bool is_host(std::string_view text) noexcept
{
    std::string_view port;
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos || end < 3) return false;
        const auto is_address_char = [](char c) {
            return is_digit(c) || is_letter(c) || c == ':' || c == '.';
        };
        if (!std::ranges::all_of(text.substr(1, end - 1), is_address_char)) return false;
        port = text.substr(end + 1);
    } else {
        const std::size_t colon = text.find(':');
        const std::string_view name = text.substr(0, colon);
        const auto is_name_char = [](char c) {
            return is_digit(c) || is_letter(c) ||
                   std::string_view{"-._~%!$&'()*+,;="}.find(c) != std::string_view::npos;
        };
        if (name.empty() || !std::ranges::all_of(name, is_name_char)) return false;
        port = colon == std::string_view::npos ? std::string_view{} : text.substr(colon);
    }
    if (port.empty()) return true;
    return port.front() == ':' && port.size() <= 6 && std::ranges::all_of(port.substr(1), is_digit);
}

}  // namespace umavez::http
