#include "outbound/client_certificate.hpp"

#include "base/file.hpp"
#include "base/rfc3339.hpp"
#include "base/shown.hpp"
#include "outbound/icp_brasil.hpp"
#include "outbound/openssl_handles.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <utility>
#include <vector>

namespace umavez::outbound {
namespace {

// Real ones have some kilobytes, with every certificate above them.
constexpr std::size_t file_bytes_max = 1024 * 1024;

BioHandle reader_of(std::string_view bytes)
{
    return BioHandle{BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size()))};
}

std::string text_of(BIO& written)
{
    char* data = nullptr;
    const long size = BIO_get_mem_data(&written, &data);
    return {data, static_cast<std::size_t>(size)};
}

std::string to_pem(X509& certificate)
{
    const BioHandle out{BIO_new(BIO_s_mem())};
    PEM_write_bio_X509(out.get(), &certificate);
    return text_of(*out);
}

std::string to_pem(EVP_PKEY& key)
{
    const BioHandle out{BIO_new(BIO_s_mem())};
    PEM_write_bio_PKCS8PrivateKey(out.get(), &key, nullptr, nullptr, 0, nullptr, nullptr);
    return text_of(*out);
}

std::string subject_of(const X509& certificate)
{
    const BioHandle out{BIO_new(BIO_s_mem())};
    X509_NAME_print_ex(
        out.get(),
        X509_get_subject_name(&certificate),
        0,
        (XN_FLAG_ONELINE & ~static_cast<unsigned long>(XN_FLAG_SPC_EQ) &
         ~static_cast<unsigned long>(ASN1_STRFLGS_ESC_MSB))
    );
    return text_of(*out);
}

Instant to_instant(const ASN1_TIME* time)
{
    std::tm broken{};
    if (ASN1_TIME_to_tm(time, &broken) != 1) return Instant{};
    return Instant{std::chrono::seconds{::timegm(&broken)}};
}

std::string date_of(Instant instant)
{
    return to_rfc3339(instant).substr(0, 10);
}

// Why TLS on this machine would not show these certificates, ours first; "" where it would. Keys that are too
// short and digests that are too weak are its own to judge (SECLEVEL in openssl.cnf).
std::string why_not_shown(std::string_view chain_pem)
{
    const ContextHandle context{SSL_CTX_new(TLS_client_method())};
    const BioHandle chain = reader_of(chain_pem);
    for (bool is_ours = true;; is_ours = false) {
        const CertificateHandle one{PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr)};
        if (!one) return "";
        const bool is_taken = is_ours ? SSL_CTX_use_certificate(context.get(), one.get()) == 1
                                      : SSL_CTX_add1_chain_cert(context.get(), one.get()) == 1;
        if (is_taken) continue;
        const char* const why = ERR_reason_error_string(ERR_peek_last_error());
        return why == nullptr ? "no reason" : why;
    }
}

// OpenSSL asks on the terminal where nobody answers.
int give_password(char* space, int size, int /*is_writing*/, void* user)
{
    const auto& password = *static_cast<const std::string*>(user);
    if (password.size() > static_cast<std::size_t>(size)) return -1;
    std::ranges::copy(password, space);
    return static_cast<int>(password.size());
}

Result<std::string> read_file(std::string_view what, const std::string& path)
{
    const auto complain = [&](std::string_view why) {
        return fail(Errc::misconfigured, fmt::format("{} {} {}", what, shown(path), why));
    };
    const auto file = File::open(path);
    if (!file) {
        return complain(
            file.error().code == Errc::not_found
                ? "does not exist: check the path"
                : "cannot be read: check the path and who may read it"
        );
    }
    const auto size = file->bytes();
    if (!size) return complain("cannot be read: " + size.error().detail);
    if (*size > file_bytes_max) return complain("is too large to be one");
    std::string bytes(*size, '\0');
    const auto got = file->read_at(0, bytes);
    if (!got) return complain("cannot be read: " + got.error().detail);
    bytes.resize(*got);
    return bytes;
}

}  // namespace

// Reads one certificate; what it holds of OpenSSL's is of a library context of its own.
class CertificateReader {
public:
    explicit CertificateReader(std::string_view name) : name_(name)
    {
        context_.reset(OSSL_LIB_CTX_new());
        default_.reset(OSSL_PROVIDER_load(context_.get(), "default"));
        // Where it is not installed, only old files miss it.
        legacy_.reset(OSSL_PROVIDER_load(context_.get(), "legacy"));
        ERR_clear_error();
    }
    ~CertificateReader() { ERR_clear_error(); }
    CertificateReader(const CertificateReader&) = delete;
    CertificateReader& operator=(const CertificateReader&) = delete;

    Result<ClientCertificate> read(
        std::string_view bytes, std::string_view key, const std::string& password
    )
    {
        if (bytes.size() > file_bytes_max || key.size() > file_bytes_max) {
            return complain("is too large to be a certificate");
        }
        const bool is_pem = bytes.find("-----BEGIN ") != std::string_view::npos;
        const auto taken = is_pem ? take_pem(bytes, key.empty() ? bytes : key, password)
                                  : take_pkcs12(bytes, password);
        if (!taken) return std::unexpected(taken.error());
        return describe();
    }

private:
    std::unexpected<Error> complain(std::string_view what) const
    {
        return fail(Errc::misconfigured, fmt::format("{} {}", name_, what));
    }

