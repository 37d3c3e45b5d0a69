#pragma once

// post_step(): what a POST of a document does when its natural key is known already. Pure, thread-safe.
//
//     no document, RESERVADO            → send
//     REJEITADO                         → send the same bytes, or a new version of them; the same bytes that
//                                         were refused so often already: the refusal again
//     TRANSMITIDO, INDETERMINADO        → the same bytes: conciliate; others: refuse while it is in doubt
//     AUTORIZADO, CANCELAMENTO_…        → the document as it is, whatever the bytes
//     INUTILIZACAO_PENDENTE             → refuse while it is in doubt
//     CANCELADO, DENEGADO, SUBSTITUIDO, INUTILIZADO → refuse for good: the number is used up
//     RESERVADO, REJEITADO, and another document took its place → the same

#include "modules/fiscal/rules/estado.hpp"

#include <umavez/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace umavez::fiscal {

enum class PostStep : std::uint8_t {
    send,
    send_new_version,
    answer_from_cache,
    repeat_refusal,
    conciliate,
    refuse_in_doubt,
    refuse_for_good,
};

enum class PostedBytes : std::uint8_t { same, others };

struct PostedTo {
    Estado estado = Estado::reservado;
    bool is_replaced = false;   // another document took its place
    std::int64_t refusals = 0;  // of these very bytes, within equal_refusals_within
};

// An authority blocks an issuer who sends what it refuses, unchanged, some thirty times: long before that,
// bytes that it refused so often within so long are not sent.
inline constexpr std::int64_t equal_refusals_max = 10;
inline constexpr Duration equal_refusals_within = std::chrono::hours{1};

// `found`: nullopt where there is no document yet. `bytes`: compared with those that were sent last.
PostStep post_step(const std::optional<PostedTo>& found, PostedBytes bytes) noexcept;

std::string_view to_text(PostStep step) noexcept;

}  // namespace umavez::fiscal
