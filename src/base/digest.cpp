#include "base/digest.hpp"

#include "base/assert.hpp"

#include <openssl/evp.h>

namespace umavez {
namespace {

// Fetched once: the implicit fetch of EVP_sha256() costs 15 % at 1 KiB.
const EVP_MD* sha256_algorithm()
{
    static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    return algorithm;
}

EVP_MD_CTX* context_of(void* context)
{
    return static_cast<EVP_MD_CTX*>(context);
}

}  // namespace

Hasher::Hasher() : context_(EVP_MD_CTX_new())
{
    UMAVEZ_ASSERT(context_ != nullptr);
    restart();
}

Hasher::~Hasher()
{
    EVP_MD_CTX_free(context_of(context_));
}

Hasher& Hasher::of_this_thread()
{
    thread_local Hasher hasher;
    if (hasher.is_begun_) hasher.restart();
    return hasher;
}

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

void Hasher::part(std::string_view bytes)
{
    const auto prefix = size_prefix(bytes);
    raw({prefix.data(), prefix.size()});
    raw(bytes);
}

void Hasher::raw(std::string_view bytes)
{
    is_begun_ = true;
    UMAVEZ_ASSERT(EVP_DigestUpdate(context_of(context_), bytes.data(), bytes.size()) == 1);
}

Digest Hasher::finish()
{
    Digest digest;
    unsigned size = 0;
    UMAVEZ_ASSERT(EVP_DigestFinal_ex(context_of(context_), digest.data(), &size) == 1);
    UMAVEZ_ASSERT(size == digest.size());
    restart();
    return digest;
}

void Hasher::restart()
{
    UMAVEZ_ASSERT(EVP_DigestInit_ex2(context_of(context_), sha256_algorithm(), nullptr) == 1);
    is_begun_ = false;
}

Digest sha256(std::string_view bytes)
{
    Hasher& hasher = Hasher::of_this_thread();
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
