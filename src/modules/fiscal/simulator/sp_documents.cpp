#include "modules/fiscal/simulator/sp_documents.hpp"

#include "modules/fiscal/simulator/packing.hpp"
#include "modules/fiscal/simulator/xml_scan.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace umavez::fiscal::simulator {
namespace {

bool is_number(std::string_view text, std::size_t length_max)
{
    return !text.empty() && text.size() <= length_max &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string_view without_zeros(std::string_view digits)
{
    return digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
}

// The root has a prefix in the examples of the manual; what is inside has no namespace.
std::optional<XmlScan> scan_message(std::string_view xml, std::string_view root)
{
    auto scan = XmlScan::parse(xml, Prefixes::dropped);
    if (!scan || scan->root() != root) return std::nullopt;
    const std::string sender = fmt::format("{}/Cabecalho/CPFCNPJRemetente", root);
    if (!scan->has(sender + "/CNPJ") && !scan->has(sender + "/CPF")) return std::nullopt;
    return scan;
}

std::optional<ChaveRps> read_chave_rps(const XmlScan& scan, const std::string& path)
{
    ChaveRps chave{
        .inscricao = scan.text(path + "/InscricaoPrestador"),
        .serie = scan.text(path + "/SerieRPS"),
        .numero = scan.text(path + "/NumeroRPS"),
    };
    if (!is_number(chave.inscricao, 12) || chave.serie.size() > 5 || !is_number(chave.numero, 12))
        return std::nullopt;
    return chave;
}

std::optional<ChaveNota> read_chave_nota(const XmlScan& scan, const std::string& path)
{
    ChaveNota chave{
        .inscricao = scan.text(path + "/InscricaoPrestador"),
        .numero = scan.text(path + "/NumeroNFe"),
    };
    if (!is_number(chave.inscricao, 12) || !is_number(chave.numero, 12)) return std::nullopt;
    return chave;
}

}  // namespace

std::string ChaveRps::natural_key() const
{
    return fmt::format("RPS{}-{}-{}", without_zeros(inscricao), serie, without_zeros(numero));
}

std::string ChaveNota::chave() const
{
    return fmt::format("SP{}-{}", without_zeros(inscricao), without_zeros(numero));
}

std::optional<Rps> read_rps(std::string_view xml)
{
    const auto scan = scan_message(xml, "PedidoEnvioRPS");
    const std::string path = "PedidoEnvioRPS/RPS";
    if (!scan || scan->count(path) != 1) return std::nullopt;
    auto chave = read_chave_rps(*scan, path + "/ChaveRPS");
    if (!chave) return std::nullopt;
    // The value has another name in layout 2.
    std::string valor = scan->text(path + "/ValorServicos");
    if (valor.empty()) valor = scan->text(path + "/ValorInicialCobrado");
    if (valor.empty()) valor = scan->text(path + "/ValorFinalCobrado");
    Rps rps{
        .chave = *std::move(chave),
        .data = scan->text(path + "/DataEmissao"),
        .tipo = scan->text(path + "/TipoRPS"),
        .valor = std::move(valor),
        .assinatura = scan->text(path + "/Assinatura"),
    };
    if (rps.data.empty() || rps.valor.empty()) return std::nullopt;
    return rps;
}

std::optional<Consulta> read_consulta(std::string_view xml)
{
    const auto scan = scan_message(xml, "PedidoConsultaNFe");
    const std::string path = "PedidoConsultaNFe/Detalhe";
    if (!scan || scan->count(path) != 1) return std::nullopt;
    Consulta consulta{
        .rps = read_chave_rps(*scan, path + "/ChaveRPS"),
        .nota = read_chave_nota(*scan, path + "/ChaveNFe"),
    };
    if (consulta.rps.has_value() == consulta.nota.has_value()) return std::nullopt;
    return consulta;
}

std::optional<Cancelamento> read_cancelamento(std::string_view xml)
{
    const auto scan = scan_message(xml, "PedidoCancelamentoNFe");
    const std::string path = "PedidoCancelamentoNFe/Detalhe";
    if (!scan || scan->count(path) != 1) return std::nullopt;
    auto nota = read_chave_nota(*scan, path + "/ChaveNFe");
    if (!nota) return std::nullopt;
    return Cancelamento{
        .nota = *std::move(nota), .assinatura = scan->text(path + "/AssinaturaCancelamento")
    };
}

}  // namespace umavez::fiscal::simulator
