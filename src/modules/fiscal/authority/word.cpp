#include "modules/fiscal/authority/word.hpp"

#include <array>

namespace umavez::fiscal {
namespace {

constexpr std::array words = {
    Word::authorised,
    Word::cancelled,
    Word::substituted,
    Word::under_analysis,
    Word::denied,
    Word::voided,
    Word::refused,
    Word::exists,
    Word::absent,
    Word::later,
    Word::throttled,
    Word::unreached,
    Word::unknown,
};

}  // namespace

std::string_view to_text(Word word) noexcept
{
    switch (word) {
        case Word::authorised: return "authorised";
        case Word::cancelled: return "cancelled";
        case Word::substituted: return "substituted";
        case Word::under_analysis: return "under_analysis";
        case Word::denied: return "denied";
        case Word::voided: return "voided";
        case Word::refused: return "refused";
        case Word::exists: return "exists";
        case Word::absent: return "absent";
        case Word::later: return "later";
        case Word::throttled: return "throttled";
        case Word::unreached: return "unreached";
        case Word::unknown: return "unknown";
    }
    return "";
}

std::optional<Word> parse_word(std::string_view text) noexcept
{
    for (const Word word : words) {
        if (to_text(word) == text) return word;
    }
    return std::nullopt;
}

std::span<const Word> all_words() noexcept
{
    return words;
}

Effect effect_of(Word word) noexcept
{
    switch (word) {
        case Word::authorised:
        case Word::cancelled:
        case Word::substituted:
        case Word::under_analysis:
        case Word::denied:  // is kept, and uses the number up
        case Word::voided: return Effect::applied;
        case Word::refused:
        case Word::absent:
        case Word::later:
        case Word::throttled:
        case Word::unreached: return Effect::none;
        case Word::exists:  // by this call or by an earlier one
        case Word::unknown: break;
    }
    return Effect::unknown;
}

}  // namespace umavez::fiscal
