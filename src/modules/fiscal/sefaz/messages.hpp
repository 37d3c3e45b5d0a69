#pragma once

// What is sent to SEFAZ, as the element inside of `nfeDadosMsg`. Pure, thread-safe.

#include "modules/fiscal/ids/tipo.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace umavez::fiscal::sefaz {

std::string_view tp_amb(Ambiente ambiente) noexcept;  // "1", "2"
std::string_view modelo(Tipo tipo) noexcept;          // "55", "65"

// One document, synchronously: a batch of one that asks for a receipt is refused (452). The bytes of the NFe
// stand in it unchanged, but for an XML declaration. `id_lote` is for people: no authority looks at it.
std::string make_envi_nfe(std::string_view nfe, std::int64_t id_lote);

std::string make_cons_reci(Ambiente ambiente, std::string_view recibo);
std::string make_cons_sit(Ambiente ambiente, std::string_view chave);
std::string make_cons_stat(Ambiente ambiente, std::string_view uf);

// One signed event (pedido_evento.hpp), unchanged.
std::string make_env_evento(std::string_view evento, std::int64_t id_lote);

}  // namespace umavez::fiscal::sefaz
