#pragma once

// Certificates for tests of TLS. Thread-safe.

#include "http/server.hpp"

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstdio>
#include <string>

namespace umavez::http {

// A key and a certificate that it has signed for itself.
inline void write_certificate(
    const TlsFiles& files, const std::string& name, const char* passphrase = nullptr
)
{
    EVP_PKEY* const key = EVP_EC_gen("P-256");
    X509* const cert = X509_new();
    X509_set_version(cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    X509_gmtime_adj(X509_getm_notBefore(cert), -60);
    X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
    X509_set_pubkey(cert, key);
    X509_NAME* const subject = X509_get_subject_name(cert);
    X509_NAME_add_entry_by_txt(
        subject,
        "CN",
        MBSTRING_UTF8,
        reinterpret_cast<const unsigned char*>(name.c_str()),
        -1,
        -1,
        0
    );
    X509_set_issuer_name(cert, subject);
    X509_sign(cert, key, EVP_sha256());
    std::FILE* file = std::fopen(files.cert.c_str(), "w");
    PEM_write_X509(file, cert);
    std::fclose(file);
    file = std::fopen(files.key.c_str(), "w");
    const EVP_CIPHER* const cipher = passphrase == nullptr ? nullptr : EVP_aes_128_cbc();
    PEM_write_PKCS8PrivateKey(
        file, key, cipher, passphrase, passphrase == nullptr ? 0 : 4, nullptr, nullptr
    );
    std::fclose(file);
    X509_free(cert);
    EVP_PKEY_free(key);
}

}  // namespace umavez::http
