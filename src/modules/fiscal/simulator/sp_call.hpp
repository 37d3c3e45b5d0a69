#pragma once

// The calls of the city of São Paulo: SOAP 1.1 or 1.2 at one address, the message as a text inside. Pure,
// thread-safe.

#include "http/message.hpp"
#include "modules/fiscal/simulator/call.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace umavez::fiscal::simulator {

inline constexpr std::string_view sp_path = "/sp/lotenfe.asmx";
inline constexpr std::string_view sp_space = "http://www.prefeitura.sp.gov.br/nfe";

// "EnvioRPS", "ConsultaNFe", "CancelamentoNFe"
std::string_view sp_method_of(Call call) noexcept;

// Nullopt: there is no such address. `xml` and `sent` are the text of MensagemXML, `envelope` the namespace
// of the envelope.
std::optional<Asked> read_sp_call(const http::Request& request, std::string caller);

}  // namespace umavez::fiscal::simulator
