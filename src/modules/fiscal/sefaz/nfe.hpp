#pragma once

// Nfe: what a signed NF-e (model 55) or NFC-e (65) says of itself.
//
// Everything is read from the element that the signature covers, and never from what came beside it: what we
// consult by later must be what the authority will read. The access key is made of the fields once more and
// compared: a key that does not fit them (502, 253) would be looked for in vain after a lost answer. Pure,
// thread-safe.

#include "modules/fiscal/ids/access_key.hpp"
#include "modules/fiscal/ids/tipo.hpp"

#include <umavez/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace umavez::fiscal::sefaz {

inline constexpr std::string_view nfe_namespace = "http://www.portalfiscal.inf.br/nfe";

// What the authorities take as a message (214); what is above is not looked at.
inline constexpr std::size_t nfe_bytes_max = 500 * 1024;

struct Nfe {
    AccessKey chave;
    Ambiente ambiente = Ambiente::homologacao;
    std::string emitente;     // CNPJ (14) or CPF (11)
    std::int64_t serie = 0;   // 0 to 999
    std::int64_t numero = 0;  // 1 to 999999999
    int tp_emis = 1;          // 9: an NFC-e that was issued off-line
    std::string dh_emi;       // as it is written, "2026-03-03T12:17:25-03:00"
    std::string dig_val;      // digest of the signature, base64: what infProt/digVal repeats
    std::string id_idempotencia;
};

// invalid_argument: the detail is a sentence that names the element and the cure: no XML, no NFe, an Id that
// is not made of the fields, no signature or one that does not fit.
Result<Nfe> read_nfe(std::string_view xml);

// The digest alone, of bytes that read_nfe() took before.
Result<std::string> find_dig_val(std::string_view nfe);

}  // namespace umavez::fiscal::sefaz
