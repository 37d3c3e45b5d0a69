#pragma once

// CertificateBook: whose certificate is in which file. A file is read when it is first needed, and again
// until it can be used: an operator who puts a wrong one right has nothing to restart.
//
// Thread-safe.

#include "outbound/client_certificate.hpp"

#include <umavez/result.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace umavez::fiscal {

class CertificateBook {
public:
    using Certificate = std::shared_ptr<const outbound::ClientCertificate>;
    using Files = std::map<std::string, outbound::CertificateFiles, std::less<>>;  // by CNPJ or CPF

    explicit CertificateBook(Files files) : files_(std::move(files)) {}

    // One that is valid at `now` and belongs to the issuer, as far as it tells. misconfigured: the sentence
    // names the setting or the file, and the cure.
    Result<Certificate> find(std::string_view emitente, Instant now) const;

    // The next one to ask reads the file again: a new one may be in it.
    void forget(std::string_view emitente) const;

private:
    Result<Certificate> load(std::string_view emitente, const outbound::CertificateFiles& files)
        const;

    const Files files_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, Certificate, std::less<>> loaded_;  // guarded by mutex_
};

}  // namespace umavez::fiscal
