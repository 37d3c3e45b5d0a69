#include "app/fiscal_certificates.hpp"

#include "base/shown.hpp"
#include "modules/fiscal/certificates/issuer_certificate.hpp"

#include <fmt/format.h>

namespace umavez {

outbound::CertificateFiles files_of(const FiscalSettings::Emitente& emitente)
{
    return {
        .file = emitente.certificado,
        .key_file = emitente.chave,
        .password = emitente.senha,
    };
}

CertificateReport report_certificates(const FiscalSettings& settings, Instant now)
{
    CertificateReport report;
    for (const FiscalSettings::Emitente& emitente : settings.emitentes) {
        const auto certificate = outbound::ClientCertificate::load(files_of(emitente));
        if (!certificate) continue;
        const auto tell = [&emitente](const std::string& what) {
            return fmt::format(
                "fiscal.emitente \"{}\": certificado: {}", shown(emitente.inscricao), what
            );
        };
        const auto checked = fiscal::check_certificate(*certificate, emitente.inscricao, now);
        if (!checked) {
            report.faults.push_back(tell(checked.error().detail));
            continue;
        }
        for (const std::string& warning :
             fiscal::find_warnings(*certificate, emitente.inscricao, now)) {
            report.warnings.push_back(tell(warning));
        }
    }
    return report;
}

void log_certificates(const FiscalSettings& settings, Log& log)
{
    const CertificateReport report = report_certificates(settings, system_clock().realtime());
    for (const std::string& fault : report.faults) log.warning("certificate", {{"detail", fault}});
    for (const std::string& warning : report.warnings)
        log.warning("certificate", {{"detail", warning}});
}

}  // namespace umavez
