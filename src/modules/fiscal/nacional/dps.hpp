#pragma once

// Dps: what a DPS (the document from which Sefin Nacional makes an NFS-e) says of itself.
//
// The identification is read from the signed bytes and never from what came beside them: what we consult by
// later must be what the authority will read. Pure, thread-safe.

#include "modules/fiscal/ids/tipo.hpp"

#include <umavez/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace umavez::fiscal::nacional {

inline constexpr std::string_view nfse_namespace = "http://www.sped.fazenda.gov.br/nfse";

// What Sefin takes is far below; what is above is not looked at.
inline constexpr std::size_t dps_bytes_max = 1024 * 1024;

struct Dps {
    std::string id;  // "DPS" and 42 positions, as the authority knows it
    Ambiente ambiente = Ambiente::homologacao;
    std::string municipio;  // cLocEmi, 7 digits
    std::string
        emitente;  // CNPJ (14) or CPF (11): who emits by `tpEmit`, the provider where it is absent
    std::string serie;        // without leading zeros, "0" where there is nothing else
    std::int64_t numero = 0;  // 1 to 15 digits
    bool is_signed = false;
    std::string chave_substituida = {};  // of the NFS-e that this one replaces, if it does
};

// invalid_argument: the detail is a sentence that names the element and the cure: no XML, no DPS, an Id that
// is not made of the fields, a signature that does not fit. A DPS without a signature is read: whether one is
// needed is for the caller to say.
Result<Dps> read_dps(std::string_view xml);

// Whether two DPS say the same: the one that was sent, and the one inside of an NFS-e of the authority.
// Not by their bytes, which the authority may write in its own way, but by what a signature covers.
// invalid_argument: one of them cannot be read.
Result<bool> is_same_dps(std::string_view sent_dps, std::string_view nfse);

}  // namespace umavez::fiscal::nacional
