#pragma once

// post_step(): what a POST of a document does when its natural key is known already. Pure, thread-safe.
//
//     no document, RESERVADO            → send
//     REJEITADO                         → send the same bytes, or a new version of them
//     TRANSMITIDO, INDETERMINADO        → the same bytes: conciliate; others: refuse while it is in doubt
//     AUTORIZADO, CANCELAMENTO_…        → the document as it is, whatever the bytes
//     INUTILIZACAO_PENDENTE             → refuse while it is in doubt
//     CANCELADO, DENEGADO, SUBSTITUIDO, INUTILIZADO → refuse for good: the number is used up

#include "modules/fiscal/rules/estado.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace umavez::fiscal {

enum class PostStep : std::uint8_t {
    send,
    send_new_version,
    answer_from_cache,
    conciliate,
    refuse_in_doubt,
    refuse_for_good,
};

enum class PostedBytes : std::uint8_t { same, others };

// `found`: nullopt where there is no document yet. `bytes`: compared with those that were sent last.
PostStep post_step(std::optional<Estado> found, PostedBytes bytes) noexcept;

std::string_view to_text(PostStep step) noexcept;

}  // namespace umavez::fiscal
