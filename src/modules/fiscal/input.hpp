#pragma once

// Bodies of requests about fiscal documents into values whose rules hold. Pure, thread-safe.

#include "json/tree.hpp"
#include "modules/fiscal/emission.hpp"
#include "modules/fiscal/module.hpp"
#include "modules/parts/read_body.hpp"

#include <umavez/names.hpp>

#include <cstddef>
#include <string>

namespace umavez::fiscal {

using modules::Read;

// As the authorities ask for it.
inline constexpr std::size_t justificativa_min = 15;
inline constexpr std::size_t justificativa_max = 255;
inline constexpr std::size_t xml_bytes_max = 1024 * 1024;

// The document of a POST: who it is is read from the XML, and whatever the body says beside it must be the
// same. `validation` names the member: a type that this program does not handle, an XML that cannot be read,
// an issuer that is not this tenant's.
Read<Nova> read_nova(
    const Module& module, const JsonTree* body, const TenantId& tenant_id, http::Language language
);

// {"justificativa"}, without blanks around it: 15 to 255 characters of Latin-1.
Read<std::string> read_justificativa(const JsonTree* body, http::Language language);

// Numbers of a series that were never used and are to be given up.
struct NovaInutilizacao {
    Identidade serie;  // type, environment, issuer and series; no number
    std::int64_t primeiro = 0;
    std::int64_t ultimo = 0;
    std::string justificativa;
};
inline constexpr std::int64_t inutilizacao_max = 100;  // numbers in one request

// For types that cannot be voided the rest is not looked at.
Read<NovaInutilizacao> read_inutilizacao(
    const Module& module, const JsonTree* body, const TenantId& tenant_id, http::Language language
);

}  // namespace umavez::fiscal