    Result<void> take_pkcs12(std::string_view bytes, const std::string& password)
    {
        PKCS12* raw = PKCS12_init_ex(NID_pkcs7_data, context_.get(), nullptr);
        const bool is_read = d2i_PKCS12_bio(reader_of(bytes).get(), &raw) != nullptr;
        const Pkcs12Handle file{raw};
        if (!is_read) {
            return complain(
                "is neither PEM nor PKCS#12: give it as the certificate authority handed it out"
            );
        }
        if (password.contains('\0')) return complain("has another password: this one has a byte 0");
        const bool has_mac = PKCS12_mac_present(file.get()) == 1;
        if (has_mac && PKCS12_verify_mac(file.get(), password.c_str(), -1) != 1 &&
            !(password.empty() && PKCS12_verify_mac(file.get(), nullptr, 0) == 1)) {
            return complain(
                password.empty() ? "needs a password: none was given"
                                 : "cannot be opened: the password is wrong"
            );
        }
        EVP_PKEY* key = nullptr;
        X509* certificate = nullptr;
        STACK_OF(X509)* others = nullptr;
        const bool is_open =
            PKCS12_parse(file.get(), password.c_str(), &key, &certificate, &others) == 1;
        key_.reset(key);
        certificate_.reset(certificate);
        others_.reset(others);
        if (!is_open) {
            return complain(
                legacy_
                    ? "cannot be opened: it is damaged, or the password is wrong"
                    : "cannot be opened: it may need the legacy provider of OpenSSL, which is not "
                      "installed (legacy.so)"
            );
        }
        return check_parts();
    }

    Result<void> take_pem(std::string_view bytes, std::string_view key, const std::string& password)
    {
        others_.reset(sk_X509_new_null());
        const BioHandle certificates = reader_of(bytes);
        while (true) {
            X509* const found = PEM_read_bio_X509(
                certificates.get(), nullptr, give_password, password_of(password)
            );
            if (found == nullptr) break;
            sk_X509_push(others_.get(), found);
        }
        key_.reset(PEM_read_bio_PrivateKey_ex(
            reader_of(key).get(),
            nullptr,
            give_password,
            password_of(password),
            context_.get(),
            nullptr
        ));
        if (!key_ && key.find("PRIVATE KEY-----") != std::string_view::npos) {
            return complain(
                key.find("ENCRYPTED") == std::string_view::npos
                    ? "has a private key that is damaged"
                : password.empty() ? "has a key with a password: none was given"
                                   : "has a key that cannot be opened: the password is wrong"
            );
        }
        // The one that the key belongs to is ours, wherever it stands.
        for (int i = 0; key_ && i < sk_X509_num(others_.get()); ++i) {
            if (X509_check_private_key(sk_X509_value(others_.get(), i), key_.get()) != 1) continue;
            certificate_.reset(sk_X509_delete(others_.get(), i));
            break;
        }
        return check_parts();
    }

    Result<void> check_parts() const
    {
        if (!key_) {
            return complain("has no private key inside: export it again together with its key");
        }
        if (certificate_) return {};
        if (others_ && sk_X509_num(others_.get()) > 0) {
            return complain("has the key of another certificate: give the key that belongs to it");
        }
        return complain("has no certificate inside: export it again together with its key");
    }

    Result<ClientCertificate> describe() const
    {
        ClientCertificate done;
        done.name_ = name_;
        done.subject_ = subject_of(*certificate_);
        done.common_name_ = find_common_name(*certificate_);
        done.valid_from_ = to_instant(X509_get0_notBefore(certificate_.get()));
        done.valid_until_ = to_instant(X509_get0_notAfter(certificate_.get()));
        done.inscricao_ = find_inscricao(*certificate_);
        done.certificate_pem_ = to_pem(*certificate_);
        done.chain_pem_ = done.certificate_pem_;
        for (int i = 0; others_ && i < sk_X509_num(others_.get()); ++i) {
            done.chain_pem_ += to_pem(*sk_X509_value(others_.get(), i));
        }
        done.key_pem_ = to_pem(*key_);
        if (done.key_pem_.empty()) return complain("has a private key of a kind that is not known");
        if (const std::string why = why_not_shown(done.chain_pem_); !why.empty()) {
            return complain(fmt::format(
                "cannot be shown with TLS ({}): have one issued with a longer key or a newer "
                "digest",
                why
            ));
        }
        return done;
    }

    static void* password_of(const std::string& password) noexcept
    {
        return const_cast<std::string*>(&password);
    }

    std::string name_;
    // Destroyed from below: keys before the algorithms they use.
    LibraryHandle context_;
    ProviderHandle default_;
    ProviderHandle legacy_;
    KeyHandle key_;
    CertificateHandle certificate_;
    CertificatesHandle others_;
};

Result<ClientCertificate> ClientCertificate::load(const CertificateFiles& files)
{
    const auto bytes = read_file("the certificate", files.file);
    if (!bytes) return std::unexpected(bytes.error());
    std::string key;
    if (!files.key_file.empty()) {
        auto read = read_file("the private key", files.key_file);
        if (!read) return std::unexpected(read.error());
        key = *std::move(read);
    }
    return parse(*bytes, key, files.password, "the certificate " + shown(files.file));
}

Result<ClientCertificate> ClientCertificate::parse(
    std::string_view bytes, std::string_view key, const std::string& password, std::string_view name
)
{
    return CertificateReader{name}.read(bytes, key, password);
}

Result<void> ClientCertificate::check(Instant now) const
{
    const auto complain = [this](std::string_view what, Instant when) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "{} ({}) {} {}: give one that is valid now",
                name_,
                shown(subject_),
                what,
                date_of(when)
            )
        );
    };
    if (now < valid_from_) return complain("is not valid before", valid_from_);
    if (now > valid_until_) return complain("expired on", valid_until_);
    return {};
}

}  // namespace umavez::outbound
