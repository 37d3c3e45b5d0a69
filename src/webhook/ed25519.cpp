#include "webhook/ed25519.hpp"

#include "base/assert.hpp"

#include <openssl/err.h>
#include <openssl/evp.h>

#include <array>

namespace umavez::webhook {
namespace {

constexpr std::size_t key_bytes = 32;
constexpr std::size_t signature_bytes = 64;

struct FreeContext {
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

const unsigned char* bytes_of(std::string_view text) noexcept
{
    return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

void Ed25519Key::Free::operator()(EVP_PKEY* key) const noexcept
{
    EVP_PKEY_free(key);
}

std::optional<Ed25519Key> Ed25519Key::from_public(std::string_view bytes)
{
    if (bytes.size() != key_bytes) return std::nullopt;
    EVP_PKEY* const key =
        EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(bytes), bytes.size());
    if (key == nullptr) return std::nullopt;
    return Ed25519Key{key, false};
}

std::optional<Ed25519Key> Ed25519Key::from_secret(std::string_view bytes)
{
    if (bytes.size() != key_bytes && bytes.size() != 2 * key_bytes) return std::nullopt;
    EVP_PKEY* const raw =
        EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes_of(bytes), key_bytes);
    if (raw == nullptr) return std::nullopt;
    Ed25519Key key{raw, true};
    std::array<unsigned char, key_bytes> open;
    std::size_t size = open.size();
    UMAVEZ_ASSERT(EVP_PKEY_get_raw_public_key(raw, open.data(), &size) == 1);
    const std::string_view told = bytes.substr(key_bytes);
    const std::string_view own{reinterpret_cast<const char*>(open.data()), size};
    if (!told.empty() && told != own) return std::nullopt;
    return key;
}

bool Ed25519Key::is_signed(std::string_view message, std::string_view signature) const
{
    if (signature.size() != signature_bytes) return false;
    const Context context{EVP_MD_CTX_new()};
    UMAVEZ_ASSERT(context != nullptr);
    UMAVEZ_ASSERT(EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1);
    const int verified = EVP_DigestVerify(
        context.get(), bytes_of(signature), signature.size(), bytes_of(message), message.size()
    );
    // A wrong signature may leave an error for the next caller of OpenSSL in this thread to find.
    if (verified != 1) ERR_clear_error();
    return verified == 1;
}

std::string Ed25519Key::sign(std::string_view message) const
{
    UMAVEZ_ASSERT(can_sign_);
    const Context context{EVP_MD_CTX_new()};
    UMAVEZ_ASSERT(context != nullptr);
    UMAVEZ_ASSERT(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1);
    std::array<unsigned char, signature_bytes> bytes;
    std::size_t size = bytes.size();
    UMAVEZ_ASSERT(
        EVP_DigestSign(context.get(), bytes.data(), &size, bytes_of(message), message.size()) == 1
    );
    return {reinterpret_cast<const char*>(bytes.data()), size};
}

}  // namespace umavez::webhook
