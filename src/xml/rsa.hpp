#pragma once

// Signatures of RSA (PKCS#1 v1.5) over bytes, as XMLDSig has them inside of a Signature and some authorities
// ask for beside it. Thread-safe.

#include "xml/signature.hpp"

#include <umavez/result.hpp>

#include <string>
#include <string_view>

namespace umavez::xml {

// The raw signature. misconfigured: the key cannot be read, is not of RSA or cannot sign.
Result<std::string> sign_bytes(
    std::string_view bytes, std::string_view key_pem, SignatureAlgorithm algorithm
);

// Whether the key of this certificate made the signature. invalid_argument: the certificate cannot be read.
Result<bool> is_signed_by(
    std::string_view certificate_der,
    std::string_view bytes,
    std::string_view signature,
    SignatureAlgorithm algorithm
);

}  // namespace umavez::xml
