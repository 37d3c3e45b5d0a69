#pragma once

// The codes of Sefin Nacional (NFS-e), and what an HTTP status tells where there is no code. Pure.

#include "modules/fiscal/authority/code_meaning.hpp"

#include <span>
#include <string_view>

namespace umavez::fiscal {

// A code of a structured rejection ("E0014"). What is not listed but of the form of the rule sheets, E and
// four digits, refuses an emission or a cancellation. Everything else is unknown, without a meaning.
CodeMeaning nacional_meaning(std::string_view code, Call call) noexcept;

// An answer without a code. Of a consult (HEAD or GET /dps/{id}), 200 is authorised and 404, alone, absent.
// 429 is throttled. All the rest is unknown: a proxy may have answered.
CodeMeaning nacional_http_meaning(int status, Call call) noexcept;

std::span<const CodeRow> nacional_rows() noexcept;

}  // namespace umavez::fiscal
