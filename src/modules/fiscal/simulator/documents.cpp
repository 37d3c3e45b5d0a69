#include "modules/fiscal/simulator/documents.hpp"

#include "base/rfc3339.hpp"
#include "modules/fiscal/simulator/xml_scan.hpp"
#include "xml/document.hpp"
#include "xml/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace umavez::fiscal::simulator {
namespace {

constexpr std::array<std::string_view, 6> known_events{
    "101101", "105102", "101103", "105104", "105105", "305101"
};

std::string padded(std::string_view text, std::size_t width)
{
    return std::string(width - std::min(width, text.size()), '0') + std::string{text};
}

bool is_digits(std::string_view text, std::size_t length_max)
{
    return !text.empty() && text.size() <= length_max &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Letters are upper case, in the first twelve positions.
bool is_cnpj(std::string_view text)
{
    return text.size() == 14 &&
           text.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
}

}  // namespace

std::string Dps::inscricao_of_14() const
{
    return padded(inscricao, 14);
}

std::string Dps::id_of_fields() const
{
    return fmt::format(
        "DPS{}{}{}{}{}",
        municipio,
        is_cpf ? '1' : '2',
        inscricao_of_14(),
        padded(serie, 5),
        padded(numero, 15)
    );
}

std::optional<Dps> read_dps(std::string_view xml)
{
    const auto scan = XmlScan::parse(xml);
    if (!scan || scan->root() != "DPS") return std::nullopt;
    const std::string inf = "DPS/infDPS";
    Dps dps{
        .id = scan->id(inf),
        .ambiente = scan->text(inf + "/tpAmb"),
        .serie = scan->text(inf + "/serie"),
        .numero = scan->text(inf + "/nDPS"),
        .municipio = scan->text(inf + "/cLocEmi"),
        .inscricao = scan->text(inf + "/prest/CNPJ"),
        .is_cpf = !scan->has(inf + "/prest/CNPJ"),
        .substitui = scan->text(inf + "/subst/chSubstda"),
    };
    if (dps.is_cpf) dps.inscricao = scan->text(inf + "/prest/CPF");
    const bool is_issuer_known = dps.is_cpf
                                     ? dps.inscricao.size() == 11 && is_digits(dps.inscricao, 11)
                                     : is_cnpj(dps.inscricao);
    const bool is_complete = !dps.id.empty() && is_digits(dps.ambiente, 1) &&
                             is_digits(dps.serie, 5) && is_digits(dps.numero, 15) &&
                             dps.numero.front() != '0' && dps.municipio.size() == 7 &&
                             is_digits(dps.municipio, 7) && is_issuer_known;
    if (!is_complete) return std::nullopt;
    return dps;
}

std::optional<Pedido> read_pedido(std::string_view xml)
{
    const auto scan = XmlScan::parse(xml);
    if (!scan || scan->root() != "pedRegEvento") return std::nullopt;
    const std::string inf = "pedRegEvento/infPedReg";
    Pedido pedido{
        .id = scan->id(inf),
        .ambiente = scan->text(inf + "/tpAmb"),
        .chave = scan->text(inf + "/chNFSe"),
        .tipo = {},
        .motivo = {},
    };
    for (const std::string_view tipo : known_events) {
        const std::string path = fmt::format("{}/e{}", inf, tipo);
        if (!scan->has(path)) continue;
        pedido.tipo = tipo;
        pedido.motivo = scan->text(path + "/xMotivo");
    }
    if (pedido.id.empty() || pedido.chave.empty() || pedido.tipo.empty()) return std::nullopt;
    return pedido;
}

bool is_signature_good(std::string_view xml, std::string_view path)
{
    const auto document = xml::Document::parse(xml);
    if (!document) return false;
    if (xml::find_signatures(*document).empty()) return true;
    const auto inf = document->root().find(path);
    return inf && xml::check_signature(*document, *inf).has_value();
}

char check_digit(std::string_view positions) noexcept
{
    int sum = 0;
    int weight = 2;
    for (auto at = positions.rbegin(); at != positions.rend(); ++at) {
        sum += (*at - '0') * weight;
        weight = weight == 9 ? 2 : weight + 1;
    }
    const int rest = sum % 11;
    return static_cast<char>('0' + (rest < 2 ? 0 : 11 - rest));
}

std::string make_chave(const Dps& dps, std::uint64_t numero, Instant at, std::uint64_t chance)
{
    const std::string when = to_brasilia(at);
    std::string chave = fmt::format(
        "{}2{}{}{:013}{}{}{:09}",
        dps.municipio,
        dps.is_cpf ? '1' : '2',
        dps.inscricao_of_14(),
        numero,
        when.substr(2, 2),
        when.substr(5, 2),
        chance % 1'000'000'000
    );
    chave += check_digit(chave);
    return chave;
}

bool is_id_dps(std::string_view text) noexcept
{
    return text.size() == 45 && text.starts_with("DPS") &&
           text.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
}

std::string to_brasilia(Instant at)
{
    constexpr std::size_t up_to_seconds = 19;
    return to_rfc3339(at - std::chrono::hours{3}).substr(0, up_to_seconds) + "-03:00";
}

std::string make_nfse(std::string_view dps_xml, const Authorship& authorship)
{
    const auto dps = read_dps(dps_xml);
    const auto scan = XmlScan::parse(dps_xml);
    if (!dps || !scan) return {};
    return fmt::format(
        R"(<?xml version="1.0" encoding="utf-8"?>)"
        R"(<NFSe versao="1.01" xmlns="http://www.sped.fazenda.gov.br/nfse"><infNFSe Id="NFS{}">)"
        "<xLocEmi>Município simulado</xLocEmi><nNFSe>{}</nNFSe><cLocIncid>{}</cLocIncid>"
        "<verAplic>umavez-simulador</verAplic><ambGer>2</ambGer><tpEmis>1</tpEmis><procEmi>1</"
        "procEmi>"
        "<cStat>100</cStat><dhProc>{}</dhProc><nDFSe>{}</nDFSe><emit><{}>{}</{}></emit>{}"
        "</infNFSe></NFSe>",
        authorship.chave,
        authorship.numero,
        dps->municipio,
        to_brasilia(authorship.at),
        authorship.numero,
        dps->is_cpf ? "CPF" : "CNPJ",
        dps->inscricao,
        dps->is_cpf ? "CPF" : "CNPJ",
        scan->element()
    );
}

std::string make_evento(std::string_view pedido_xml, const Registration& registration)
{
    const auto scan = XmlScan::parse(pedido_xml);
    const std::string own = fmt::format(
        R"(<pedRegEvento versao="1.01"><infPedReg Id="PRE{}{}"><dhEvento>{}</dhEvento>)"
        "<chNFSe>{}</chNFSe><e{}><xDesc>Registrado pelo "
        "simulador</xDesc></e{}></infPedReg></pedRegEvento>",
        registration.chave,
        registration.tipo,
        to_brasilia(registration.at),
        registration.chave,
        registration.tipo,
        registration.tipo
    );
    return fmt::format(
        R"(<?xml version="1.0" encoding="utf-8"?>)"
        R"(<evento versao="1.01" xmlns="http://www.sped.fazenda.gov.br/nfse"><infEvento Id="EVT{}{}001">)"
        "<verAplic>umavez-simulador</verAplic><ambGer>2</ambGer><nSeqEvento>001</nSeqEvento>"
        "<dhProc>{}</dhProc><nDFSe>1</nDFSe>{}</infEvento></evento>",
        registration.chave,
        registration.tipo,
        to_brasilia(registration.at),
        scan ? std::string{scan->element()} : own
    );
}

}  // namespace umavez::fiscal::simulator
