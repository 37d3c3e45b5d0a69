#pragma once

// The lives of subscriptions and invoices: their states, and which lead where. Pure, thread-safe.
//
//     subscription: ativa ↔ suspensa;  ativa or suspensa → cancelada, which is final
//     invoice:      aberta → paga, by payments;  aberta, while nothing was paid → cancelada

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::cobranca {

enum class EstadoAssinatura : std::uint8_t { ativa, suspensa, cancelada };
enum class EstadoFatura : std::uint8_t { aberta, paga, cancelada };
enum class Ciclo : std::uint8_t { mensal, anual };

std::string_view to_text(EstadoAssinatura estado) noexcept;
std::string_view to_text(EstadoFatura estado) noexcept;
std::string_view to_text(Ciclo ciclo) noexcept;

std::optional<EstadoAssinatura> parse_estado_assinatura(std::string_view text) noexcept;
std::optional<EstadoFatura> parse_estado_fatura(std::string_view text) noexcept;
std::optional<Ciclo> parse_ciclo(std::string_view text) noexcept;

// All of them as text: for schemas, and for telling what may be sent.
std::vector<std::string> estado_assinatura_words();
std::vector<std::string> estado_fatura_words();
std::vector<std::string> ciclo_words();

// Whether anything about a subscription may still change.
bool is_final(EstadoAssinatura estado) noexcept;

// Staying where it is counts as a step, except in the final state.
bool may_become(EstadoAssinatura from, EstadoAssinatura to) noexcept;

}  // namespace umavez::cobranca
