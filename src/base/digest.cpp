// SHA256_Update and its kin instead of the EVP functions: those allocate, lock and look up for every digest,
// which costs three times what hashing a key does. The hashing itself is the same code.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "base/digest.hpp"

#include "base/assert.hpp"

#include <openssl/sha.h>

namespace umavez {
namespace {

SHA256_CTX* context_of(std::array<std::byte, 112>& context) noexcept
{
    static_assert(sizeof(SHA256_CTX) <= sizeof context && alignof(SHA256_CTX) <= 8);
    return reinterpret_cast<SHA256_CTX*>(context.data());
}

}  // namespace

std::array<char, 8> Hasher::size_prefix(std::string_view bytes) noexcept
{
    std::array<char, 8> prefix;
    std::uint64_t size = bytes.size();
    for (char& byte : prefix) {
        byte = static_cast<char>(size & 0xff);
        size >>= 8;
    }
    return prefix;
}

void Hasher::part(std::string_view bytes) noexcept
{
    const auto prefix = size_prefix(bytes);
    raw({prefix.data(), prefix.size()});
    raw(bytes);
}

void Hasher::raw(std::string_view bytes) noexcept
{
    UMAVEZ_ASSERT(SHA256_Update(context_of(context_), bytes.data(), bytes.size()) == 1);
}

Digest Hasher::finish() noexcept
{
    Digest digest;
    static_assert(std::tuple_size_v<Digest> == SHA256_DIGEST_LENGTH);
    UMAVEZ_ASSERT(SHA256_Final(digest.data(), context_of(context_)) == 1);
    restart();
    return digest;
}

void Hasher::restart() noexcept
{
    UMAVEZ_ASSERT(SHA256_Init(context_of(context_)) == 1);
}

Digest sha256(std::string_view bytes)
{
    Hasher hasher;
    hasher.raw(bytes);
    return hasher.finish();
}

std::string to_hex(std::string_view bytes)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        text.push_back(digits[value >> 4]);
        text.push_back(digits[value & 15]);
    }
    return text;
}

std::string to_hex(const Digest& digest)
{
    return to_hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::uint64_t stable_hash(std::initializer_list<std::string_view> parts) noexcept
{
    std::uint64_t hash = 0xcbf29ce484222325u;
    const auto mix = [&hash](std::uint8_t byte) { hash = (hash ^ byte) * 0x100000001b3u; };
    for (const std::string_view part : parts) {
        for (int shift = 0; shift < 32; shift += 8) {
            mix(static_cast<std::uint8_t>(part.size() >> shift));
        }
        for (const char byte : part) mix(static_cast<std::uint8_t>(byte));
    }
    return hash;
}

}  // namespace umavez
