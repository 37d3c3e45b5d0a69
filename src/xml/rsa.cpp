#include "xml/rsa.hpp"

#include "base/freed.hpp"
#include "xml/signature_names.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <memory>

namespace umavez::xml {
namespace {

using Bio = std::unique_ptr<BIO, Freed<&BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<&EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<&X509_free>>;
using Hashing = std::unique_ptr<EVP_MD_CTX, Freed<&EVP_MD_CTX_free>>;

// OpenSSL asks on the terminal where nobody answers.
int no_password(char*, int, int, void*)
{
    return -1;
}

const EVP_MD* hash_of(SignatureAlgorithm algorithm)
{
    return std::ranges::find(algorithms, algorithm, &AlgorithmNames::algorithm)->hash();
}

bool is_rsa(const EVP_PKEY* key)
{
    return key != nullptr && EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA;
}

const unsigned char* bytes_of(std::string_view text) noexcept
{
    return reinterpret_cast<const unsigned char*>(text.data());
}

std::string sign(std::string_view bytes, EVP_PKEY& key, const EVP_MD* hash)
{
    const Hashing hashing{EVP_MD_CTX_new()};
    std::size_t size = 0;
    if (EVP_DigestSignInit(hashing.get(), nullptr, hash, nullptr, &key) != 1 ||
        EVP_DigestSign(hashing.get(), nullptr, &size, bytes_of(bytes), bytes.size()) != 1) {
        return {};
    }
    std::string signature(size, '\0');
    auto* const out = reinterpret_cast<unsigned char*>(signature.data());
    if (EVP_DigestSign(hashing.get(), out, &size, bytes_of(bytes), bytes.size()) != 1) return {};
    signature.resize(size);
    return signature;
}

}  // namespace

Result<std::string> sign_bytes(
    std::string_view bytes, std::string_view key_pem, SignatureAlgorithm algorithm
)
{
    const Bio reader{BIO_new_mem_buf(key_pem.data(), static_cast<int>(key_pem.size()))};
    const Key key{PEM_read_bio_PrivateKey(reader.get(), nullptr, no_password, nullptr)};
    if (!is_rsa(key.get())) {
        ERR_clear_error();
        return fail(Errc::misconfigured, "the key that signs must be of RSA, with its certificate");
    }
    std::string signature = sign(bytes, *key, hash_of(algorithm));
    ERR_clear_error();
    if (signature.empty()) return fail(Errc::misconfigured, "the key cannot sign");
    return signature;
}

Result<bool> is_signed_by(
    std::string_view certificate_der,
    std::string_view bytes,
    std::string_view signature,
    SignatureAlgorithm algorithm
)
{
    const auto* data = bytes_of(certificate_der);
    const Certificate certificate{
        d2i_X509(nullptr, &data, static_cast<long>(certificate_der.size()))
    };
    ERR_clear_error();
    if (!certificate) return fail(Errc::invalid_argument, "the certificate cannot be read");
    EVP_PKEY* const key = X509_get0_pubkey(certificate.get());
    if (!is_rsa(key)) return false;
    const Hashing hashing{EVP_MD_CTX_new()};
    const bool is_so =
        EVP_DigestVerifyInit(hashing.get(), nullptr, hash_of(algorithm), nullptr, key) == 1 &&
        EVP_DigestVerify(
            hashing.get(), bytes_of(signature), signature.size(), bytes_of(bytes), bytes.size()
        ) == 1;
    ERR_clear_error();
    return is_so;
}

}  // namespace umavez::xml
