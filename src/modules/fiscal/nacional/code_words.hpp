#pragma once

// What a code of Sefin Nacional means for the call that it answers. Pure, thread-safe.

#include "modules/fiscal/authority/word.hpp"

#include <umavez/time.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace umavez::fiscal::nacional {

enum class SefinCall : std::uint8_t { emitir, cancelar };

struct CodeWord {
    Word word = Word::unknown;
    std::optional<Duration> wait = {};
};

CodeWord code_word(SefinCall call, std::string_view codigo);

}  // namespace umavez::fiscal::nacional
