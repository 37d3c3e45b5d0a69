#pragma once

// CodeMeaning: what a code of an authority means for the document it is about. Plain values, pure.
//
// The tables are data, one file for each authority (cstat_codes, nacional_codes, sao_paulo_codes). The same
// code may mean one thing to one call and nothing to another: what is not listed for a call is `unknown`.

#include "modules/fiscal/authority/word.hpp"

#include <umavez/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace umavez::fiscal {

// What was asked of the authority, whatever it is called there.
enum class Call : std::uint8_t {
    emit = 1U << 0U,     // and the result of one document of a batch, whichever call brought it
    receipt = 1U << 1U,  // of a batch
    consult = 1U << 2U,
    cancel = 1U << 3U,  // the event of a cancellation
    void_number = 1U << 4U,
    other = 1U << 5U,  // status of the service, distribution, contingency: not about our document
};

struct CodeMeaning {
    Word word = Word::unknown;
    std::optional<Duration> wait = {};  // before the authority is called again
    std::string_view meaning = {};      // for people; empty: the code is in no table
};

// One line of a table.
struct CodeRow {
    std::string_view code;
    std::uint8_t calls = 0;  // of Call
    Word word = Word::unknown;
    std::string_view meaning;
    std::chrono::seconds wait{0};  // 0: the authority has no wish
};

constexpr std::uint8_t of(auto... calls) noexcept
{
    return static_cast<std::uint8_t>((static_cast<unsigned>(calls) | ...));
}

inline constexpr std::uint8_t any_call =
    of(Call::emit, Call::receipt, Call::consult, Call::cancel, Call::void_number, Call::other);

// The first row with that code and call. A question that is refused proves nothing about the document, so
// that `refused` becomes `unknown` there.
std::optional<CodeMeaning> find_meaning(
    std::span<const CodeRow> rows, std::string_view code, Call call
) noexcept;

// Whether some call is answered with that code, and not refused by it. Then it is no refusal of another call
// either, as long as nobody has seen that.
bool is_more_than_refusal(std::span<const CodeRow> rows, std::string_view code) noexcept;

}  // namespace umavez::fiscal
