#include "modules/fiscal/simulator/sefaz_call.hpp"

#include "modules/fiscal/simulator/sefaz_documents.hpp"
#include "modules/fiscal/simulator/xml_scan.hpp"
#include "xml/document.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace umavez::fiscal::simulator {

const std::array<SefazService, 6> sefaz_services{{
    {Call::emitir, "NFeAutorizacao4", "nfeAutorizacaoLote", "enviNFe", "autorizacao"},
    {Call::recibo, "NFeRetAutorizacao4", "nfeRetAutorizacaoLote", "consReciNFe", "ret_autorizacao"},
    {Call::consultar, "NFeConsultaProtocolo4", "nfeConsultaNF", "consSitNFe", "consulta"},
    {Call::cancelar, "NFeRecepcaoEvento4", "nfeRecepcaoEvento", "envEvento", "evento"},
    {Call::inutilizar, "NFeInutilizacao4", "nfeInutilizacaoNF", "inutNFe", "inutilizacao"},
    {Call::status, "NFeStatusServico4", "nfeStatusServicoNF", "consStatServ", "status"},
}};

namespace {

constexpr std::string_view soap_12 = "http://www.w3.org/2003/05/soap-envelope";
constexpr std::string_view nfe_space = "http://www.portalfiscal.inf.br/nfe";

bool is_named(const xml::Element& element, std::string_view name, std::string_view space)
{
    return element.name() == name && element.space() == space;
}

// The only child, if that is what it is called.
std::optional<xml::Element> only_child(
    const xml::Element& parent, std::string_view name, std::string_view space
)
{
    const auto children = parent.children();
    if (children.size() != 1 || !is_named(children.front(), name, space)) return std::nullopt;
    return children.front();
}

// What is wrong with the envelope; empty: nothing.
std::string envelope_error(const http::Request& request, const SefazService& service)
{
    const auto type = http::find_header(request.headers, "Content-Type");
    if (!type || !type->starts_with("application/soap+xml"))
        return "Content-Type is not application/soap+xml";
    const auto document = xml::Document::parse(request.body);
    if (!document) return document.error().detail;
    if (!is_named(document->root(), "Envelope", soap_12))
        return "the root is no Envelope of SOAP 1.2";
    const auto body = only_child(document->root(), "Body", soap_12);
    if (!body) return "the Envelope has not one Body and nothing else";
    const std::string space = wsdl_space(service);
    const auto data = only_child(*body, "nfeDadosMsg", space);
    if (!data) return fmt::format("the Body has no nfeDadosMsg of {}", space);
    if (!only_child(*data, service.request, nfe_space))
        return fmt::format("nfeDadosMsg has no {} of {}", service.request, nfe_space);
    return {};
}

std::string chave_of(const XmlScan& scan, Call call)
{
    if (call == Call::emitir) {
        const std::string id = scan.id("enviNFe/NFe/infNFe");
        return id.starts_with("NFe") ? id.substr(3) : std::string{};
    }
    if (call == Call::consultar) return scan.text("consSitNFe/chNFe");
    if (call == Call::cancelar) return scan.text("envEvento/evento/infEvento/chNFe");
    return {};
}

}  // namespace

const SefazService& sefaz_service_of(Call call) noexcept
{
    return *std::ranges::find(sefaz_services, call, &SefazService::call);
}

std::string wsdl_space(const SefazService& service)
{
    return fmt::format("{}/wsdl/{}", nfe_space, service.name);
}

std::optional<Asked> read_sefaz_call(const http::Request& request, std::string caller)
{
    const std::string_view name = std::string_view{request.path}.substr(sefaz_base.size());
    const auto* const service = std::ranges::find(sefaz_services, name, &SefazService::name);
    if (service == sefaz_services.end() || request.method != "POST") return std::nullopt;
    Asked asked{.service = Service::sefaz, .call = service->call, .caller = std::move(caller)};
    asked.packing_error = envelope_error(request, *service);
    if (!asked.packing_error.empty()) return asked;
    asked.xml = cut_element(request.body, service->request);
    asked.sent = asked.call == Call::emitir ? cut_element(asked.xml, "NFe") : asked.xml;
    const auto scan = XmlScan::parse(asked.xml);
    if (!scan) return asked;
    // Only what is one: it goes into the ledger.
    if (const std::string chave = chave_of(*scan, asked.call); is_chave_nfe(chave)) {
        asked.chave = chave;
        asked.documento = natural_key(chave);
    }
    if (asked.call == Call::cancelar)
        asked.tipo = scan->text("envEvento/evento/infEvento/tpEvento");
    if (asked.call == Call::recibo) asked.recibo = scan->text("consReciNFe/nRec");
    if (const std::string id = scan->id("inutNFe/infInut"); is_id_of_range(id))
        asked.documento = id;
    return asked;
}

}  // namespace umavez::fiscal::simulator
