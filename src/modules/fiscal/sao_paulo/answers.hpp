#pragma once

// What an answer of the city means, call by call.
//
// A success may come with alerts, and an alert decides: 216 and 217 of an RPS that was there before, 1301 of
// a note that was cancelled before. An error is no proof that nothing was issued, unless the table says so
// (authority/sao_paulo_codes.hpp). An answer that contradicts itself, or speaks of another RPS or note, is
// unknown. Pure, thread-safe.

#include "modules/fiscal/authority/authority.hpp"
#include "modules/fiscal/sao_paulo/chave_nfe.hpp"
#include "modules/fiscal/sao_paulo/retorno.hpp"

#include <optional>
#include <string_view>

namespace umavez::fiscal::sao_paulo {

// An RPS was sent again: its earlier NFS-e was cancelled, and another one issued.
inline constexpr std::string_view reissued = "217";

// RetornoEnvioRPS: authorised, with the key of the note and the answer as its XML; exists, refused, later,
// throttled, unknown. Authorised with the message `reissued` where this very call destroyed an earlier note:
// a person has to look.
Said read_emission(const HttpAnswer& answer, const SpRpsKey& key);

struct Asked {
    SpRpsKey key;
    std::optional<ChaveNfe> chave = {};  // of the note, once it is known
    std::string_view sent = {};          // the bytes of the RPS, to compare
};

// RetornoConsulta: the note that is in force is authorised, one that is not is cancelled; each with its key
// and itself as XML. Where a note was known, and another one of the same RPS is in force now, it is
// substituted, with the message `reissued`; a note in force that was not known has that message too, if an
// earlier one was cancelled. Error 1106 alone says absent. Else throttled, unknown.
Said read_consult(const HttpAnswer& answer, const Asked& asked);

// RetornoCancelamentoNFe: cancelled, now or before (1301); exists, refused, later, throttled, unknown.
Said read_cancellation(const HttpAnswer& answer, const ChaveNfe& chave);

}  // namespace umavez::fiscal::sao_paulo
