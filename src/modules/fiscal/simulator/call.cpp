#include "modules/fiscal/simulator/call.hpp"

#include "json/tree.hpp"
#include "modules/fiscal/simulator/documents.hpp"
#include "modules/fiscal/simulator/packing.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace umavez::fiscal::simulator {
namespace {

constexpr std::array<std::pair<Call, std::string_view>, 5> words{{
    {Call::emitir, "emitir"},
    {Call::consultar, "consultar"},
    {Call::consultar_nota, "consultar-nota"},
    {Call::cancelar, "cancelar"},
    {Call::consultar_evento, "consultar-evento"},
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
}

std::optional<Asked> read_post(
    const http::Request& request, const std::vector<std::string>& parts, Asked asked
)
{
    if (parts.size() == 1) {
        asked.call = Call::emitir;
        read_body(request.body, "dpsXmlGZipB64", asked);
        // Only what is one: it goes into the ledger.
        if (const auto dps = read_dps(asked.xml); dps && is_id_dps(dps->id)) asked.id_dps = dps->id;
        return asked;
    }
    if (parts.size() != 3 || parts[2] != "eventos") return std::nullopt;
    asked.call = Call::cancelar;
    asked.chave = parts[1];
    read_body(request.body, "pedidoRegistroEventoXmlGZipB64", asked);
    if (const auto pedido = read_pedido(asked.xml)) asked.tipo = pedido->tipo;
    return asked;
}

}  // namespace

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
    for (const auto& [call, word] : words) all.emplace_back(word);
    return all;
}

std::optional<Asked> read_call(const http::Request& request, std::string caller)
{
    const std::vector<std::string> parts = split_path(request.path);
    if (parts.empty()) return std::nullopt;
    Asked asked{.is_head = request.method == "HEAD", .caller = std::move(caller)};
    if (parts.size() == 2 && parts[0] == "dps" && (request.method == "GET" || asked.is_head)) {
        asked.call = Call::consultar;
        asked.id_dps = parts[1];
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

}  // namespace umavez::fiscal::simulator
