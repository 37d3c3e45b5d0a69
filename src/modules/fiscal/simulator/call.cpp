#include "modules/fiscal/simulator/call.hpp"

#include "json/tree.hpp"
#include "modules/fiscal/simulator/documents.hpp"
#include "modules/fiscal/simulator/packing.hpp"
#include "modules/fiscal/simulator/sefaz_call.hpp"
#include "modules/fiscal/simulator/sp_call.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace umavez::fiscal::simulator {
namespace {

constexpr std::array<std::pair<Service, std::string_view>, 3> services{{
    {Service::nacional, "nacional"},
    {Service::sefaz, "sefaz"},
    {Service::sao_paulo, "sao-paulo"},
}};

constexpr std::array<std::pair<Call, std::string_view>, 8> words{{
    {Call::emitir, "emitir"},
    {Call::consultar, "consultar"},
    {Call::consultar_nota, "consultar-nota"},
    {Call::cancelar, "cancelar"},
    {Call::consultar_evento, "consultar-evento"},
    {Call::recibo, "recibo"},
    {Call::inutilizar, "inutilizar"},
    {Call::status, "status"},
}};

std::vector<std::string> split_path(std::string_view path)
{
    constexpr std::string_view base = "/SefinNacional";
    if (path.starts_with(base)) path.remove_prefix(base.size());
    std::vector<std::string> parts;
    while (path.starts_with('/')) {
        path.remove_prefix(1);
        const std::size_t end = std::min(path.find('/'), path.size());
        parts.emplace_back(path.substr(0, end));
        path.remove_prefix(end);
    }
    return parts;
}

void read_body(const std::string& body, std::string_view member, Asked& asked)
{
    // The codes are those of the rules of reception (Anexo I, RN_RECEPCAO_DPS).
    const auto tree = JsonTree::parse(body);
    const auto packed = tree ? tree->root().find(member) : std::nullopt;
    if (!packed || packed->kind() != JsonKind::string) {
        asked.packing_error = "E1242";
        return;
    }
    const auto zipped = decode_base64(packed->string());
    if (!zipped) {
        asked.packing_error = "E1225";
        return;
    }
    auto xml = unzip(*zipped);
    if (!xml) {
        asked.packing_error = "E1226";
        return;
    }
    asked.xml = *std::move(xml);
    asked.sent = asked.xml;
}

std::optional<Asked> read_post(
    const http::Request& request, const std::vector<std::string>& parts, Asked asked
)
{
    if (parts.size() == 1) {
        asked.call = Call::emitir;
        read_body(request.body, "dpsXmlGZipB64", asked);
        // Only what is one: it goes into the ledger.
        if (const auto dps = read_dps(asked.xml); dps && is_id_dps(dps->id))
            asked.documento = dps->id;
        return asked;
    }
    if (parts.size() != 3 || parts[2] != "eventos") return std::nullopt;
    asked.call = Call::cancelar;
    asked.chave = parts[1];
    read_body(request.body, "pedidoRegistroEventoXmlGZipB64", asked);
    if (const auto pedido = read_pedido(asked.xml)) asked.tipo = pedido->tipo;
    return asked;
}

std::optional<Asked> read_nacional_call(const http::Request& request, std::string caller)
{
    const std::vector<std::string> parts = split_path(request.path);
    if (parts.empty()) return std::nullopt;
    Asked asked{.is_head = request.method == "HEAD", .caller = std::move(caller)};
    if (parts.size() == 2 && parts[0] == "dps" && (request.method == "GET" || asked.is_head)) {
        asked.call = Call::consultar;
        asked.documento = parts[1];
        return asked;
    }
    if (parts[0] != "nfse") return std::nullopt;
    if (request.method == "POST") return read_post(request, parts, std::move(asked));
    if (request.method != "GET" || parts.size() < 2) return std::nullopt;
    asked.chave = parts[1];
    if (parts.size() == 2) {
        asked.call = Call::consultar_nota;
        return asked;
    }
    if (parts.size() != 5 || parts[2] != "eventos") return std::nullopt;
    asked.call = Call::consultar_evento;
    asked.tipo = parts[3];
    asked.sequencia = parts[4];
    return asked;
}

}  // namespace

std::string_view to_text(Service service) noexcept
{
    return std::ranges::find(services, service, &std::pair<Service, std::string_view>::first)
        ->second;
}

std::optional<Service> parse_service(std::string_view text) noexcept
{
    for (const auto& [service, word] : services) {
        if (word == text) return service;
    }
    return std::nullopt;
}

std::string_view to_text(Call call) noexcept
{
    return std::ranges::find(words, call, &std::pair<Call, std::string_view>::first)->second;
}

std::optional<Call> parse_call(std::string_view text) noexcept
{
    for (const auto& [call, word] : words) {
        if (word == text) return call;
    }
    return std::nullopt;
}

std::vector<std::string> call_words()
{
    std::vector<std::string> all;
    all.reserve(words.size());
    for (const auto& [call, word] : words) all.emplace_back(word);
    return all;
}

std::optional<Asked> read_call(const http::Request& request, std::string caller)
{
    if (request.path.starts_with(sefaz_base)) return read_sefaz_call(request, std::move(caller));
    if (request.path.starts_with(sp_path)) return read_sp_call(request, std::move(caller));
    return read_nacional_call(request, std::move(caller));
}

}  // namespace umavez::fiscal::simulator
