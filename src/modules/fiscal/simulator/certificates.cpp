#include "modules/fiscal/simulator/certificates.hpp"

#include "base/file.hpp"
#include "base/random.hpp"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace umavez::fiscal::simulator {
namespace {

template <auto free>
struct Free {
    template <typename T>
    void operator()(T* object) const noexcept
    {
        free(object);
    }
};
using PrivateKey = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Memory = std::unique_ptr<BIO, Free<BIO_free_all>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;
using Pfx = std::unique_ptr<PKCS12, Free<PKCS12_free>>;

constexpr long day_seconds = 24L * 60 * 60;

struct Holder {
    PrivateKey key;
    Certificate certificate;
};

struct Plan {
    std::string name;
    long days_from = -2;
    long days_until = 730;
    std::vector<std::pair<int, std::string>> extensions = {};
};

void add_extension(X509& certificate, X509& issuer, int kind, const std::string& value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
    const Extension extension{X509V3_EXT_nconf_nid(nullptr, &context, kind, value.c_str())};
    if (extension) X509_add_ext(&certificate, extension.get(), -1);
}

// Signed by `signer`, or by itself where there is none.
Holder certify(const Plan& plan, PrivateKey key, const Holder* signer)
{
    Certificate certificate{X509_new()};
    X509* const raw = certificate.get();
    X509_set_version(raw, 2);
    constexpr std::uint64_t serial_max = std::uint64_t{1} << 62U;
    ASN1_INTEGER_set_uint64(X509_get_serialNumber(raw), 1 + uniform(system_random(), serial_max));
    X509_gmtime_adj(X509_getm_notBefore(raw), plan.days_from * day_seconds);
    X509_gmtime_adj(X509_getm_notAfter(raw), plan.days_until * day_seconds);
    X509_set_pubkey(raw, key.get());
    X509_NAME* const subject = X509_get_subject_name(raw);
    const auto add = [subject](const char* field, const std::string& value) {
        const auto* const text = reinterpret_cast<const unsigned char*>(value.c_str());
        X509_NAME_add_entry_by_txt(subject, field, MBSTRING_UTF8, text, -1, -1, 0);
    };
    add("C", "BR");
    add("O", "umavez, simulador de autoridade");
    add("CN", plan.name);
    X509* const issuer = signer == nullptr ? raw : signer->certificate.get();
    X509_set_issuer_name(raw, X509_get_subject_name(issuer));
    for (const auto& [kind, value] : plan.extensions) add_extension(*raw, *issuer, kind, value);
    X509_sign(raw, signer == nullptr ? key.get() : signer->key.get(), EVP_sha256());
    return {std::move(key), std::move(certificate)};
}

Holder make_ca(const std::string& name)
{
    return certify(
        {.name = name,
         .days_until = 3650,
         .extensions =
             {{NID_basic_constraints, "critical,CA:TRUE"},
              {NID_key_usage, "critical,keyCertSign,cRLSign"}}},
        PrivateKey{EVP_EC_gen("P-256")},
        nullptr
    );
}

// RSA, because XML is signed with it. The common name ends as in certificates of ICP-Brasil.
Holder make_client(const std::string& inscricao, const Holder& ca, long days_from, long days_until)
{
    Plan plan{
        .name = "EMITENTE SIMULADO:" + inscricao,
        .days_from = days_from,
        .days_until = days_until,
        .extensions =
            {
                {NID_basic_constraints, "CA:FALSE"},
                {NID_key_usage, "critical,digitalSignature,nonRepudiation,keyEncipherment"},
                {NID_ext_key_usage, "clientAuth"},
            },
    };
    if (inscricao.size() == 14) {
        plan.extensions.emplace_back(
            NID_subject_alt_name, "otherName:2.16.76.1.3.3;PRINTABLESTRING:" + inscricao
        );
    }
    constexpr unsigned bits = 2048;
    return certify(plan, PrivateKey{EVP_RSA_gen(bits)}, &ca);
}

std::string contents(const Memory& memory)
{
    char* bytes = nullptr;
    const long length = BIO_get_mem_data(memory.get(), &bytes);
    return {bytes, static_cast<std::size_t>(length)};
}

std::string certificate_pem(const Holder& holder)
{
    const Memory memory{BIO_new(BIO_s_mem())};
    PEM_write_bio_X509(memory.get(), holder.certificate.get());
    return contents(memory);
}

std::string key_pem(const Holder& holder)
{
    const Memory memory{BIO_new(BIO_s_mem())};
    PEM_write_bio_PKCS8PrivateKey(
        memory.get(), holder.key.get(), nullptr, nullptr, 0, nullptr, nullptr
    );
    return contents(memory);
}

std::string pfx_of(const Holder& holder, const Holder& ca)
{
    STACK_OF(X509)* const chain = sk_X509_new_null();
    sk_X509_push(chain, ca.certificate.get());
    const std::string password{pfx_password};
    const Pfx pfx{PKCS12_create(
        password.c_str(), "umavez", holder.key.get(), holder.certificate.get(), chain, 0, 0, 0, 0, 0
    )};
    sk_X509_free(chain);
    const Memory memory{BIO_new(BIO_s_mem())};
    i2d_PKCS12_bio(memory.get(), pfx.get());
    return contents(memory);
}

// Under another name first: a file that is there is whole.
Result<void> write_private(const std::string& path, std::string_view bytes)
{
    const std::string draft = path + ".new";
    const int descriptor = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0) return file_error("make", draft, errno);
    File file{descriptor};
    if (::fchmod(descriptor, 0600) != 0) return file_error("protect", draft, errno);
    if (auto appended = file.append(bytes); !appended) return appended;
    if (std::rename(draft.c_str(), path.c_str()) != 0) return file_error("name", path, errno);
    return {};
}

