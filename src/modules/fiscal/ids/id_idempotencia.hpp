#pragma once

// The text a document is known by before any authority has seen it: its type, the environment and its natural
// key, and nothing that changes from one attempt to the next. Always a valid engine key (names.hpp). Pure.
//
//     nfe:1:55_35_58716523000119_001_000000030                 model, UF, inscription, series, number
//     nfce:1:65_35_58716523000119_001_000000030_1              and tpEmis
//     nfse-nacional:2:2111300_2_00574753000100_00003_000000000005306
//     nfse-sp:1:000031000000_OL03_000000000001                 registration (IM), series, number

#include "modules/fiscal/ids/access_key.hpp"
#include "modules/fiscal/ids/dps_id.hpp"
#include "modules/fiscal/ids/sp_rps.hpp"
#include "modules/fiscal/ids/tipo.hpp"

#include <string>
#include <string_view>

namespace umavez::fiscal {

std::string id_idempotencia(Ambiente ambiente, const NaturalKey& key);
std::string id_idempotencia(Ambiente ambiente, const DpsId& id);
std::string id_idempotencia(Ambiente ambiente, const SpRpsKey& key);

// The code of the state in the text of an NF-e or NFC-e: "35". Empty for other types.
std::string_view uf_of(std::string_view id_idempotencia) noexcept;

}  // namespace umavez::fiscal
