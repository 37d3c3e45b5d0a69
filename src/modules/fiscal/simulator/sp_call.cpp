#include "modules/fiscal/simulator/sp_call.hpp"

#include "modules/fiscal/simulator/sp_documents.hpp"
#include "xml/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace umavez::fiscal::simulator {
namespace {

constexpr std::array<std::string_view, 2> soap_spaces{
    "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"
};

constexpr std::array<std::pair<Call, std::string_view>, 3> methods{{
    {Call::emitir, "EnvioRPS"},
    {Call::consultar, "ConsultaNFe"},
    {Call::cancelar, "CancelamentoNFe"},
}};

std::optional<xml::Element> child_of(const xml::Element& parent, std::string_view name)
{
    for (const xml::Element& child : parent.children()) {
        if (child.name() == name) return child;
    }
    return std::nullopt;
}

// Says what is wrong with the envelope, or what it holds.
void read_envelope(const http::Request& request, Asked& asked)
{
    const auto document = xml::Document::parse(request.body);
    if (!document) {
        asked.packing_error = document.error().detail;
        return;
    }
    const xml::Element root = document->root();
    const auto body = child_of(root, "Body");
    const bool is_soap = std::ranges::find(soap_spaces, root.space()) != soap_spaces.end();
    if (root.name() != "Envelope" || !is_soap || !body) {
        asked.packing_error = "the root is no Envelope of SOAP with a Body";
        return;
    }
    asked.envelope = root.space();
    for (const auto& [call, method] : methods) {
        const auto asks = child_of(*body, fmt::format("{}Request", method));
        if (!asks || asks->space() != sp_space) continue;
        asked.call = call;
        asked.versao = asks->find_text("VersaoSchema").value_or("");
        asked.xml = asks->find_text("MensagemXML").value_or("");
        asked.sent = asked.xml;
        return;
    }
    asked.packing_error = fmt::format("the Body has no method of {}", sp_space);
}

}  // namespace

std::string_view sp_method_of(Call call) noexcept
{
    const auto* const found =
        std::ranges::find(methods, call, &std::pair<Call, std::string_view>::first);
    return found == methods.end() ? std::string_view{} : found->second;
}

std::optional<Asked> read_sp_call(const http::Request& request, std::string caller)
{
    if (request.path != sp_path || request.method != "POST") return std::nullopt;
    Asked asked{.service = Service::sao_paulo, .caller = std::move(caller)};
    read_envelope(request, asked);
    if (asked.call == Call::emitir) {
        if (const auto rps = read_rps(asked.xml)) asked.documento = rps->chave.natural_key();
    } else if (asked.call == Call::consultar) {
        const auto consulta = read_consulta(asked.xml);
        if (consulta && consulta->rps) asked.documento = consulta->rps->natural_key();
        if (consulta && consulta->nota) asked.chave = consulta->nota->chave();
    } else if (const auto cancelamento = read_cancelamento(asked.xml)) {
        asked.chave = cancelamento->nota.chave();
    }
    return asked;
}

}  // namespace umavez::fiscal::simulator
