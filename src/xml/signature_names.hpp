#pragma once

// What XMLDSig calls things; for sign.cpp and check_signature.cpp. Immutable.

#include "xml/canonical.hpp"
#include "xml/signature.hpp"

#include <openssl/evp.h>

#include <optional>
#include <string_view>

namespace umavez::xml {

inline constexpr std::string_view signature_space = "http://www.w3.org/2000/09/xmldsig#";
inline constexpr std::string_view enveloped =
    "http://www.w3.org/2000/09/xmldsig#enveloped-signature";
inline constexpr std::string_view canonical_name =
    "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";

struct AlgorithmNames {
    SignatureAlgorithm algorithm;
    std::string_view signature;
    std::string_view digest;
    const EVP_MD* (*hash)();
};
inline constexpr AlgorithmNames algorithms[] = {
    {SignatureAlgorithm::rsa_sha1,
     "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
     "http://www.w3.org/2000/09/xmldsig#sha1",
     &EVP_sha1},
    {SignatureAlgorithm::rsa_sha256,
     "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
     "http://www.w3.org/2001/04/xmlenc#sha256",
     &EVP_sha256},
};

struct CanonicalName {
    std::string_view name;
    Canonical kind;
};
inline constexpr CanonicalName canonical_names[] = {
    {canonical_name, Canonical::inclusive},
    {"http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments",
     Canonical::inclusive_with_comments},
    {"http://www.w3.org/2001/10/xml-exc-c14n#", Canonical::exclusive},
    {"http://www.w3.org/2001/10/xml-exc-c14n#WithComments", Canonical::exclusive_with_comments},
};

// The elements of the document that have this Id, however the attribute's name is written.
std::vector<Element> find_by_id(const Document& document, std::string_view id);

// Whether an instruction stands before or behind the root. It is part of the whole document.
bool has_instruction_outside(const Document& document);

// In base64.
std::string digest_of(std::string_view bytes, const EVP_MD* hash);

}  // namespace umavez::xml
