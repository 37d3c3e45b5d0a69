#include "modules/fiscal/authority/nacional_codes.hpp"

#include "modules/fiscal/ids/modulo11.hpp"

#include <array>

namespace umavez::fiscal {
namespace {

using namespace std::chrono_literals;

// Of the rule sheets Anexo I and II, v1.00 of 26 December 2025; E1206 and E1217 from a library.
constexpr auto rows = std::to_array<CodeRow>({
    {"E0014",
     of(Call::emit),
     Word::exists,
     "series + number + municipality + CNPJ/CPF already in an NFS-e"},
    {"E0004",
     of(Call::emit),
     Word::refused,
     "DPS id differs from the concatenated fields (tpInsc 1=CPF, 2=CNPJ)"},
    {"E0006", of(Call::emit), Word::refused, "environment mismatch"},
    {"E0008", of(Call::emit), Word::refused, "dhEmi later than processing"},
    {"E0010",
     of(Call::emit),
     Word::refused,
     "series outside the range of the emitter kind (own application 00001-49999)"},
    {"E0714", of(Call::emit), Word::refused, "signature error"},
    {"E0715",
     of(Call::emit),
     Word::refused,
     "signing certificate invalid, revoked or CRL unavailable"},
    {"E1206",
     of(Call::emit, Call::cancel),
     Word::later,
     "transmission certificate: CRL unreachable",
     60s},
    {"E1217", of(Call::emit, Call::cancel), Word::later, "service stopped for maintenance", 60s},
    {"E0802", of(Call::cancel), Word::exists, "a document with this event id already exists"},
    {"E0840",
     of(Call::cancel),
     Word::exists,
     "cancel refused because another event is linked (already cancelled, substituted, under "
     "analysis, confirmed...)"},
    {"E0822",
     of(Call::cancel),
     Word::refused,
     "municipal deadline expired (seen in production, SefinNacional_1.6.0)"},
    {"E0823", of(Call::cancel), Word::refused, "value above the municipal limit"},
    {"E0824", of(Call::cancel), Word::refused, "taker not identified"},
    {"E0827", of(Call::cancel), Word::refused, "tax already collected"},
    {"E0831",
     of(Call::cancel),
     Word::refused,
     "event must go to the environment that generated the NFS-e"},
    {"E1827",
     of(Call::cancel),
     Word::refused,
     "PRE id differs (PRE + key 50 + event code 6 = 59 characters)"},
    {"E1831", of(Call::cancel), Word::later, "NFS-e not in the ADN", 60s},
});

constexpr CodeMeaning rejection{
    .word = Word::refused, .meaning = "rejected; a code of the rule sheets that is not listed here"
};

bool is_of_the_rule_sheets(std::string_view code) noexcept
{
    return code.size() == 5 && code.front() == 'E' && digits.has_all(code.substr(1));
}

}  // namespace

CodeMeaning nacional_meaning(std::string_view code, Call call) noexcept
{
    if (const auto found = find_meaning(rows, code, call)) return *found;
    const bool changes_something = call == Call::emit || call == Call::cancel;
    if (changes_something && is_of_the_rule_sheets(code) && !is_more_than_refusal(rows, code))
        return rejection;
    return {};
}

CodeMeaning nacional_http_meaning(int status, Call call) noexcept
{
    if (status == 429) return {.word = Word::throttled, .meaning = "we ask too often"};
    if (call != Call::consult) return {};
    if (status == 200) {
        return {.word = Word::authorised, .meaning = "an NFS-e was generated from this DPS"};
    }
    if (status == 404) return {.word = Word::absent, .meaning = "no NFS-e from this DPS"};
    if (status == 400) return {.meaning = "the identifier is invalid: no proof of absence"};
    return {};
}

std::span<const CodeRow> nacional_rows() noexcept
{
    return rows;
}

}  // namespace umavez::fiscal
