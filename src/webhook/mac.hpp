#pragma once

// MacKey: a secret, ready to make HMACs (RFC 2104) with.
//
// The key is set up once; a message costs a copy of that state and its hashing, and is never joined into one
// string. Immutable after construction, thread-safe.

#include <openssl/types.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::webhook {

enum class Algorithm : std::uint8_t { sha256, sha1, sha512 };

class MacKey {
public:
    MacKey(Algorithm algorithm, std::string_view secret);  // not empty

    // The bytes of the HMAC of all parts, one after the other.
    std::string sign(std::initializer_list<std::string_view> parts) const;

private:
    struct Free {
        void operator()(EVP_MAC_CTX* context) const noexcept;
    };
    std::unique_ptr<EVP_MAC_CTX, Free> keyed_;
};

std::vector<MacKey> make_mac_keys(Algorithm algorithm, const std::vector<std::string>& secrets);

}  // namespace umavez::webhook
