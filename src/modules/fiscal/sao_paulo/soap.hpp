#pragma once

// SOAP 1.2 as the city speaks it: a message goes as text inside of an element, with the number of its layout,
// and the answer comes as text inside of `RetornoXML`. Pure, thread-safe.

#include "modules/fiscal/ids/sp_rps.hpp"
#include "xml/document.hpp"

#include <umavez/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace umavez::fiscal::sao_paulo {

// An answer has up to 50 notes, escaped.
inline constexpr std::size_t soap_bytes_max = 8 * 1024 * 1024;

enum class Method : std::uint8_t { envio_rps, consulta_nfe, cancelamento_nfe };

std::string_view to_text(Method method) noexcept;     // "EnvioRPS"
std::string_view retorno_of(Method method) noexcept;  // "RetornoEnvioRPS": the root of its answer

// The bytes of the message are those that the city gets, whatever they are.
std::string make_envelope(Method method, SpLayout layout, std::string_view message);

// With the action, which SOAP 1.2 has there.
std::string content_type_of(Method method);

// What is in the only RetornoXML of an envelope of SOAP 1.2 or 1.1, if its root is the one that is due.
// invalid_argument: no XML, no envelope, a fault (with what it says), no such answer, or several.
Result<xml::Document> read_envelope(Method method, std::string_view text);

}  // namespace umavez::fiscal::sao_paulo
