#pragma once

// The 26 states and the Distrito Federal, by letters and by the codes of the IBGE. Pure, thread-safe.

#include <optional>
#include <span>
#include <string_view>

namespace umavez::fiscal {

struct Uf {
    std::string_view sigla;   // "SP"
    std::string_view codigo;  // "35"
};

std::span<const Uf> all_ufs() noexcept;

// By either of its names.
std::optional<Uf> find_uf(std::string_view name) noexcept;

}  // namespace umavez::fiscal
