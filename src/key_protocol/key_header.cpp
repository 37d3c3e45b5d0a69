#include "key_protocol/key_header.hpp"

#include "base/char_set.hpp"
#include "base/limits.hpp"
#include "http/message.hpp"

#include <fmt/format.h>

#include <string>

namespace umavez::key_protocol {
namespace {

constexpr std::string_view header_name = "Idempotency-Key";
constexpr std::string_view alias_name = "X-Idempotency-Key";

std::unexpected<http::Problem> refuse(std::string english, std::string portuguese)
{
    return std::unexpected(http::Problem{
        .name = "idempotency-key-invalid",
        .detail = {std::move(english), std::move(portuguese)},
    });
}

constexpr CharSet visible_or_space{[](unsigned char byte) {
    return byte == ' ' || is_visible(byte);
}};
constexpr CharSet bare_chars{[](unsigned char byte) {
    return is_visible(byte) && !is_among("\",\\", byte);
}};

// The server has taken off spaces and tabs around the value; the grammar of RFC 8941 once more
// takes off spaces, and nothing else.
std::string_view strip_spaces(std::string_view text) noexcept
{
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

std::expected<std::string, http::Problem> parse_quoted(std::string_view text)
{
    std::string key;
    std::size_t at = 1;
    for (; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') {
            ++at;
            if (at == text.size() || (text[at] != '"' && text[at] != '\\')) {
                return refuse(
                    R"(inside quotes a backslash stands only before " or \)",
                    R"(entre aspas, a barra invertida só pode preceder " ou \)"
                );
            }
        }
        key += text[at];
    }
    if (at >= text.size()) {
        return refuse("the quoted key has no closing quote", "falta a aspa que fecha a chave");
    }
    if (text.size() > at + 1 && text[at + 1] == ';') {
        return refuse("a key takes no parameters", "uma chave não aceita parâmetros");
    }
    if (text.size() > at + 1) {
        return refuse(
            "something follows the closing quote; one request has one key",
            "há algo depois da aspa final; uma requisição tem uma só chave"
        );
    }
    return key;
}

std::expected<std::string_view, http::Problem> parse_bare(std::string_view text, KeySyntax syntax)
{
    if (syntax == KeySyntax::strict) {
        return refuse(
            R"(this server takes keys in double quotes only: "abc")",
            R"(este servidor só aceita chaves entre aspas duplas: "abc")"
        );
    }
    if (!bare_chars.has_all(text)) {
        return refuse(
            R"(a key without quotes contains no space, comma, " or \)",
            R"(uma chave sem aspas não contém espaço, vírgula, " nem \)"
        );
    }
    return text;
}

std::expected<Key, http::Problem> to_key(std::string_view plain)
{
    if (plain.empty()) return refuse("the key is empty", "a chave está vazia");
    if (plain.size() > limits::key_bytes_max) {
        const std::size_t most = limits::key_bytes_max;
        return refuse(
            fmt::format("the key has {} characters, at most {} are allowed", plain.size(), most),
            fmt::format("a chave tem {} caracteres; o máximo é {}", plain.size(), most)
        );
    }
    auto key = Key::parse(plain);
    // Of the engine's own rules this one is left.
    if (!key) {
        return refuse("the key consists of spaces only", "a chave consiste apenas em espaços");
    }
    return *std::move(key);
}

std::expected<Key, http::Problem> parse_value(std::string_view value, KeySyntax syntax)
{
    const std::string_view text = strip_spaces(value);
    if (text.empty()) return refuse("the key is empty", "a chave está vazia");
    if (!visible_or_space.has_all(text)) {
        return refuse(
            "a key contains visible ASCII characters only",
            "uma chave contém apenas caracteres ASCII visíveis"
        );
    }
    if (text.front() == '"') {
        const auto plain = parse_quoted(text);
        return plain ? to_key(*plain) : std::unexpected(plain.error());
    }
    const auto plain = parse_bare(text, syntax);
    return plain ? to_key(*plain) : std::unexpected(plain.error());
}

}  // namespace

std::expected<std::optional<Key>, http::Problem> parse_key_headers(
    const std::vector<Header>& headers, KeySyntax syntax
)
{
    std::optional<std::string_view> own;
    std::optional<std::string_view> alias;
    for (const Header& header : headers) {
        const bool is_own = http::is_same_header(header.name, header_name);
        if (!is_own && !http::is_same_header(header.name, alias_name)) continue;
        std::optional<std::string_view>& seen = is_own ? own : alias;
        if (seen) {
            const std::string_view name = is_own ? header_name : alias_name;
            return refuse(
                fmt::format("{} is given twice", name), fmt::format("{} aparece duas vezes", name)
            );
        }
        seen = header.value;
    }
    if (!own && !alias) return std::nullopt;

    auto key = parse_value(own ? *own : *alias, syntax);
    if (!key) return std::unexpected(std::move(key.error()));
    if (own && alias) {
        const auto other = parse_value(*alias, syntax);
        if (!other) return std::unexpected(other.error());
        if (*other != *key) {
            return refuse(
                fmt::format("{} and {} differ", header_name, alias_name),
                fmt::format("{} e {} são diferentes", header_name, alias_name)
            );
        }
    }
    return *std::move(key);
}

std::expected<std::optional<Key>, http::Problem> read_key(
    std::string_view method, const std::vector<Header>& headers, KeySyntax syntax, KeyRule rule
)
{
    if (method == "GET" || method == "HEAD" || method == "OPTIONS") return std::nullopt;
    auto key = parse_key_headers(headers, syntax);
    if (key && !*key && rule == KeyRule::required) {
        return std::unexpected(http::Problem{
            .name = "idempotency-key-missing",
            .detail =
                {
                    "send an Idempotency-Key header; a random UUID will do",
                    "envie um cabeçalho Idempotency-Key; um UUID aleatório serve",
                },
        });
    }
    return key;
}

}  // namespace umavez::key_protocol
