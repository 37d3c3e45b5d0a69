#pragma once

// Tipo and Ambiente: which kind of fiscal document, and whether it counts. Plain values, pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal {

enum class Tipo : std::uint8_t {
    nfe,            // model 55
    nfce,           // model 65
    nfse_sp,        // city of São Paulo
    nfse_nacional,  // Sefin Nacional
};

// As in `tpAmb`: what is authorised in `homologacao` has no value before the law.
enum class Ambiente : std::uint8_t { producao = 1, homologacao = 2 };

// On the wire: "nfe", "nfce", "nfse-sp", "nfse-nacional"; "producao", "homologacao".
std::string_view to_text(Tipo tipo) noexcept;
std::string_view to_text(Ambiente ambiente) noexcept;
std::optional<Tipo> parse_tipo(std::string_view text) noexcept;
std::optional<Ambiente> parse_ambiente(std::string_view text) noexcept;
// Whether its authority voids numbers that were never used.
bool has_voiding(Tipo tipo) noexcept;
std::vector<std::string> tipo_words();
std::vector<std::string> ambiente_words();

}  // namespace umavez::fiscal
