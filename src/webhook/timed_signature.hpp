#pragma once

// "t=1760000000,v1=…,v1=…": a time and the signatures that cover it, in one header. Pure, thread-safe.

#include "webhook/refuse.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace umavez::webhook {

// In one header. A rotation needs two; the rest only costs time to compare.
inline constexpr std::size_t signatures_max = 16;

// Views into the header.
struct TimedSignature {
    std::string_view time;
    std::vector<std::string_view> signatures;  // at least one
};

enum class Blanks : std::uint8_t { are_text, are_ignored };  // around names and values

struct TimedSignatureSyntax {
    std::string_view header;  // for the refusals
    std::string_view time_name;
    Blanks blanks = Blanks::are_text;
};

// Signatures are the pairs named v1; unknown names are left alone. No v1 is Fault::unsigned_, no time
// Fault::bad_timestamp, two of them or more than signatures_max are malformed.
std::expected<TimedSignature, Refusal> parse_timed_signature(
    std::string_view text, const TimedSignatureSyntax& syntax
);

}  // namespace umavez::webhook
