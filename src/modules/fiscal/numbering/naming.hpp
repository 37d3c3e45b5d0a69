#pragma once

// What a number is called: the series it belongs to in the one way it is written, and the names that the
// document of a number has before anybody has sent it. Pure.

#include "modules/fiscal/ids/fault.hpp"
#include "modules/fiscal/numbering/faixa.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace umavez::fiscal {

// "001" and "1" are the same series where series are numbers: without leading zeros. In São Paulo they are
// texts, kept as they are, and may be empty.
Parsed<std::string> canonical_serie(Tipo tipo, std::string_view text);

// The rest of a natural key, of which each type needs one.
struct Lugar {
    std::string municipio = {};            // nfse-nacional: 7 digits of IBGE
    std::string uf = {};                   // nfe, nfce: "35"
    std::string inscricao_municipal = {};  // nfse-sp
    std::int64_t tp_emis = 1;              // nfce
};

// Which member of Lugar the natural key of this type has: "municipio", "uf", "inscricao_municipal".
std::string_view lugar_field(Tipo tipo) noexcept;

struct NomeDoNumero {
    std::string id_idempotencia;
    std::string id_autoridade;  // empty: the authority's name for it needs what is not known yet
};

Parsed<NomeDoNumero> name_number(const Serie& serie, const Lugar& lugar, std::int64_t numero);

}  // namespace umavez::fiscal
