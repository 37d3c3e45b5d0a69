#include "modules/fiscal/simulator/sefaz_documents.hpp"

#include "modules/fiscal/simulator/documents.hpp"
#include "modules/fiscal/simulator/xml_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace umavez::fiscal::simulator {
namespace {

constexpr std::string_view digits = "0123456789";
constexpr std::string_view digits_and_letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

bool is_of(std::string_view text, std::string_view characters)
{
    return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

bool is_number(std::string_view text, std::size_t length_max)
{
    return is_of(text, digits) && text.size() <= length_max;
}

std::string padded(std::string_view text, std::size_t width)
{
    return std::string(width - std::min(width, text.size()), '0') + std::string{text};
}

// CNPJ or CPF, whichever is there.
std::string inscricao_at(const XmlScan& scan, const std::string& path)
{
    const std::string cnpj = scan.text(path + "/CNPJ");
    return cnpj.empty() ? scan.text(path + "/CPF") : cnpj;
}

bool is_inscricao(std::string_view text)
{
    return (text.size() == 14 && is_of(text, digits_and_letters)) ||
           (text.size() == 11 && is_of(text, digits));
}

// "2026-11-17T10:00:00-03:00" is of "2611".
std::string month_of(std::string_view moment)
{
    if (moment.size() < 7) return {};
    return fmt::format("{}{}", moment.substr(2, 2), moment.substr(5, 2));
}

}  // namespace

bool is_chave_nfe(std::string_view text) noexcept
{
    return text.size() == 44 && is_of(text.substr(0, 6), digits) &&
           is_of(text.substr(6, 14), digits_and_letters) && is_of(text.substr(20), digits);
}

bool has_right_check_digit(std::string_view chave) noexcept
{
    return check_digit(chave.substr(0, 43)) == chave.back();
}

std::string natural_key(std::string_view chave)
{
    const bool is_nfce = chave.substr(20, 2) == "65";
    return fmt::format("NFe{}{}", chave.substr(0, 2), chave.substr(6, is_nfce ? 29 : 28));
}

std::optional<Nfe> read_nfe(std::string_view envi_nfe)
{
    const auto scan = XmlScan::parse(envi_nfe);
    if (!scan || scan->root() != "enviNFe" || scan->count("enviNFe/NFe") != 1) return std::nullopt;
    const std::string inf = "enviNFe/NFe/infNFe";
    const auto ide = [&](std::string_view name) {
        return scan->text(fmt::format("{}/ide/{}", inf, name));
    };
    const std::string inscricao = inscricao_at(*scan, inf + "/emit");
    const bool is_complete =
        scan->text("enviNFe@versao") == "4.00" && is_number(ide("cUF"), 2) &&
        is_number(ide("serie"), 3) && is_number(ide("nNF"), 9) && is_number(ide("tpEmis"), 1) &&
        is_number(ide("cNF"), 8) && is_number(ide("cDV"), 1) && is_number(ide("tpAmb"), 1) &&
        (ide("mod") == "55" || ide("mod") == "65") && is_inscricao(inscricao) &&
        is_number(month_of(ide("dhEmi")), 4) && !scan->id(inf).empty();
    if (!is_complete) return std::nullopt;
    return Nfe{
        .id = scan->id(inf),
        .sinc = scan->text("enviNFe/indSinc"),
        .ambiente = ide("tpAmb"),
        .modelo = ide("mod"),
        .digest = scan->text("enviNFe/NFe/Signature/SignedInfo/Reference/DigestValue"),
        .chave_of_fields = fmt::format(
            "{}{}{}{}{}{}{}{}{}",
            ide("cUF"),
            month_of(ide("dhEmi")),
            padded(inscricao, 14),
            ide("mod"),
            padded(ide("serie"), 3),
            padded(ide("nNF"), 9),
            ide("tpEmis"),
            padded(ide("cNF"), 8),
            ide("cDV")
        ),
    };
}

std::string Evento::id_of_fields() const
{
    return fmt::format("ID{}{}{}", tipo, chave, padded(sequencia, 2));
}

std::optional<Evento> read_evento(std::string_view env_evento)
{
    const auto scan = XmlScan::parse(env_evento);
    if (!scan || scan->root() != "envEvento" || scan->count("envEvento/evento") != 1)
        return std::nullopt;
    const std::string inf = "envEvento/evento/infEvento";
    const std::string det = inf + "/detEvento";
    Evento evento{
        .lote = scan->text("envEvento/idLote"),
        .id = scan->id(inf),
        .orgao = scan->text(inf + "/cOrgao"),
        .ambiente = scan->text(inf + "/tpAmb"),
        .autor = inscricao_at(*scan, inf),
        .chave = scan->text(inf + "/chNFe"),
        .tipo = scan->text(inf + "/tpEvento"),
        .sequencia = scan->text(inf + "/nSeqEvento"),
        .protocolo = scan->text(det + "/nProt"),
        .motivo = scan->text(det + "/xJust"),
        .substituta = scan->text(det + "/chNFeRef"),
    };
    const bool is_complete =
        is_number(evento.lote, 15) && is_number(evento.orgao, 2) && !evento.id.empty() &&
        is_inscricao(evento.autor) && is_chave_nfe(evento.chave) && is_number(evento.tipo, 6) &&
        is_number(evento.sequencia, 2) && !scan->text(inf + "/dhEvento").empty() &&
        !scan->text(det + "/descEvento").empty();
    if (!is_complete) return std::nullopt;
    return evento;
}

std::string Inutilizacao::id_of_fields() const
{
    return fmt::format(
        "ID{}{}{}{}{}{}{}",
        uf,
        ano,
        padded(inscricao, 14),
        modelo,
        padded(serie, 3),
        padded(primeiro, 9),
        padded(ultimo, 9)
    );
}

std::optional<Inutilizacao> read_inutilizacao(std::string_view inut_nfe)
{
    const auto scan = XmlScan::parse(inut_nfe);
    if (!scan || scan->root() != "inutNFe") return std::nullopt;
    const std::string inf = "inutNFe/infInut";
    const auto field = [&](std::string_view name) {
        return scan->text(fmt::format("{}/{}", inf, name));
    };
    Inutilizacao pedido{
        .id = scan->id(inf),
        .ambiente = field("tpAmb"),
        .uf = field("cUF"),
        .ano = field("ano"),
        .inscricao = inscricao_at(*scan, inf),
        .modelo = field("mod"),
        .serie = field("serie"),
        .primeiro = field("nNFIni"),
        .ultimo = field("nNFFin"),
        .motivo = field("xJust"),
    };
    const bool is_complete =
        field("xServ") == "INUTILIZAR" && is_id_of_range(pedido.id) && is_number(pedido.uf, 2) &&
        is_number(pedido.ano, 2) && is_inscricao(pedido.inscricao) &&
        (pedido.modelo == "55" || pedido.modelo == "65") && is_number(pedido.serie, 3) &&
        is_number(pedido.primeiro, 9) && is_number(pedido.ultimo, 9);
    if (!is_complete) return std::nullopt;
    return pedido;
}

bool is_id_of_range(std::string_view text) noexcept
{
    return text.size() == 43 && text.starts_with("ID") &&
           is_of(text.substr(2), digits_and_letters) && is_of(text.substr(20), digits);
}

}  // namespace umavez::fiscal::simulator
