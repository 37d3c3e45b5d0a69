#include "modules/fiscal/certificates/issuer_certificate.hpp"

#include "base/rfc3339.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

namespace umavez::fiscal {
namespace {

using outbound::ClientCertificate;

constexpr std::size_t cnpj_length = 14;
constexpr std::size_t root_length = 8;  // of a CNPJ: the company; the rest tells which branch
// To have a new one issued takes an appointment.
constexpr Duration renewal_time = std::chrono::hours{24 * 30};

bool may_speak_for(std::string_view certificate, std::string_view emitente)
{
    if (certificate.size() != cnpj_length || emitente.size() != cnpj_length) {
        return certificate == emitente;
    }
    return certificate.substr(0, root_length) == emitente.substr(0, root_length);
}

std::string date_of(Instant instant)
{
    return to_rfc3339(instant).substr(0, 10);
}

}  // namespace

Result<void> check_certificate(
    const ClientCertificate& certificate, std::string_view emitente, Instant now
)
{
    if (auto valid = certificate.check(now); !valid) return valid;
    const auto& whose = certificate.inscricao();
    if (!whose || may_speak_for(*whose, emitente)) return {};
    return fail(
        Errc::misconfigured,
        fmt::format(
            "{} belongs to {}, not to {}: give the issuer's own",
            certificate.name(),
            *whose,
            shown(emitente)
        )
    );
}

std::vector<std::string> find_warnings(
    const ClientCertificate& certificate, std::string_view emitente, Instant now
)
{
    std::vector<std::string> found;
    if (certificate.valid_until() - now < renewal_time) {
        found.push_back(fmt::format(
            "{} expires on {}: have a new one issued, and put it in its place before",
            certificate.name(),
            date_of(certificate.valid_until())
        ));
    }
    if (!certificate.inscricao()) {
        found.push_back(fmt::format(
            "{} ({}) tells no CNPJ or CPF, as those of ICP-Brasil do: make sure that it is of {}",
            certificate.name(),
            shown(certificate.subject()),
            shown(emitente)
        ));
    }
    return found;
}

std::string describe_refusal(
    const ClientCertificate& certificate, std::string_view emitente, std::string_view why
)
{
    const std::string& name = certificate.common_name();
    return fmt::format(
        "the authority refuses the certificate of {} ({}, until {}; {}): replace "
        "`certificado`",
        shown(emitente),
        shown(name.empty() ? certificate.subject() : name),
        date_of(certificate.valid_until()),
        why
    );
}

}  // namespace umavez::fiscal
