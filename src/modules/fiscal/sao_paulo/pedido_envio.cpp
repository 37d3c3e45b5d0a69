#include "modules/fiscal/sao_paulo/pedido_envio.hpp"

#include "base/shown.hpp"
#include "modules/fiscal/ids/inscricao.hpp"
#include "modules/fiscal/ids/modulo11.hpp"
#include "modules/fiscal/sao_paulo/names.hpp"
#include "xml/only.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace umavez::fiscal::sao_paulo {
namespace {

using xml::Document;
using xml::Element;
using xml::only_child;
using xml::only_text;

std::unexpected<Error> refuse(std::string why)
{
    return fail(Errc::invalid_argument, std::move(why));
}

// The child of the root, which is of no namespace as the root is not.
std::optional<Element> find_part(const Element& root, std::string_view name)
{
    for (const Element& child : root.children()) {
        if (child.name() == name && child.space().empty()) return child;
    }
    return std::nullopt;
}

// Whatever else might stand there, the city could read and we would not.
bool has_three_parts(const Element& root)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> parts = {{
        {"Cabecalho", ""},
        {"RPS", ""},
        {"Signature", "http://www.w3.org/2000/09/xmldsig#"},
    }};
    return std::ranges::equal(root.children(), parts, [](const Element& child, const auto& part) {
        return child.name() == part.first && child.space() == part.second;
    });
}

Result<SpLayout> read_layout(const Element& head)
{
    const std::string text = head.attribute("Versao").value_or("");
    if (text == "1") return SpLayout::one;
    if (text == "2") return SpLayout::two;
    return refuse(fmt::format("Versao of Cabecalho must be 1 or 2: {}", shown(text)));
}

Result<std::string> read_sender(const Element& head)
{
    const auto sender = only_child(head, "CPFCNPJRemetente");
    if (!sender) return std::unexpected(sender.error());
    if (sender->children().size() != 1) return refuse("CPFCNPJRemetente must have a CNPJ or a CPF");
    const bool has_cpf = sender->find("CPF").has_value();
    const auto text = only_text(*sender, has_cpf ? "CPF" : "CNPJ");
    if (!text) return std::unexpected(text.error());
    const auto inscricao = Inscricao::parse(*text);
    if (!inscricao) {
        return refuse(fmt::format("CPFCNPJRemetente {}", describe(inscricao.error()).en));
    }
    return inscricao->text();
}

Result<SpRpsKey> read_key(const Element& rps)
{
    const auto chave = only_child(rps, "ChaveRPS");
    if (!chave) return std::unexpected(chave.error());
    const auto im = only_text(*chave, "InscricaoPrestador");
    if (!im) return std::unexpected(im.error());
    std::string serie;
    if (chave->find("SerieRPS")) {
        auto text = only_text(*chave, "SerieRPS");
        if (!text) return std::unexpected(text.error());
        serie = *std::move(text);
    }
    const auto numero = xml::only_number(*chave, "NumeroRPS", 12);
    if (!numero) return std::unexpected(numero.error());
    const auto key = SpRpsKey::make(*im, serie, *numero);
    if (!key) return refuse(fmt::format("ChaveRPS {}", describe(key.error()).en));
    return *key;
}

Result<std::chrono::year_month_day> read_date(const Element& rps)
{
    const auto text = only_text(rps, "DataEmissao");
    if (!text) return std::unexpected(text.error());
    const std::string_view date = *text;
    const bool has_form = date.size() == 10 && date[4] == '-' && date[7] == '-' &&
                          digits.has_all(date.substr(0, 4)) && digits.has_all(date.substr(5, 2)) &&
                          digits.has_all(date.substr(8));
    if (has_form) {
        const auto part = [&](std::size_t at, std::size_t size) {
            return static_cast<int>(number_of(date.substr(at, size)));
        };
        const std::chrono::year_month_day read{
            std::chrono::year{part(0, 4)},
            std::chrono::month{static_cast<unsigned>(part(5, 2))},
            std::chrono::day{static_cast<unsigned>(part(8, 2))}
        };
        if (read.ok()) return read;
    }
    return refuse(fmt::format("DataEmissao must be a date like 2026-03-31: {}", shown(date)));
}

