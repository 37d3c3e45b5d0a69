#include "access/token_text.hpp"

#include "base/headers.hpp"
#include "base/utf8.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <optional>

namespace umavez::access {
namespace {

constexpr std::string_view token_prefix = "uvz_";
constexpr std::size_t token_bytes = 32;
constexpr std::size_t usuario_bytes_max = 100;
constexpr std::string_view base64url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// token68 of RFC 9110.
bool is_token_char(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"-._~+/="}.contains(c);
}

}  // namespace

std::string_view to_text(Denial denial) noexcept
{
    switch (denial) {
        case Denial::missing: return "missing";
        case Denial::malformed: return "malformed";
        case Denial::unknown: return "unknown";
        case Denial::expired: return "expired";
    }
    return {};
}

std::string make_token(Random& random)
{
    std::string token{token_prefix};
    std::uint32_t bits = 0;
    unsigned held = 0;
    std::uint64_t word = 0;
    for (std::size_t at = 0; at < token_bytes; ++at) {
        word = at % sizeof word == 0 ? random.next() : word >> 8U;
        bits = (bits << 8U) | (word & 0xFFU);
        for (held += 8; held >= 6; held -= 6) token += base64url[(bits >> (held - 6)) & 0x3FU];
    }
    token += base64url[(bits << (6 - held)) & 0x3FU];
    return token;
}

std::expected<std::string_view, Denial> find_bearer(const std::vector<Header>& headers)
{
    const HeaderLines found = find_lines(headers, "Authorization");
    if (found.count == 0) return std::unexpected(Denial::missing);
    constexpr std::string_view scheme = "bearer";
    const std::size_t space = found.value.find(' ');
    if (found.count > 1 || space == std::string_view::npos ||
        !is_same_header(found.value.substr(0, space), scheme)) {
        return std::unexpected(Denial::malformed);
    }
    const std::size_t begin = found.value.find_first_not_of(' ', space);
    if (begin == std::string_view::npos) return std::unexpected(Denial::malformed);
    const std::string_view token = found.value.substr(begin);
    if (!std::ranges::all_of(token, is_token_char)) return std::unexpected(Denial::malformed);
    return token;
}

std::optional<std::string> find_usuario(const std::vector<Header>& headers)
{
    const HeaderLines found = find_lines(headers, "X-Usuario");
    if (found.count == 0 || found.value.empty()) return std::string{};
    if (found.count > 1 || found.value.size() > usuario_bytes_max || !is_utf8(found.value))
        return std::nullopt;
    bool is_visible = false;
    for (std::string_view rest = found.value; !rest.empty();) {
        const char32_t character = take_character(rest);
        if (is_control(character)) return std::nullopt;
        is_visible = is_visible || !is_blank(character);
    }
    if (!is_visible) return std::nullopt;
    return std::string{found.value};
}

bool is_equal_secret(const Digest& left, const Digest& right) noexcept
{
    return CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace umavez::access
