#pragma once

// The request of a cancellation: an `evento` 110111, or 110112 where another NFC-e took its place, signed by
// the issuer. It is made once and sent unchanged however often: the authority knows it by its Id, which is
// made of the kind, the key and the sequence, always 1 (594). Pure, thread-safe.

#include "modules/fiscal/ids/tipo.hpp"
#include "xml/signature.hpp"

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace umavez::fiscal::sefaz {

struct PedidoEvento {
    Ambiente ambiente = Ambiente::homologacao;
    std::string emitente;               // CNPJ or CPF
    std::string chave;                  // of what is cancelled
    std::string protocolo;              // of its authorisation
    std::string justificativa;          // 15 to 255 characters of Latin-1
    std::string chave_substituta = {};  // of an NFC-e of the same issuer, for 110112
    Instant now;
};

// invalid_argument: the sentence tells what is wrong with a key, the protocol or the reason.
Result<std::string> make_pedido_evento(const PedidoEvento& pedido, const xml::SigningKey& key);

// What a request that was made so asks for, "110111" or "110112"; nullopt where it is none.
std::optional<std::string> find_tp_evento(std::string_view pedido);

}  // namespace umavez::fiscal::sefaz
