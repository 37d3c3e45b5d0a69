#include "modules/fiscal/sefaz/soap.hpp"

#include "base/shown.hpp"
#include "modules/fiscal/sefaz/nfe.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace umavez::fiscal::sefaz {
namespace {

using xml::Element;

constexpr std::string_view soap_12 = "http://www.w3.org/2003/05/soap-envelope";
constexpr std::string_view soap_11 = "http://schemas.xmlsoap.org/soap/envelope/";
constexpr std::string_view wsdl_prefix = "http://www.portalfiscal.inf.br/nfe/wsdl/";

void collect(const Element& element, std::string_view name, std::vector<Element>& found)
{
    if (element.name() == name && element.space() == nfe_namespace) {
        found.push_back(element);
        return;  // what stands inside of an answer is no other answer
    }
    for (const Element& child : element.children()) collect(child, name, found);
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

std::unexpected<Error> refuse(std::string why)
{
    return fail(Errc::invalid_argument, std::move(why));
}

}  // namespace

std::string make_envelope(Service service, std::string_view message)
{
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Envelope xmlns=\"{}\"><Body>"
        "<nfeDadosMsg xmlns=\"{}{}\">{}</nfeDadosMsg></Body></Envelope>",
        soap_12,
        wsdl_prefix,
        to_text(service),
        message
    );
}

std::string content_type_of(Service service)
{
    return fmt::format(
        "application/soap+xml; charset=utf-8; action=\"{}{}/{}\"",
        wsdl_prefix,
        to_text(service),
        method_of(service)
    );
}

Result<SoapAnswer> read_envelope(std::string_view text, std::string_view message_name)
{
    auto document = xml::Document::parse(text, {.bytes_max = soap_bytes_max});
    if (!document) return std::unexpected(document.error());
    const Element root = document->root();
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
    collect(*body, message_name, found);
    if (found.size() != 1) {
        return refuse(fmt::format("it has {} of {}: one is due", found.size(), message_name));
    }
    return SoapAnswer{*std::move(document), found.front()};
}

}  // namespace umavez::fiscal::sefaz
