#pragma once

// The life of a fiscal document: its states, and which lead where. Pure, thread-safe.
//
//     RESERVADO                its number is taken; nothing of it is at the authority
//     TRANSMITIDO              its bytes are stored here and are being sent, or were when a process died
//     INDETERMINADO            sent, and nobody knows what became of it
//     AUTORIZADO               left by nothing but a cancellation or a substitution
//     REJEITADO                refused as it was; the number may be used again
//     CANCELAMENTO_PENDENTE    a cancellation is being sent, or nobody knows what became of it
//     CANCELAMENTO_EM_ANALISE  the tax office looks at it
//     INUTILIZACAO_PENDENTE    its number is being voided
//     DENEGADO, CANCELADO, SUBSTITUIDO, INUTILIZADO   final: nothing leads out of them
//
// What an authority tells is believed in every state that is not final, even if we never sent the document:
// the database may have been restored from a copy. And doubt may come over everything that is not authorised.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal {

enum class Estado : std::uint8_t {
    reservado,
    transmitido,
    indeterminado,
    autorizado,
    rejeitado,
    denegado,
    cancelamento_pendente,
    cancelamento_em_analise,
    cancelado,
    substituido,
    inutilizacao_pendente,
    inutilizado,
};

// On the wire: "RESERVADO", "CANCELAMENTO_EM_ANALISE".
std::string_view to_text(Estado estado) noexcept;
std::optional<Estado> parse_estado(std::string_view text) noexcept;
std::span<const Estado> all_estados() noexcept;
std::vector<std::string> estado_words();

// Nothing about it changes any more.
bool is_final(Estado estado) noexcept;

// Sent, and nobody has told what became of it: TRANSMITIDO, INDETERMINADO.
bool is_in_doubt(Estado estado) noexcept;

// A cancellation is under way: CANCELAMENTO_PENDENTE, CANCELAMENTO_EM_ANALISE.
bool is_cancelling(Estado estado) noexcept;

// Somebody has to find out what became of it: in doubt, being cancelled, being voided.
bool is_open(Estado estado) noexcept;

// Its number is taken, and as far as we know nothing of it is at the authority: RESERVADO, REJEITADO.
bool is_unused(Estado estado) noexcept;

// Staying where it is counts as a step, except in a final state.
bool may_become(Estado from, Estado to) noexcept;

}  // namespace umavez::fiscal
