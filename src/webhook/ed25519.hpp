#pragma once

// Ed25519 keys (RFC 8032): one that verifies, and perhaps signs. Immutable after construction, thread-safe.

#include <openssl/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::webhook {

class Ed25519Key {
public:
    // 32 bytes. Nullopt where they are no key.
    static std::optional<Ed25519Key> from_public(std::string_view bytes);

    // The seed of 32 bytes, or the seed and its public key, 64 bytes, which must belong together.
    static std::optional<Ed25519Key> from_secret(std::string_view bytes);

    bool can_sign() const noexcept { return can_sign_; }

    bool is_signed(std::string_view message, std::string_view signature) const;
    std::string sign(std::string_view message) const;  // can_sign()

private:
    struct Free {
        void operator()(EVP_PKEY* key) const noexcept;
    };

    Ed25519Key(EVP_PKEY* key, bool can_sign) noexcept : key_(key), can_sign_(can_sign) {}

    std::unique_ptr<EVP_PKEY, Free> key_;
    bool can_sign_;
};

}  // namespace umavez::webhook
