#include "modules/fiscal/certificates/certificate_book.hpp"

#include "base/shown.hpp"
#include "modules/fiscal/certificates/issuer_certificate.hpp"

#include <fmt/format.h>

namespace umavez::fiscal {

Result<CertificateBook::Certificate> CertificateBook::find(std::string_view emitente, Instant now)
    const
{
    const auto files = files_.find(emitente);
    if (files == files_.end()) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "there is no certificate of {}: add a [[fiscal.emitente]] with inscricao = \"{}\"",
                shown(emitente),
                shown(emitente)
            )
        );
    }
    auto certificate = load(emitente, files->second);
    if (!certificate) return std::unexpected(certificate.error());
    if (auto checked = check_certificate(**certificate, emitente, now); !checked) {
        forget(emitente);
        return std::unexpected(checked.error());
    }
    return certificate;
}

void CertificateBook::forget(std::string_view emitente) const
{
    const std::lock_guard guard{mutex_};
    loaded_.erase(std::string{emitente});
}

Result<CertificateBook::Certificate> CertificateBook::load(
    std::string_view emitente, const outbound::CertificateFiles& files
) const
{
    {
        const std::lock_guard guard{mutex_};
        if (const auto found = loaded_.find(emitente); found != loaded_.end()) return found->second;
    }
    auto read = outbound::ClientCertificate::load(files);
    if (!read) return std::unexpected(read.error());
    auto certificate = std::make_shared<const outbound::ClientCertificate>(*std::move(read));
    const std::lock_guard guard{mutex_};
    loaded_.insert_or_assign(std::string{emitente}, certificate);
    return certificate;
}

}  // namespace umavez::fiscal
