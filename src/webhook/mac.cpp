#include "webhook/mac.hpp"

#include "base/assert.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <array>

namespace umavez::webhook {
namespace {

const char* name_of(Algorithm algorithm) noexcept
{
    switch (algorithm) {
        case Algorithm::sha256: return "SHA256";
        case Algorithm::sha1: return "SHA1";
        case Algorithm::sha512: return "SHA512";
    }
    return nullptr;
}

const unsigned char* bytes_of(std::string_view text) noexcept
{
    return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

void MacKey::Free::operator()(EVP_MAC_CTX* context) const noexcept
{
    EVP_MAC_CTX_free(context);
}

MacKey::MacKey(Algorithm algorithm, std::string_view secret)
{
    UMAVEZ_ASSERT(!secret.empty());
    EVP_MAC* const hmac = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
    UMAVEZ_ASSERT(hmac != nullptr);
    keyed_.reset(EVP_MAC_CTX_new(hmac));
    EVP_MAC_free(hmac);  // the context keeps it
    UMAVEZ_ASSERT(keyed_ != nullptr);
    std::string digest = name_of(algorithm);  // OpenSSL wants it writable
    const std::array parameters{
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
        OSSL_PARAM_construct_end()
    };
    UMAVEZ_ASSERT(
        EVP_MAC_init(keyed_.get(), bytes_of(secret), secret.size(), parameters.data()) == 1
    );
}

std::string MacKey::sign(std::initializer_list<std::string_view> parts) const
{
    const std::unique_ptr<EVP_MAC_CTX, Free> message{EVP_MAC_CTX_dup(keyed_.get())};
    UMAVEZ_ASSERT(message != nullptr);
    for (const std::string_view part : parts) {
        UMAVEZ_ASSERT(EVP_MAC_update(message.get(), bytes_of(part), part.size()) == 1);
    }
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
    std::size_t size = 0;
    UMAVEZ_ASSERT(EVP_MAC_final(message.get(), bytes.data(), &size, bytes.size()) == 1);
    return {reinterpret_cast<const char*>(bytes.data()), size};
}

std::vector<MacKey> make_mac_keys(Algorithm algorithm, const std::vector<std::string>& secrets)
{
    std::vector<MacKey> keys;
    keys.reserve(secrets.size());
    for (const std::string& secret : secrets) keys.emplace_back(algorithm, secret);
    return keys;
}

}  // namespace umavez::webhook
