#include "http/framing.hpp"

#include "http/header_syntax.hpp"

#include <algorithm>
#include <charconv>

namespace umavez::http {
namespace {

bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}

constexpr CharSet target_chars{is_visible};
constexpr CharSet address_chars{[](unsigned char byte) {
    return is_letter_or_digit(byte) || is_among(":.", byte);
}};
constexpr CharSet host_chars{[](unsigned char byte) {
    return is_letter_or_digit(byte) || is_among("-._~%!$&'()*+,;=", byte);
}};

Refusal bad(std::string english, std::string portuguese)
{
    return {400, {std::move(english), std::move(portuguese)}};
}

// Splits the target, which may be absolute ("http://host/path"); false where it names no path of
// ours.
bool take_target(std::string_view target, Request& request)
{
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!is_same_header(target.substr(0, scheme.size()), scheme)) continue;
        target.remove_prefix(scheme.size());
        const std::size_t end = target.find_first_of("/?");
        if (!is_host(target.substr(0, end))) return false;
        target = end == std::string_view::npos ? "/" : target.substr(end);
        if (target.starts_with('?')) {
            request.path = "/";
            request.query = target.substr(1);
            return true;
        }
    }
    if (!target.starts_with('/') && target != "*") return false;
    const std::size_t mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark != std::string_view::npos) request.query = target.substr(mark + 1);
    return true;
}

// A head line by line. The rules about several headers together are in finish().
class HeadReader {
public:
    explicit HeadReader(Request& request) : request_(request) {}

    std::optional<Refusal> request_line(std::string_view line)
    {
        const std::size_t first = line.find(' ');
        const std::size_t last = line.rfind(' ');
        if (first == std::string_view::npos || first == last) {
            return bad(
                "the request line has no method, target and version",
                "a linha da requisição não tem método, alvo e versão"
            );
        }
        const std::string_view method = line.substr(0, first);
        const std::string_view target = line.substr(first + 1, last - first - 1);
        const std::string_view version = line.substr(last + 1);
        if (!is_token(method)) return bad("the method is not a token", "o método não é um token");
        request_.method = method;
        if (target.empty() || !target_chars.has_all(target)) {
            return bad(
                "the target has a character that must be percent-encoded",
                "o alvo tem um caractere que deve ser codificado com %"
            );
        }
        if (version.size() != 8 || !version.starts_with("HTTP/") || !is_digit(version[5]) ||
            version[6] != '.' || !is_digit(version[7])) {
            return bad("the version is malformed", "a versão está malformada");
        }
        if (version[5] != '1')
            return Refusal{505, {"only version 1 is spoken here", "aqui só se fala a versão 1"}};
        request_.version_minor = version[7] == '0' ? 0 : 1;
        if (!take_target(target, request_))
            return bad("the target is not a path", "o alvo não é um caminho");
        return std::nullopt;
    }

    std::optional<Refusal> field(std::string_view line)
    {
        auto parsed = parse_field(line);
        if (auto* const refusal = std::get_if<Refusal>(&parsed)) return std::move(*refusal);
        const auto [name, value] = std::get<FieldLine>(parsed);
        request_.headers.push_back({std::string{name}, std::string{value}});
        // By their lengths, because most headers are none of these.
        switch (name.size()) {
            case 4: return is_same_header(name, "Host") ? host(value) : std::nullopt;
            case 6: return is_same_header(name, "Expect") ? expectation(value) : std::nullopt;
            case 10: return is_same_header(name, "Connection") ? connection(value) : std::nullopt;
            case 14: return is_same_header(name, "Content-Length") ? length(value) : std::nullopt;
            case 16:
                return is_same_header(name, "Content-Encoding") ? packing(value) : std::nullopt;
            case 17:
                return is_same_header(name, "Transfer-Encoding") ? coding(value) : std::nullopt;
            default: return std::nullopt;
        }
    }

    std::variant<Framing, Refusal> finish()
    {
        const bool is_old = request_.version_minor == 0;
        if (!has_host_ && !is_old)
            return bad("the Host header is missing", "falta o cabeçalho Host");
        if (framing_.chunked && has_length_)
            return bad(
                "both Content-Length and Transfer-Encoding are given",
                "Content-Length e Transfer-Encoding aparecem juntos"
            );
        if (framing_.chunked && is_old)
            return bad(
                "version 1.0 has no Transfer-Encoding", "a versão 1.0 não tem Transfer-Encoding"
            );
        if (expects_other_ && !is_old)
            return Refusal{
                417, {"the expectation cannot be met", "a expectativa não pode ser atendida"}
            };
        if (is_old) framing_.expects_continue = false;
        framing_.keep_alive = !asks_to_close_ && (!is_old || asks_to_stay_);
        return framing_;
    }

private:
    std::optional<Refusal> host(std::string_view value)
    {
        if (has_host_) return bad("the Host header is repeated", "o cabeçalho Host está repetido");
        if (!is_host(value))
            return bad("the Host header is invalid", "o cabeçalho Host é inválido");
        has_host_ = true;
        return std::nullopt;
    }