Result<std::int64_t> read_cents(const Element& rps, std::string_view name)
{
    const auto text = only_text(rps, name);
    if (!text) return std::unexpected(text.error());
    const auto cents = parse_cents(*text);
    if (!cents) return refuse(fmt::format("{} must be like 1234.56: {}", name, shown(*text)));
    return *cents;
}

Result<char> read_letter(const Element& rps, std::string_view name)
{
    const auto text = only_text(rps, name);
    if (!text) return std::unexpected(text.error());
    if (text->size() != 1) return refuse(fmt::format("{} must have one letter", name));
    return text->front();
}

Result<bool> read_flag(const Element& rps, std::string_view name)
{
    const auto text = only_text(rps, name);
    if (!text) return std::unexpected(text.error());
    if (*text == "true" || *text == "1") return true;
    if (*text == "false" || *text == "0") return false;
    return refuse(fmt::format("{} must be true or false: {}", name, shown(*text)));
}

// A person in the RPS, by the name of the element. Nullopt: how it is signed is told nowhere, as of a taker
// abroad without a number (NaoNIF), or of an empty CPF.
struct Person {
    SpTaker kind = SpTaker::none;
    std::string documento = {};
};

Result<std::optional<Person>> read_person(const Element& rps, std::string_view name)
{
    if (!rps.find(name)) return Person{};
    const auto person = only_child(rps, name);
    if (!person) return std::unexpected(person.error());
    const auto choices = person->children();
    if (choices.size() != 1) return refuse(fmt::format("{} must have one number inside", name));
    const std::string_view choice = choices.front().name();
    const std::string documento = choices.front().text();
    if (documento.empty()) return std::nullopt;
    if (choice == "CPF") return Person{SpTaker::cpf, documento};
    if (choice == "CNPJ") return Person{SpTaker::cnpj, documento};
    if (choice == "NIF") return Person{SpTaker::nif, documento};
    if (choice == "NaoNIF") return std::nullopt;
    return refuse(fmt::format("{} may not have {} inside", name, shown(choice)));
}

// What is charged for the service, as the layout calls it.
std::string_view amount_name(SpLayout layout, const Element& rps)
{
    if (layout == SpLayout::one) return "ValorServicos";
    return rps.find("ValorFinalCobrado") ? "ValorFinalCobrado" : "ValorInicialCobrado";
}

Result<void> read_amounts(const Element& rps, PedidoEnvio& pedido)
{
    if (rps.find("ValorFinalCobrado") && rps.find("ValorInicialCobrado")) {
        return refuse("RPS has a ValorInicialCobrado and a ValorFinalCobrado: give one of them");
    }
    pedido.valor_name = amount_name(pedido.layout, rps);
    const auto valor = read_cents(rps, pedido.valor_name);
    if (!valor) return std::unexpected(valor.error());
    const auto deducoes = read_cents(rps, "ValorDeducoes");
    if (!deducoes) return std::unexpected(deducoes.error());
    const auto codigo = xml::only_number(rps, "CodigoServico", 5);
    if (!codigo) return std::unexpected(codigo.error());
    const auto retido = read_flag(rps, "ISSRetido");
    if (!retido) return std::unexpected(retido.error());
    pedido.rps.valor_cents = *valor;
    pedido.rps.deducoes_cents = *deducoes;
    pedido.rps.codigo_servico = *codigo;
    pedido.rps.iss_retido = *retido;
    return {};
}

