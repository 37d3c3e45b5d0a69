#include "modules/fiscal/nacional/certificate_book.hpp"

#include "base/shown.hpp"

#include <fmt/format.h>

namespace umavez::fiscal::nacional {
namespace {

constexpr std::size_t cnpj_length = 14;
constexpr std::size_t root_length = 8;  // of a CNPJ: the company; the rest tells which branch

// A company's certificate speaks for all of its branches.
bool may_speak_for(std::string_view certificate, std::string_view emitente)
{
    if (certificate.size() != cnpj_length || emitente.size() != cnpj_length) {
        return certificate == emitente;
    }
    return certificate.substr(0, root_length) == emitente.substr(0, root_length);
}

}  // namespace

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
    if (auto valid = (*certificate)->check(now); !valid) {
        // A new one may be in the file already.
        const std::lock_guard guard{mutex_};
        loaded_.erase(std::string{emitente});
        return std::unexpected(valid.error());
    }
    const auto& whose = (*certificate)->inscricao();
    if (whose && !may_speak_for(*whose, emitente)) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "{} belongs to {}, not to {}: give the issuer's own",
                (*certificate)->name(),
                *whose,
                shown(emitente)
            )
        );
    }
    return certificate;
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

}  // namespace umavez::fiscal::nacional
