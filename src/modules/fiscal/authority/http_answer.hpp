#pragma once

// What adapters read, and the words for what they cannot read. Pure, thread-safe.

#include "modules/fiscal/authority/authority.hpp"

#include <umavez/time.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::fiscal {

struct HttpAnswer {
    int status = 0;
    std::string_view body = {};
    std::optional<Duration> retry_after = {};
};

// Nothing left this process.
Said unreached(std::string why);

// What was read proves nothing.
Said unknown(Said said, std::string why);

// Messages go into the row, into every answer about the document and into the log: so many are kept, and so
// much of each.
inline constexpr std::size_t mensagens_max = 50;
Mensagem make_mensagem(std::string codigo, std::string descricao);

}  // namespace umavez::fiscal
