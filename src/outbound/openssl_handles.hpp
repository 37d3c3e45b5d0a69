#pragma once

// Owners of what OpenSSL hands out. Confined to their thread.

#include "base/freed.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>

namespace umavez::outbound {

inline void free_certificates(STACK_OF(X509) * all) noexcept
{
    sk_X509_pop_free(all, X509_free);
}

using BioHandle = std::unique_ptr<BIO, Freed<&BIO_free>>;
using KeyHandle = std::unique_ptr<EVP_PKEY, Freed<&EVP_PKEY_free>>;
using CertificateHandle = std::unique_ptr<X509, Freed<&X509_free>>;
using CertificatesHandle = std::unique_ptr<STACK_OF(X509), Freed<&free_certificates>>;
using Pkcs12Handle = std::unique_ptr<PKCS12, Freed<&PKCS12_free>>;
using NamesHandle = std::unique_ptr<GENERAL_NAMES, Freed<&GENERAL_NAMES_free>>;
using ObjectHandle = std::unique_ptr<ASN1_OBJECT, Freed<&ASN1_OBJECT_free>>;
using ContextHandle = std::unique_ptr<SSL_CTX, Freed<&SSL_CTX_free>>;
using LibraryHandle = std::unique_ptr<OSSL_LIB_CTX, Freed<&OSSL_LIB_CTX_free>>;
using ProviderHandle = std::unique_ptr<OSSL_PROVIDER, Freed<&OSSL_PROVIDER_unload>>;

}  // namespace umavez::outbound
