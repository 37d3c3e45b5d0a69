#pragma once

// The certificates of issuers, as the settings name them: where they are, and what is wrong with them today.
//
// Thread-safe.

#include "app/fiscal_settings.hpp"
#include "outbound/client_certificate.hpp"
#include "telemetry/log.hpp"

#include <umavez/time.hpp>

#include <string>
#include <vector>

namespace umavez {

outbound::CertificateFiles files_of(const FiscalSettings::Emitente& emitente);

// Sentences that name the issuer, the setting, the file and the cure.
struct CertificateReport {
    std::vector<std::string> faults;    // over, not valid yet, somebody else's: it is never shown
    std::vector<std::string> warnings;  // over soon, or perhaps somebody else's
};

// Of those that can be read; the others are refused by check_fiscal.
CertificateReport report_certificates(const FiscalSettings& settings, Instant now);

// At a start, which no fault keeps from serving the other issuers: a line for each.
void log_certificates(const FiscalSettings& settings, Log& log);

}  // namespace umavez
