#pragma once

// What an answer of SEFAZ means, call by call.
//
// The code of a batch (104, 128) decides nothing: that of the document or event inside does, and where there
// is none inside nothing is known. An authorisation has the key that was asked for and a protocol, or it is
// none. Whether the authority holds our bytes is told by their digest. The word of a code is in
// authority/cstat_codes.hpp. Pure, thread-safe.

#include "modules/fiscal/authority/authority.hpp"
#include "modules/fiscal/sefaz/pista.hpp"
#include "modules/fiscal/sefaz/reading.hpp"

#include <umavez/time.hpp>

#include <string>
#include <string_view>

namespace umavez::fiscal::sefaz {

// The document that a question or an answer is about.
struct Sent {
    std::string_view chave;
    Ambiente ambiente = Ambiente::homologacao;
    std::string_view nfe;      // the bytes; "": they are not at hand
    std::string_view dig_val;  // of their signature; "": it is not known, so nothing is compared
    Duration receipt_pause = sefaz::receipt_pause;  // before a receipt is asked about
};

// retEnviNFe: authorised, denied, refused, exists, later, throttled, unknown. A receipt (103) is `exists`
// with a pista, and so is a number that is in use under another key.
Said read_emission(const HttpAnswer& answer, const Sent& sent, Instant now);

// retConsReciNFe: authorised, denied, refused; or unknown, later, throttled with a pista, where the receipt
// has to be asked about again. Any other word: ask by the key, or by the other key that a pista names.
struct Recibo {
    Said said;
    bool is_usable = true;  // if not it says nothing at all about the receipt
};
Recibo read_receipt(
    const HttpAnswer& answer, std::string_view recibo, const Sent& sent, Instant now
);

// retConsSitNFe of sent.chave: authorised, cancelled, substituted, denied, absent (217 alone), throttled,
// later, unknown. And exists, where the number is in use under another key, which is told if it is known.
struct Situacao {
    Said said;
    std::string outra_chave = {};
};
Situacao read_situacao(const HttpAnswer& answer, const Sent& sent);

// retEnvEvento of one event, as it was sent: cancelled (of 110111) or substituted (110112), refused, exists,
// absent, later, throttled, unknown.
struct EventSent {
    std::string_view chave;
    Ambiente ambiente = Ambiente::homologacao;
    std::string_view tp_evento;
    std::string_view evento;  // the signed bytes
};
Said read_event(const HttpAnswer& answer, const EventSent& sent);

// retInutNFe of the request that was sent, the signed bytes: voided, also where its one number was so before;
// refused, exists, later, throttled, unknown.
Said read_voiding(const HttpAnswer& answer, std::string_view pedido);

// retConsStatServ. Not running: said.word is `later` where the authority says that it does not work, and
// else says why we do not know.
struct ServiceStatus {
    bool is_running = false;
    Said said;
};
ServiceStatus read_status(const HttpAnswer& answer, Ambiente ambiente);

inline constexpr std::string_view evento_cancelamento = "110111";
inline constexpr std::string_view evento_substituicao = "110112";

}  // namespace umavez::fiscal::sefaz
