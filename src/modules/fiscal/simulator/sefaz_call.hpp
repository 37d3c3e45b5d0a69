#pragma once

// The calls of SEFAZ 4.00: SOAP 1.2, one address per service. Pure, thread-safe.

#include "http/message.hpp"
#include "modules/fiscal/simulator/call.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::fiscal::simulator {

struct SefazService {
    Call call;
    std::string_view name;     // "NFeAutorizacao4", the end of its address
    std::string_view method;   // "nfeAutorizacaoLote"
    std::string_view request;  // "enviNFe"
    std::string_view setting;  // "autorizacao", under [fiscal.sefaz.homologacao]
};

inline constexpr std::string_view sefaz_base = "/sefaz/";
extern const std::array<SefazService, 6> sefaz_services;
const SefazService& sefaz_service_of(Call call) noexcept;  // one of SEFAZ

// The namespace of nfeDadosMsg and nfeResultMsg.
std::string wsdl_space(const SefazService& service);

// Nullopt: there is no such address. `xml` is the request as it stands in nfeDadosMsg, `sent` the NFe in it,
// byte for byte from "<NFe" to "</NFe>", or the whole request of the other services.
std::optional<Asked> read_sefaz_call(const http::Request& request, std::string caller);

}  // namespace umavez::fiscal::simulator
