#include "modules/fiscal/authority/code_document.hpp"

#include "modules/fiscal/authority/cstat_codes.hpp"
#include "modules/fiscal/authority/nacional_codes.hpp"
#include "modules/fiscal/authority/sao_paulo_codes.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace umavez::fiscal {
namespace {

constexpr std::array call_names = {
    std::pair{Call::emit, std::string_view{"emit"}},
    std::pair{Call::receipt, std::string_view{"receipt"}},
    std::pair{Call::consult, std::string_view{"consult"}},
    std::pair{Call::cancel, std::string_view{"cancel"}},
    std::pair{Call::void_number, std::string_view{"void"}},
    std::pair{Call::other, std::string_view{"other"}},
};

constexpr std::string_view introduction =
    R"(# Codes of the authorities

What each code means for a document, and what umavez does then. Generated from the tables in
`src/modules/fiscal/authority/` by `umavez fiscal codes --markdown`; `umavez fiscal codes --code 539` explains
one.

A code that is not listed: of 201 to 998 (SEFAZ) and of the form E0000 (Sefin Nacional) it refuses an
emission, a cancellation or a voiding. Everything else is `unknown`: asked about, with an alert, never taken
for a refusal. A question that is refused proves nothing about the document.

| word | then |
|---|---|
)";

}  // namespace

std::span<const CodeTable> code_tables() noexcept
{
    static const std::array tables = {
        CodeTable{"sefaz", "SEFAZ (NF-e, NFC-e)", cstat_rows()},
        CodeTable{"nfse-nacional", "Sefin Nacional (NFS-e)", nacional_rows()},
        CodeTable{"nfse-sp", "São Paulo (NFS-e)", sao_paulo_rows()},
    };
    return tables;
}

std::string_view describe(Word word) noexcept
{
    switch (word) {
        case Word::authorised: return "AUTORIZADO, once it is compared with what was sent";
        case Word::cancelled: return "CANCELADO";
        case Word::substituted: return "SUBSTITUIDO";
        case Word::under_analysis:
            return "CANCELAMENTO_EM_ANALISE; asked about until it is decided";
        case Word::denied: return "DENEGADO; the number is used up";
        case Word::voided: return "INUTILIZADO";
        case Word::refused:
            return "REJEITADO, or as before a cancellation or voiding; the number may be used "
                   "again";
        case Word::exists: return "asked at once what is there";
        case Word::absent: return "the same bytes again, once nothing can be on its way";
        case Word::later: return "nothing was stored; again after a pause";
        case Word::throttled:
            return "nothing was done; no call of this issuer until the block is over";
        case Word::unreached: return "nothing left this machine; again after a pause";
        case Word::unknown: return "INDETERMINADO; asked about until the authority tells";
    }
    return "";
}

std::string calls_text(std::uint8_t calls)
{
    if (calls == any_call) return "any";
    std::string text;
    for (const auto& [call, name] : call_names) {
        if ((calls & of(call)) == 0) continue;
        if (!text.empty()) text += ", ";
        text += name;
    }
    return text;
}

std::string codes_markdown()
{
    std::string text{introduction};
    for (const Word word : all_words()) {
        text += fmt::format("| `{}` | {} |\n", to_text(word), describe(word));
    }
    for (const CodeTable& table : code_tables()) {
        text += fmt::format(
            "\n## {}\n\n| code | answers | word | pause | meaning |\n|---|---|---|---|---|\n",
            table.title
        );
        for (const CodeRow& row : table.rows) {
            const std::string pause =
                row.wait.count() == 0 ? "" : fmt::format("{} s", row.wait.count());
            text += fmt::format(
                "| {} | {} | `{}` | {} | {} |\n",
                row.code,
                calls_text(row.calls),
                to_text(row.word),
                pause,
                row.meaning
            );
        }
    }
    return text;
}

}  // namespace umavez::fiscal