Result<void> read_people(const Element& rps, PedidoEnvio& pedido)
{
    const auto taker = read_person(rps, "CPFCNPJTomador");
    if (!taker) return std::unexpected(taker.error());
    const auto intermediary = read_person(rps, "CPFCNPJIntermediario");
    if (!intermediary) return std::unexpected(intermediary.error());
    pedido.is_text_known = taker->has_value() && intermediary->has_value();
    if (*taker) {
        pedido.rps.taker = (*taker)->kind;
        pedido.rps.documento = (*taker)->documento;
    }
    if (*intermediary && (*intermediary)->kind != SpTaker::none) {
        bool is_retido = false;
        if (rps.find("ISSRetidoIntermediario")) {
            const auto flag = read_flag(rps, "ISSRetidoIntermediario");
            if (!flag) return std::unexpected(flag.error());
            is_retido = *flag;
        }
        pedido.rps.intermediary =
            SpIntermediary{(*intermediary)->kind, (*intermediary)->documento, is_retido};
    }
    return {};
}

}  // namespace

Result<Document> parse_pedido_envio(std::string_view text)
{
    auto document = Document::parse(text, {.bytes_max = message_bytes_max});
    if (!document) return refuse(document.error().detail);
    const Element root = document->root();
    if (root.name() != "PedidoEnvioRPS" || root.space() != sp_namespace) {
        return refuse(fmt::format("it is no PedidoEnvioRPS of {}", sp_namespace));
    }
    return document;
}

Result<PedidoEnvio> read_pedido_envio(const Document& document)
{
    if (!has_three_parts(document.root())) {
        return refuse(
            "PedidoEnvioRPS must have one Cabecalho, one RPS and one Signature, in this order and "
            "nothing else; the first two are of no namespace (xmlns=\"\")"
        );
    }
    const Element head = *find_part(document.root(), "Cabecalho");
    const Element rps = *find_part(document.root(), "RPS");
    const auto layout = read_layout(head);
    if (!layout) return std::unexpected(layout.error());
    const auto sender = read_sender(head);
    if (!sender) return std::unexpected(sender.error());
    const auto key = read_key(rps);
    if (!key) return std::unexpected(key.error());
    const auto assinatura = only_text(rps, "Assinatura");
    if (!assinatura) return std::unexpected(assinatura.error());
    const auto date = read_date(rps);
    if (!date) return std::unexpected(date.error());
    const auto tributacao = read_letter(rps, "TributacaoRPS");
    if (!tributacao) return std::unexpected(tributacao.error());
    const auto status = read_letter(rps, "StatusRPS");
    if (!status) return std::unexpected(status.error());
    PedidoEnvio pedido{
        .layout = *layout,
        .emitente = *sender,
        .assinatura = *assinatura,
        .rps = {.key = *key, .data = *date, .tributacao = *tributacao, .status = *status},
        .valor_name = {},
    };
    if (auto read = read_amounts(rps, pedido); !read) return std::unexpected(read.error());
    if (auto read = read_people(rps, pedido); !read) return std::unexpected(read.error());
    return pedido;
}

std::optional<SpLayout> find_layout(std::string_view message)
{
    const auto document = Document::parse(message, {.bytes_max = message_bytes_max});
    if (!document || document->root().space() != sp_namespace) return std::nullopt;
    const auto head = find_part(document->root(), "Cabecalho");
    if (!head) return std::nullopt;
    const auto layout = read_layout(*head);
    return layout ? std::optional{*layout} : std::nullopt;
}

std::optional<std::int64_t> parse_cents(std::string_view text)
{
    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    const std::string_view rest =
        point == std::string_view::npos ? std::string_view{} : text.substr(point + 1);
    const bool has_form = !whole.empty() && whole.size() <= 13 && rest.size() <= 2 &&
                          digits.has_all(whole) && digits.has_all(rest) && !text.ends_with('.');
    if (!has_form) return std::nullopt;
    const std::int64_t cents = rest.empty() ? 0 : number_of(rest) * (rest.size() == 1 ? 10 : 1);
    return number_of(whole) * 100 + cents;
}

}  // namespace umavez::fiscal::sao_paulo
