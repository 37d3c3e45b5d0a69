#pragma once

// ClientCertificate: who we are to a server that wants to know: a certificate, its private key and the
// certificates above it.
//
// Read from PEM, or from PKCS#12 (.pfx, .p12) as certificate authorities hand them out, old ones in RC2-40
// included. Those need OpenSSL's legacy algorithms, which are loaded into a library context that exists only
// while a file is read, so nothing else in the process gets weaker.
//
// Immutable after construction.

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace umavez::outbound {

// Where a certificate comes from, as an operator says it.
struct CertificateFiles {
    std::string file;           // .pfx or .p12, or PEM
    std::string key_file = {};  // PEM: where the key is not in the same file
    std::string password = {};  // of the PKCS#12, or of the key
};

class ClientCertificate {
public:
    // misconfigured: the sentence names the file and the cure. One that TLS on this machine would not show
    // is refused here, too. Whether it is valid now is asked of the object (check): a certificate may expire
    // while the process runs.
    static Result<ClientCertificate> load(const CertificateFiles& files);

    // The same from memory; `name` is what it is called in sentences. `key` may be empty.
    static Result<ClientCertificate> parse(
        std::string_view bytes,
        std::string_view key,
        const std::string& password,
        std::string_view name = "the certificate"
    );

    // misconfigured where it has expired, or is not valid yet: with the date.
    Result<void> check(Instant now) const;

    const std::string& name() const noexcept { return name_; }
    const std::string& subject() const noexcept { return subject_; }  // "C=BR, O=ICP-Brasil, …"
    const std::string& common_name() const noexcept
    {
        return common_name_;
    }  // "" where it has none
    Instant valid_from() const noexcept { return valid_from_; }
    Instant valid_until() const noexcept { return valid_until_; }

    // Whose certificate of ICP-Brasil it is: a CNPJ (14 positions) or a CPF (11). Nullopt: it does not tell.
    const std::optional<std::string>& inscricao() const noexcept { return inscricao_; }

    const std::string& certificate_pem() const noexcept { return certificate_pem_; }  // ours alone
    const std::string& chain_pem() const noexcept
    {
        return chain_pem_;
    }  // ours, and those above it
    const std::string& key_pem() const noexcept { return key_pem_; }  // a secret, not encrypted

private:
    ClientCertificate() = default;
    friend class CertificateReader;

    std::string name_;
    std::string subject_;
    std::string common_name_;
    Instant valid_from_;
    Instant valid_until_;
    std::optional<std::string> inscricao_;
    std::string certificate_pem_;
    std::string chain_pem_;
    std::string key_pem_;
};

}  // namespace umavez::outbound
