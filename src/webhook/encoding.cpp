#include "webhook/encoding.hpp"

#include "base/assert.hpp"
#include "base/char_set.hpp"
#include "base/digest.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <limits>

namespace umavez::webhook {
namespace {

constexpr CharSet base64_chars{[](unsigned char byte) {
    return is_letter_or_digit(byte) || is_among("+/=", byte);
}};

// OpenSSL counts in int. Keys and signatures are far below.
constexpr std::size_t text_bytes_max = 1024 * 1024;
static_assert(text_bytes_max < std::numeric_limits<int>::max());

const unsigned char* bytes_of(std::string_view text) noexcept
{
    return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string encode(Encoding encoding, std::string_view bytes)
{
    switch (encoding) {
        case Encoding::hex: return to_hex(bytes);
        case Encoding::base64: return to_base64(bytes);
    }
    return {};
}

std::string to_base64(std::string_view bytes)
{
    UMAVEZ_ASSERT(bytes.size() <= text_bytes_max);
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
    if (text.size() % 4 != 0 || text.size() > text_bytes_max || !base64_chars.has_all(text))
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

bool is_same_secretly(std::string_view left, std::string_view right) noexcept
{
    return left.size() == right.size() &&
           CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace umavez::webhook
