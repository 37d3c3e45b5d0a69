#pragma once

// PedidoEnvio: what a PedidoEnvioRPS, the message that asks for an NFS-e, says. Its signatures are not looked
// at here (rps.hpp). Pure, thread-safe.

#include "modules/fiscal/ids/sp_rps.hpp"
#include "xml/document.hpp"

#include <umavez/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::fiscal::sao_paulo {

struct PedidoEnvio {
    SpLayout layout = SpLayout::one;
    std::string emitente;    // CNPJ or CPF of the sender
    std::string assinatura;  // of the RPS, as it is written
    SpRps rps;
    std::string_view valor_name;  // of the element that rps.valor_cents is from
    // The manual tells how this taker and intermediary stand in the text that Assinatura covers.
    bool is_text_known = true;
};

// Of a message in bounds. invalid_argument: the sentence names the element and the cure.
Result<xml::Document> parse_pedido_envio(std::string_view text);
Result<PedidoEnvio> read_pedido_envio(const xml::Document& document);

// Versao of the Cabecalho of any message. Nullopt: no message, or of a layout that we do not know.
std::optional<SpLayout> find_layout(std::string_view message);

// "500.85" and "826" to cents. Nullopt: no amount of at most 13 digits and 2 decimals.
std::optional<std::int64_t> parse_cents(std::string_view text);

}  // namespace umavez::fiscal::sao_paulo
