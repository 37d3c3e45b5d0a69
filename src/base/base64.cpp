#include "base/base64.hpp"

#include "base/assert.hpp"
#include "base/char_set.hpp"

#include <openssl/evp.h>

#include <limits>

namespace umavez {
namespace {

constexpr CharSet base64_chars{[](unsigned char byte) {
    return is_letter_or_digit(byte) || is_among("+/=", byte);
}};

// OpenSSL counts in int.
static_assert(base64_bytes_max * 2 < std::numeric_limits<int>::max());

const unsigned char* bytes_of(std::string_view text) noexcept
{
    return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string to_base64(std::string_view bytes)
{
    UMAVEZ_ASSERT(bytes.size() <= base64_bytes_max);
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // and the NUL that OpenSSL writes
    const int size = EVP_EncodeBlock(
        reinterpret_cast<unsigned char*>(text.data()),
        bytes_of(bytes),
        static_cast<int>(bytes.size())
    );
    text.resize(static_cast<std::size_t>(size));
    return text;
}

std::optional<std::string> parse_base64(std::string_view text)
{
    if (text.size() % 4 != 0 || text.size() > base64_bytes_max || !base64_chars.has_all(text))
        return std::nullopt;
    std::string bytes(text.size() / 4 * 3, '\0');
    const int size = EVP_DecodeBlock(
        reinterpret_cast<unsigned char*>(bytes.data()),
        bytes_of(text),
        static_cast<int>(text.size())
    );
    if (size < 0) return std::nullopt;
    // What the padding stands for was decoded as zeros.
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    bytes.resize(bytes.size() - padding);
    if (to_base64(bytes) != text) return std::nullopt;
    return bytes;
}

}  // namespace umavez
