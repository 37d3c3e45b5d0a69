#include "modules/fiscal/sao_paulo/comparison.hpp"

#include "modules/fiscal/ids/modulo11.hpp"
#include "modules/fiscal/sao_paulo/elements.hpp"
#include "modules/fiscal/sao_paulo/pedido_envio.hpp"

#include <fmt/format.h>

namespace umavez::fiscal::sao_paulo {
namespace {

using xml::Element;

// Nullopt: the note does not tell.
using Agreement = std::optional<bool>;

Agreement agrees_in_key(const Element& note, const PedidoEnvio& pedido)
{
    const auto told = find_one(note, "ChaveRPS");
    if (!told) return std::nullopt;
    return read_chave_rps(*told) == pedido.rps.key;
}

Agreement agrees_in_date(const Element& note, const PedidoEnvio& pedido)
{
    const std::string told = find_text(note, "DataEmissaoRPS");
    if (told.empty()) return std::nullopt;
    const auto& date = pedido.rps.data;
    const std::string ours = fmt::format(
        "{:04}-{:02}-{:02}",
        static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day())
    );
    return told.starts_with(ours);  // a zone may follow
}

Agreement agrees_in_amount(const Element& note, const PedidoEnvio& pedido)
{
    const auto told = parse_cents(find_text(note, pedido.valor_name));
    if (!told) return std::nullopt;
    return *told == pedido.rps.valor_cents;
}

Agreement agrees_in_service(const Element& note, const PedidoEnvio& pedido)
{
    const std::string told = find_text(note, "CodigoServico");
    if (told.empty() || told.size() > 5 || !digits.has_all(told)) return std::nullopt;
    return number_of(told) == pedido.rps.codigo_servico;
}

// Of a taker whom we did not name the city may know more than we do.
Agreement agrees_in_taker(const Element& note, const PedidoEnvio& pedido)
{
    const auto told = find_one(note, "CPFCNPJTomador");
    if (!told || pedido.rps.taker == SpTaker::none) return std::nullopt;
    const auto choices = told->children();
    if (choices.size() != 1 || choices.front().text().empty()) return std::nullopt;
    return choices.front().text() == pedido.rps.documento;
}

}  // namespace

std::optional<bool> is_made_of_rps(const Element& note, std::string_view sent)
{
    const auto document = parse_pedido_envio(sent);
    if (!document) return std::nullopt;
    const auto pedido = read_pedido_envio(*document);
    if (!pedido) return std::nullopt;
    const Agreement key = agrees_in_key(note, *pedido);
    const Agreement date = agrees_in_date(note, *pedido);
    const Agreement amount = agrees_in_amount(note, *pedido);
    for (const Agreement& one :
         {key, date, amount, agrees_in_service(note, *pedido), agrees_in_taker(note, *pedido)}) {
        if (one == false) return false;
    }
    if (key && date && amount) return true;
    return std::nullopt;
}

}  // namespace umavez::fiscal::sao_paulo
