#include "support/certificates.hpp"

#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <stdexcept>

namespace umavez::test {
namespace {

template <auto free>
struct Freed {
    template <typename T>
    void operator()(T* object) const noexcept
    {
        free(object);
    }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<&EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<&X509_free>>;
using Provider = std::unique_ptr<OSSL_PROVIDER, Freed<&OSSL_PROVIDER_unload>>;
using Bio = std::unique_ptr<BIO, Freed<&BIO_free_all>>;

void require(bool condition, const char* what)
{
    if (!condition) throw std::runtime_error(what);
}

Bio reader_of(const std::string& text)
{
    return Bio{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
}

std::string text_of(BIO& bio)
{
    char* data = nullptr;
    const long size = BIO_get_mem_data(&bio, &data);
    return {data, static_cast<std::size_t>(size)};
}

void add_extension(X509& certificate, X509& issuer, const char* name, const std::string& value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
    X509_EXTENSION* const extension = X509V3_EXT_nconf(nullptr, &context, name, value.c_str());
    require(extension != nullptr, "an extension cannot be made");
    X509_add_ext(&certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

Certificate make_certificate(EVP_PKEY& key, const CertificateWish& wish)
{
    static long serial = 1;
    Certificate made{X509_new()};
    X509_set_version(made.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial++);
    std::time_t now = std::time(nullptr);  // one for both: the next may be another second
    X509_time_adj(X509_getm_notBefore(made.get()), wish.from.count(), &now);
    X509_time_adj(X509_getm_notAfter(made.get()), wish.until.count(), &now);
    X509_set_pubkey(made.get(), &key);
    X509_NAME* const subject = X509_get_subject_name(made.get());
    const auto add = [subject](const char* field, const std::string& value) {
        X509_NAME_add_entry_by_txt(
            subject,
            field,
            MBSTRING_UTF8,
            reinterpret_cast<const unsigned char*>(value.c_str()),
            -1,
            -1,
            0
        );
    };
    add("C", "BR");
    add("O", "ICP-Brasil");
    add("CN", wish.common_name);
    return made;
}

std::string to_pem(X509& certificate)
{
    const Bio out{BIO_new(BIO_s_mem())};
    PEM_write_bio_X509(out.get(), &certificate);
    return text_of(*out);
}

}  // namespace

struct TestAuthority::Parts {
    Key key;
    Certificate certificate;
};

TestAuthority::TestAuthority(const std::string& name) : parts_(std::make_unique<Parts>())
{
    parts_->key.reset(EVP_EC_gen("P-256"));  // made in no time
    parts_->certificate = make_certificate(*parts_->key, {.common_name = name});
    X509& own = *parts_->certificate;
    X509_set_issuer_name(&own, X509_get_subject_name(&own));
    add_extension(own, own, "basicConstraints", "critical,CA:TRUE");
    add_extension(own, own, "keyUsage", "critical,keyCertSign,cRLSign");
    X509_sign(&own, parts_->key.get(), EVP_sha256());
    pem_ = to_pem(own);
}

TestAuthority::~TestAuthority() = default;

Issued TestAuthority::issue(const CertificateWish& wish) const
{
    const bool is_server = wish.common_name == "localhost";
    const Key key{is_server ? EVP_EC_gen("P-256") : EVP_RSA_gen(wish.bits)};
    const Certificate made = make_certificate(*key, wish);
    X509_set_issuer_name(made.get(), X509_get_subject_name(parts_->certificate.get()));
    std::string names = is_server ? "DNS:localhost,IP:127.0.0.1" : "";
    const auto add_name = [&names](const std::string& name) {
        if (!names.empty()) names += ",";
        names += "otherName:2.16.76.1.3." + name;
    };
    if (!wish.cnpj.empty()) add_name("3;PRINTABLESTRING:" + wish.cnpj);
    // Born on, CPF, and more numbers.
    if (!wish.cpf.empty()) add_name("1;PRINTABLESTRING:01021980" + wish.cpf + "000000000000000");
    if (!names.empty()) add_extension(*made, *parts_->certificate, "subjectAltName", names);
    X509_sign(made.get(), parts_->key.get(), EVP_sha256());
    const Bio out{BIO_new(BIO_s_mem())};
    PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return {to_pem(*made), text_of(*out)};
}

std::string make_pkcs12(
    const std::string& certificate_pem,
    const std::string& key_pem,
    const std::string& password,
    Pkcs12Kind kind
)
{
    const std::unique_ptr<OSSL_LIB_CTX, Freed<&OSSL_LIB_CTX_free>> library{OSSL_LIB_CTX_new()};
    const Provider modern{OSSL_PROVIDER_load(library.get(), "default")};
    const Provider legacy{OSSL_PROVIDER_load(library.get(), "legacy")};
    require(legacy != nullptr, "OpenSSL's legacy provider is not installed");
    const Certificate certificate{
        certificate_pem.empty()
            ? nullptr
            : PEM_read_bio_X509(reader_of(certificate_pem).get(), nullptr, nullptr, nullptr)
    };
    const Key key{
        key_pem.empty()
            ? nullptr
            : PEM_read_bio_PrivateKey_ex(
                  reader_of(key_pem).get(), nullptr, nullptr, nullptr, library.get(), nullptr
              )
    };
    constexpr int triple_des = NID_pbe_WithSHA1And3_Key_TripleDES_CBC;
    const int key_kind = kind == Pkcs12Kind::modern ? NID_aes_256_cbc : triple_des;
    const int certificate_kind =
        kind == Pkcs12Kind::rc2_40 ? NID_pbe_WithSHA1And40BitRC2_CBC : key_kind;
    // A certificate that the key is not of stands where those above it would.
    const bool is_pair =
        !key || !certificate || X509_check_private_key(certificate.get(), key.get()) == 1;
    STACK_OF(X509)* const others = is_pair ? nullptr : sk_X509_new_null();
    if (others != nullptr) sk_X509_push(others, certificate.get());
    const std::unique_ptr<PKCS12, Freed<&PKCS12_free>> made{PKCS12_create_ex(
        password.c_str(),
        "test",
        key.get(),
        is_pair ? certificate.get() : nullptr,
        others,
        key_kind,
        certificate_kind,
        2048,
        2048,
        0,
        library.get(),
        nullptr
    )};
    sk_X509_free(others);
    require(made != nullptr, "the PKCS#12 cannot be made");
    const Bio out{BIO_new(BIO_s_mem())};
    i2d_PKCS12_bio(out.get(), made.get());
    return text_of(*out);
}

std::string lock_key(const std::string& key_pem, const std::string& password)
{
    const Key key{PEM_read_bio_PrivateKey(reader_of(key_pem).get(), nullptr, nullptr, nullptr)};
    const Bio out{BIO_new(BIO_s_mem())};
    PEM_write_bio_PKCS8PrivateKey(
        out.get(),
        key.get(),
        EVP_aes_128_cbc(),
        password.c_str(),
        static_cast<int>(password.size()),
        nullptr,
        nullptr
    );
    return text_of(*out);
}

}  // namespace umavez::test
