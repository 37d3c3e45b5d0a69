#include "modules/fiscal/sao_paulo/soap.hpp"

#include "base/shown.hpp"
#include "modules/fiscal/sao_paulo/names.hpp"
#include "xml/writer.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace umavez::fiscal::sao_paulo {
namespace {

using xml::Document;
using xml::Element;

constexpr std::string_view soap_12 = "http://www.w3.org/2003/05/soap-envelope";
constexpr std::string_view soap_11 = "http://schemas.xmlsoap.org/soap/envelope/";
constexpr std::string_view action_prefix = "http://www.prefeitura.sp.gov.br/nfe/ws/";
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

std::string_view action_of(Method method) noexcept
{
    switch (method) {
        case Method::envio_rps: return "envioRPS";
        case Method::consulta_nfe: return "consultaNFe";
        case Method::cancelamento_nfe: return "cancelamentoNFe";
    }
    return "";
}

void collect(const Element& element, std::vector<Element>& found)
{
    if (element.name() == "RetornoXML") found.push_back(element);
    for (const Element& child : element.children()) collect(child, found);
}

// Of SOAP 1.2 Reason/Text, of 1.1 faultstring, which has no namespace.
std::string reason_of(const Element& fault)
{
    if (auto text = fault.find_text("Reason/Text")) return *std::move(text);
    for (const Element& child : fault.children()) {
        if (child.name() == "faultstring") return child.text();
    }
    return "no reason";
}

// A text inside of a text is in no encoding of its own, whatever its first line says.
std::string_view without_declaration(std::string_view text)
{
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    text.remove_prefix(first == std::string_view::npos ? text.size() : first);
    if (!text.starts_with("<?xml ")) return text;
    const std::size_t end = text.find("?>");
    return end == std::string_view::npos ? text : text.substr(end + 2);
}

std::unexpected<Error> refuse(std::string why)
{
    return fail(Errc::invalid_argument, std::move(why));
}

}  // namespace

std::string_view to_text(Method method) noexcept
{
    switch (method) {
        case Method::envio_rps: return "EnvioRPS";
        case Method::consulta_nfe: return "ConsultaNFe";
        case Method::cancelamento_nfe: return "CancelamentoNFe";
    }
    return "";
}

std::string_view retorno_of(Method method) noexcept
{
    switch (method) {
        case Method::envio_rps: return "RetornoEnvioRPS";
        case Method::consulta_nfe: return "RetornoConsulta";
        case Method::cancelamento_nfe: return "RetornoCancelamentoNFe";
    }
    return "";
}

std::string make_envelope(Method method, SpLayout layout, std::string_view message)
{
    const std::string request = fmt::format("{}Request", to_text(method));
    xml::Writer writer;
    writer.open("Envelope", {{"xmlns", soap_12}})
        .open("Body")
        .open(request, {{"xmlns", sp_namespace}})
        .element("VersaoSchema", to_text(layout))
        .element("MensagemXML", message);
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + std::move(writer).finish();
}

std::string content_type_of(Method method)
{
    return fmt::format(
        "application/soap+xml; charset=utf-8; action=\"{}{}\"", action_prefix, action_of(method)
    );
}

Result<Document> read_envelope(Method method, std::string_view text)
{
    const auto envelope = Document::parse(text, {.bytes_max = soap_bytes_max});
    if (!envelope) return std::unexpected(envelope.error());
    const Element root = envelope->root();
    const bool is_soap = root.space() == soap_12 || root.space() == soap_11;
    if (root.name() != "Envelope" || !is_soap) {
        return refuse(fmt::format("it is no SOAP envelope but {}", shown(root.name())));
    }
    const auto body = root.find("Body");
    if (!body) return refuse("its envelope has no Body");
    if (const auto fault = body->find("Fault")) {
        return refuse(fmt::format("it is a SOAP fault: {}", shown(reason_of(*fault))));
    }
    std::vector<Element> found;
    collect(*body, found);
    if (found.size() != 1) {
        return refuse(fmt::format("it has {} of RetornoXML: one is due", found.size()));
    }
    const std::string inside = found.front().text();
    auto retorno = Document::parse(without_declaration(inside), {.bytes_max = soap_bytes_max});
    if (!retorno) return refuse("its RetornoXML: " + retorno.error().detail);
    const Element top = retorno->root();
    if (top.name() != retorno_of(method) || top.space() != sp_namespace) {
        return refuse(
            fmt::format("its RetornoXML is no {} but {}", retorno_of(method), shown(top.name()))
        );
    }
    return retorno;
}

}  // namespace umavez::fiscal::sao_paulo
