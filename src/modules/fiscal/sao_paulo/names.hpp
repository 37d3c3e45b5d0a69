#pragma once

// What the city of São Paulo calls things in its messages. Immutable.
//
// The root of a message is of its namespace, and everything inside is of none: so its schemas have it
// (elementFormDefault is "unqualified"), and the city refuses what is written otherwise (1001).

#include "modules/fiscal/ids/sp_rps.hpp"

#include <cstddef>
#include <string_view>

namespace umavez::fiscal::sao_paulo {

inline constexpr std::string_view sp_namespace = "http://www.prefeitura.sp.gov.br/nfe";

// Of a message; one that is larger is refused (1101).
inline constexpr std::size_t message_bytes_max = 500 * 1024;

constexpr std::string_view to_text(SpLayout layout) noexcept
{
    return layout == SpLayout::one ? "1" : "2";
}

}  // namespace umavez::fiscal::sao_paulo
