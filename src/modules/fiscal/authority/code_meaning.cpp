#include "modules/fiscal/authority/code_meaning.hpp"

#include <algorithm>

namespace umavez::fiscal {
namespace {

bool changes_something(Call call) noexcept
{
    return call == Call::emit || call == Call::cancel || call == Call::void_number;
}

}  // namespace

std::optional<CodeMeaning> find_meaning(
    std::span<const CodeRow> rows, std::string_view code, Call call
) noexcept
{
    for (const CodeRow& row : rows) {
        if (row.code != code || (row.calls & of(call)) == 0) continue;
        const bool proves_nothing = row.word == Word::refused && !changes_something(call);
        CodeMeaning meaning{
            .word = proves_nothing ? Word::unknown : row.word, .meaning = row.meaning
        };
        if (row.wait > std::chrono::seconds{0}) meaning.wait = row.wait;
        return meaning;
    }
    return std::nullopt;
}

bool is_more_than_refusal(std::span<const CodeRow> rows, std::string_view code) noexcept
{
    return std::ranges::any_of(rows, [code](const CodeRow& row) {
        return row.code == code && row.word != Word::refused;
    });
}

}  // namespace umavez::fiscal
