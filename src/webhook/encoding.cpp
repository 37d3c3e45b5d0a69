#include "webhook/encoding.hpp"

#include "base/digest.hpp"

#include <openssl/crypto.h>

namespace umavez::webhook {

std::string encode(Encoding encoding, std::string_view bytes)
{
    switch (encoding) {
        case Encoding::hex: return to_hex(bytes);
        case Encoding::base64: return to_base64(bytes);
    }
    return {};
}

bool is_same_secretly(std::string_view left, std::string_view right) noexcept
{
    return left.size() == right.size() &&
           CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace umavez::webhook
