#include "modules/fiscal/sefaz/service.hpp"

#include <array>

namespace umavez::fiscal::sefaz {
namespace {

constexpr std::array services = {
    Service::autorizacao,
    Service::ret_autorizacao,
    Service::consulta_protocolo,
    Service::recepcao_evento,
    Service::inutilizacao,
    Service::status_servico,
};

}  // namespace

std::string_view to_text(Service service) noexcept
{
    switch (service) {
        case Service::autorizacao: return "NFeAutorizacao4";
        case Service::ret_autorizacao: return "NFeRetAutorizacao4";
        case Service::consulta_protocolo: return "NFeConsultaProtocolo4";
        case Service::recepcao_evento: return "NFeRecepcaoEvento4";
        case Service::inutilizacao: return "NFeInutilizacao4";
        case Service::status_servico: return "NFeStatusServico4";
    }
    return "";
}

std::string_view method_of(Service service) noexcept
{
    switch (service) {
        case Service::autorizacao: return "nfeAutorizacaoLote";
        case Service::ret_autorizacao: return "nfeRetAutorizacaoLote";
        case Service::consulta_protocolo: return "nfeConsultaNF";
        case Service::recepcao_evento: return "nfeRecepcaoEvento";
        case Service::inutilizacao: return "nfeInutilizacaoNF";
        case Service::status_servico: return "nfeStatusServicoNF";
    }
    return "";
}

std::string_view setting_of(Service service) noexcept
{
    switch (service) {
        case Service::autorizacao: return "autorizacao";
        case Service::ret_autorizacao: return "ret_autorizacao";
        case Service::consulta_protocolo: return "consulta";
        case Service::recepcao_evento: return "evento";
        case Service::inutilizacao: return "inutilizacao";
        case Service::status_servico: return "status";
    }
    return "";
}

std::span<const Service> all_services() noexcept
{
    return services;
}

std::string lugar_of(const AccessKey& chave)
{
    if (chave.tp_emis() == "6") return "SVC-AN";
    if (chave.tp_emis() == "7") return "SVC-RS";
    return std::string{chave.uf()};
}

}  // namespace umavez::fiscal::sefaz
