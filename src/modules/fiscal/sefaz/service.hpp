#pragma once

// Service: the web services of SEFAZ 4.00, and where they are. Plain values, pure.

#include "modules/fiscal/ids/access_key.hpp"
#include "modules/fiscal/ids/tipo.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace umavez::fiscal::sefaz {

enum class Service : std::uint8_t {
    autorizacao,
    ret_autorizacao,
    consulta_protocolo,
    recepcao_evento,
    inutilizacao,
    status_servico,
};

std::string_view to_text(Service service) noexcept;     // "NFeAutorizacao4"
std::string_view method_of(Service service) noexcept;   // "nfeAutorizacaoLote"
std::string_view setting_of(Service service) noexcept;  // "autorizacao", of [[fiscal.sefaz]]
std::span<const Service> all_services() noexcept;

// Which of the authorities' addresses. Every state chooses its own, for each model and environment.
struct EndpointKey {
    std::string lugar;  // IBGE code of the state, "35"; or "SVC-AN", "SVC-RS"
    Tipo tipo = Tipo::nfe;
    Ambiente ambiente = Ambiente::homologacao;
    Service service = Service::autorizacao;
    friend auto operator<=>(const EndpointKey&, const EndpointKey&) = default;
};
using Endpoints = std::map<EndpointKey, std::string>;  // URLs

// Where a document of this key is authorised: in its state, or in the contingency that its tpEmis names.
std::string lugar_of(const AccessKey& chave);

}  // namespace umavez::fiscal::sefaz