    std::optional<Refusal> length(std::string_view value)
    {
        if (has_length_)
            return bad(
                "the Content-Length header is repeated", "o cabeçalho Content-Length está repetido"
            );
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), framing_.content_length);
        const bool is_number = !value.empty() && std::ranges::all_of(value, is_digit);
        if (!is_number || error != std::errc{} || end != value.data() + value.size()) {
            return bad(
                "the Content-Length header is not a length",
                "o cabeçalho Content-Length não é um tamanho"
            );
        }
        has_length_ = true;
        return std::nullopt;
    }

    std::optional<Refusal> coding(std::string_view value)
    {
        if (framing_.chunked)
            return bad(
                "the Transfer-Encoding header is repeated",
                "o cabeçalho Transfer-Encoding está repetido"
            );
        if (!is_same_header(value, "chunked")) {
            // A body whose last coding is not chunked has no end that both sides agree on.
            const std::string_view last = trim(value.substr(value.rfind(',') + 1));
            if (!is_same_header(last, "chunked"))
                return bad(
                    "the Transfer-Encoding does not end with chunked",
                    "o Transfer-Encoding não termina com chunked"
                );
            return Refusal{
                501,
                {"no Transfer-Encoding but chunked is understood",
                 "de Transfer-Encoding só se entende chunked"}
            };
        }
        framing_.chunked = true;
        return std::nullopt;
    }

    std::optional<Refusal> expectation(std::string_view value)
    {
        if (is_same_header(value, "100-continue")) {
            framing_.expects_continue = true;
        } else {
            expects_other_ = true;
        }
        return std::nullopt;
    }

    std::optional<Refusal> packing(std::string_view value)
    {
        if (value.empty() || is_same_header(value, "identity")) return std::nullopt;
        const bool is_gzip = is_same_header(value, "gzip") || is_same_header(value, "x-gzip");
        if (!is_gzip || framing_.gzip) framing_.packed_otherwise = true;
        framing_.gzip = true;
        return std::nullopt;
    }

    std::optional<Refusal> connection(std::string_view value)
    {
        for (;;) {
            const std::size_t comma = value.find(',');
            const std::string_view option = trim(value.substr(0, comma));
            if (is_same_header(option, "close")) asks_to_close_ = true;
            if (is_same_header(option, "keep-alive")) asks_to_stay_ = true;
            if (comma == std::string_view::npos) return std::nullopt;
            value.remove_prefix(comma + 1);
        }
    }

    Request& request_;
    Framing framing_;
    bool has_host_ = false;
    bool has_length_ = false;
    bool expects_other_ = false;
    bool asks_to_close_ = false;
    bool asks_to_stay_ = false;
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
        if (at == 0 || seen[at - 1] != '\r')
            return bad("a line ends with LF alone", "uma linha termina apenas com LF");
        if (at - 1 == line_begin) return HeadEnd{at + 1};
        line_begin = at + 1;
    }
    if (arrived.size() >= head_bytes_max)
        return Refusal{
            431, {"the header block is too large", "o bloco de cabeçalhos é grande demais"}
        };
    return NeedMore{};
}

std::variant<FieldLine, Refusal> parse_field(std::string_view line)
{
    if (line.starts_with(' ') || line.starts_with('\t')) {
        return bad("a header is folded over two lines", "um cabeçalho está dobrado em duas linhas");
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos)
        return bad("a header has no colon", "um cabeçalho não tem dois-pontos");
    const FieldLine field{line.substr(0, colon), trim(line.substr(colon + 1))};
    if (!is_token(field.name))
        return bad("a header name is not a token", "o nome de um cabeçalho não é um token");
    if (!value_chars.has_all(field.value)) {
        return bad(
            "a header value has a control character",
            "o valor de um cabeçalho tem um caractere de controle"
        );
    }
    return field;
}

std::optional<Refusal> check_body(const Framing& framing, std::uint64_t body_bytes_max)
{
    if (framing.content_length > body_bytes_max)
        return Refusal{413, {"the body is too large", "o corpo é grande demais"}};
    if (framing.packed_otherwise && framing.has_body()) {
        return Refusal{
            415,
            {"no Content-Encoding but gzip is understood", "de Content-Encoding só se entende gzip"
            },
            {{"Accept-Encoding", "gzip"}},
        };
    }
    return std::nullopt;
}

std::variant<Framing, Refusal> read_head(std::string_view head, Request& request)
{
    constexpr std::size_t headers_usual = 12;
    request.headers.reserve(headers_usual);
    HeadReader reader{request};
    bool is_first = true;
    while (head != "\r\n") {
        const std::size_t end = head.find("\r\n");
        if (end == std::string_view::npos)
            return bad("the header block has no end", "o bloco de cabeçalhos não tem fim");
        const std::string_view line = head.substr(0, end);
        auto refusal = is_first ? reader.request_line(line) : reader.field(line);
        if (refusal) return *std::move(refusal);
        is_first = false;
        head.remove_prefix(end + 2);
    }
    return reader.finish();
}

bool is_host(std::string_view text) noexcept
{
    std::string_view port;
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos || end < 3) return false;
        if (!address_chars.has_all(text.substr(1, end - 1))) return false;
        port = text.substr(end + 1);
    } else {
        const std::size_t colon = text.find(':');
        const std::string_view name = text.substr(0, colon);
        if (name.empty() || !host_chars.has_all(name)) return false;
        port = colon == std::string_view::npos ? std::string_view{} : text.substr(colon);
    }
    if (port.empty()) return true;
    return port.front() == ':' && port.size() <= 6 && std::ranges::all_of(port.substr(1), is_digit);
}

}  // namespace umavez::http
