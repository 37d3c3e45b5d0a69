#pragma once

// Word: what an answer of an authority means, whatever its protocol. Plain values, pure.

#include <umavez/result.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace umavez::fiscal {

enum class Word : std::uint8_t {
    authorised,      // it is authorised, now or before
    cancelled,       // it was authorised, and cancelled
    substituted,     // another document took its place
    under_analysis,  // the tax office looks at a cancellation
    denied,          // refused for good; the number is used up
    voided,          // of a voiding alone: the numbers are given up, now or before
    refused,         // refused as it is; nothing was stored, the number may be used again
    exists,          // something is there already under this number or event: ask what
    absent,          // there is no such document: the only word that allows to send again
    later,           // refused for now, for a reason of theirs; nothing was stored
    throttled,       // we ask too often; nothing was done
    unreached,       // nothing of the call left this process
    unknown,         // everything else
};

std::string_view to_text(Word word) noexcept;
std::optional<Word> parse_word(std::string_view text) noexcept;
std::span<const Word> all_words() noexcept;

// What a call that was answered so did at the authority, if it was one that changes something.
Effect effect_of(Word word) noexcept;

}  // namespace umavez::fiscal
