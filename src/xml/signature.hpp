#pragma once

// XML signatures (XMLDSig) in the one form that Brazilian tax authorities use: one Reference to one element
// by its Id, or to the whole document, the transforms enveloped-signature and Canonical XML, RSA, and the
// certificate inside.
//
// Written on libxml2's canonical form and OpenSSL's RSA rather than on a library for all of XMLDSig: what
// such a library can do besides (XSLT, XPath, keys from elsewhere, references to files) is what attacks are
// made of, and here none of it can be said. The tests let xmlsec1 judge what we sign. Thread-safe.

#include "xml/document.hpp"

#include <umavez/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace umavez::xml {

enum class SignatureAlgorithm : std::uint8_t { rsa_sha1, rsa_sha256 };

struct SigningKey {
    std::string_view certificate_pem;
    std::string_view key_pem;  // RSA, not encrypted
};

// The document with a Signature as the last child of the element around the one whose attribute `Id` is `id`.
// invalid_argument: no such element or several, or a Signature is there already. misconfigured: the key.
Result<std::string> sign_enveloped(
    std::string_view xml, std::string_view id, const SigningKey& key, SignatureAlgorithm algorithm
);

// The document with a Signature as the last child of its root, over the whole of it (URI=""). The same
// errors; invalid_argument also where an instruction stands beside the root.
Result<std::string> sign_whole(
    std::string_view xml, const SigningKey& key, SignatureAlgorithm algorithm
);

struct CheckedSignature {
    SignatureAlgorithm algorithm = SignatureAlgorithm::rsa_sha256;
    std::string digest;           // as it is written, base64
    std::string certificate_der;  // who signed it; whether to believe in it is for the caller
};

// Whether the only Signature of the document covers exactly this element, the one the caller reads: it is
// its sibling or its child, refers to its Id, which no other element has, the digest is that of the element,
// and the signature that of the certificate inside. invalid_argument: the sentence tells what does not fit.
Result<CheckedSignature> check_signature(const Document& document, const Element& covered);

// The same of a Signature that covers the whole document, and stands in its root.
Result<CheckedSignature> check_whole_signature(const Document& document);

// The Signatures of the document, wherever they stand.
std::vector<Element> find_signatures(const Document& document);

}  // namespace umavez::xml
