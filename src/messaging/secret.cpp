#include "messaging/secret.hpp"

#include <openssl/evp.h>

#include <algorithm>

namespace umavez::messaging {
namespace {

constexpr std::string_view prefix = "whsec_";
constexpr std::size_t secret_bytes = 32;

}  // namespace

std::string make_secret(Random& random)
{
    std::string bytes;
    while (bytes.size() < secret_bytes) {
        std::uint64_t word = random.next();
        for (std::size_t i = 0; i < sizeof word; ++i, word >>= 8U) {
            bytes += static_cast<char>(word & 0xffU);
        }
    }
    return std::string{prefix} + to_base64(bytes);
}

std::optional<std::string> decode_secret(std::string_view secret)
{
    if (!secret.starts_with(prefix)) return std::nullopt;
    secret.remove_prefix(prefix.size());
    if (secret.empty() || secret.size() % 4 != 0) return std::nullopt;
    std::string bytes(secret.size() / 4 * 3, '\0');
    const int size = EVP_DecodeBlock(
        reinterpret_cast<unsigned char*>(bytes.data()),
        reinterpret_cast<const unsigned char*>(secret.data()),
        static_cast<int>(secret.size())
    );
    if (size < 0) return std::nullopt;
    // The padding was decoded as zeros.
    const auto padding = secret.size() - (secret.find_last_not_of('=') + 1);
    if (padding > 2) return std::nullopt;
    bytes.resize(static_cast<std::size_t>(size) - padding);
    return bytes;
}

std::string to_base64(std::string_view bytes)
{
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL ends it with a zero
    const int size = EVP_EncodeBlock(
        reinterpret_cast<unsigned char*>(text.data()),
        reinterpret_cast<const unsigned char*>(bytes.data()),
        static_cast<int>(bytes.size())
    );
    text.resize(static_cast<std::size_t>(size));
    return text;
}

std::vector<std::string> split_secrets(std::string_view column)
{
    std::vector<std::string> secrets;
    while (!column.empty()) {
        const std::string_view secret = column.substr(0, column.find(' '));
        column.remove_prefix(std::min(column.size(), secret.size() + 1));
        if (!secret.empty()) secrets.emplace_back(secret);
    }
    return secrets;
}

std::string rotate_secrets(std::string_view column, std::string_view fresh)
{
    std::string rotated{fresh};
    rotated += ' ';
    rotated += column.substr(0, column.find(' '));
    return rotated;
}

}  // namespace umavez::messaging