// The file, made by `make` if it is not there.
template <typename Make>
Result<void> ensure(const std::string& path, Make make)
{
    if (std::filesystem::exists(path)) return {};
    return write_private(path, make());
}

Result<Holder> read_holder(const std::string& certificate, const std::string& key)
{
    const Memory cert_file{BIO_new_file(certificate.c_str(), "r")};
    const Memory key_file{BIO_new_file(key.c_str(), "r")};
    Holder holder;
    if (cert_file)
        holder.certificate.reset(PEM_read_bio_X509(cert_file.get(), nullptr, nullptr, nullptr));
    if (key_file)
        holder.key.reset(PEM_read_bio_PrivateKey(key_file.get(), nullptr, nullptr, nullptr));
    if (!holder.certificate || !holder.key) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "{} and {} are no certificate and its key; remove the folder", certificate, key
            )
        );
    }
    return holder;
}

// The key before the certificate: a folder with ca.pem has both.
Result<Holder> ensure_ca(const std::string& certificate, const std::string& key)
{
    if (!std::filesystem::exists(certificate)) {
        const Holder made = make_ca("umavez, AC do simulador");
        if (auto written = write_private(key, key_pem(made)); !written)
            return std::unexpected(written.error());
        if (auto written = write_private(certificate, certificate_pem(made)); !written) {
            return std::unexpected(written.error());
        }
    }
    return read_holder(certificate, key);
}

Result<void> ensure_issuer(const IssuerFiles& files, const Holder& ca)
{
    auto made = ensure(files.pem, [&] {
        const Holder holder = make_client(files.inscricao, ca, -2, 730);
        return certificate_pem(holder) + key_pem(holder);
    });
    if (!made) return made;
    const auto holder = read_holder(files.pem, files.pem);
    if (!holder) return std::unexpected(holder.error());
    return ensure(files.pfx, [&] { return pfx_of(*holder, ca); });
}

// Certificates with which nobody gets in.
Result<void> ensure_refused(
    const std::string& folder, const std::string& inscricao, const Holder& ca
)
{
    auto expired = ensure(folder + "/expired.pem", [&] {
        const Holder holder = make_client(inscricao, ca, -30, -1);
        return certificate_pem(holder) + key_pem(holder);
    });
    if (!expired) return expired;
    return ensure(folder + "/stranger.pem", [&] {
        const Holder other = make_ca("outra AC");
        const Holder holder = make_client(inscricao, other, -2, 730);
        return certificate_pem(holder) + key_pem(holder);
    });
}

Result<void> ensure_server(const std::string& path, const Holder& ca)
{
    return ensure(path, [&] {
        const Holder server = certify(
            {.name = "localhost",
             .extensions =
                 {{NID_basic_constraints, "CA:FALSE"},
                  {NID_ext_key_usage, "serverAuth"},
                  {NID_subject_alt_name, "IP:127.0.0.1,IP:::1,DNS:localhost"}}},
            PrivateKey{EVP_EC_gen("P-256")},
            &ca
        );
        return certificate_pem(server) + key_pem(server);
    });
}

}  // namespace

Result<CertificateFiles> make_certificates(
    const std::string& folder, const std::vector<std::string>& issuers
)
{
    const auto ca = ensure_ca(folder + "/ca.pem", folder + "/ca.key");
    if (!ca) return std::unexpected(ca.error());
    CertificateFiles files{
        .ca = folder + "/ca.pem", .server = folder + "/server.pem", .issuers = {}
    };
    if (auto made = ensure_server(files.server, *ca); !made) return std::unexpected(made.error());
    for (const std::string& inscricao : issuers) {
        const std::string stem = inscricao == issuers.front()
                                     ? folder + "/client"
                                     : fmt::format("{}/client-{}", folder, inscricao);
        files.issuers.push_back({inscricao, stem + ".pem", stem + ".pfx"});
        if (auto made = ensure_issuer(files.issuers.back(), *ca); !made)
            return std::unexpected(made.error());
    }
    if (auto made = ensure_refused(folder, issuers.front(), *ca); !made)
        return std::unexpected(made.error());
    return files;
}

}  // namespace umavez::fiscal::simulator
