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

// {"tipo", …} of a range of numbers that is to be voided: the type alone decides.
Read<Tipo> read_inutilizacao(const JsonTree* body, http::Language language);

}  // namespace umavez::fiscal
