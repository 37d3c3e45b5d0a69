#pragma once

// The life of a proposal: its states, and which step leads from where to where. Pure, thread-safe.
//
//     rascunho → enviada → aceita | recusada;   rascunho or enviada → cancelada

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::propostas {

enum class Estado : std::uint8_t { rascunho, enviada, aceita, recusada, cancelada };

enum class Passo : std::uint8_t { alterar, submeter, aceitar, recusar, cancelar };

std::string_view to_text(Estado estado) noexcept;
std::string_view to_text(Passo passo) noexcept;

std::optional<Estado> parse_estado(std::string_view text) noexcept;

// All of them as text, in the order of a proposal's life: for schemas.
std::vector<std::string> estado_words();

// Nullopt where the state does not allow the step.
std::optional<Estado> estado_after(Estado estado, Passo passo) noexcept;

}  // namespace umavez::propostas
