#pragma once

// The codes of the city of São Paulo, alerts and errors alike: a success may come with an alert, and the
// alert decides. Pure, thread-safe.

#include "modules/fiscal/authority/code_meaning.hpp"

#include <span>
#include <string_view>

namespace umavez::fiscal {

// "1106". What is not listed is unknown, without a meaning: an error of the city is not always a proof that
// nothing was issued, and an RPS that is sent again destroys the first note.
CodeMeaning sao_paulo_meaning(std::string_view code, Call call) noexcept;

// An answer without a code.
CodeMeaning sao_paulo_http_meaning(int status, Call call);

std::span<const CodeRow> sao_paulo_rows() noexcept;

}  // namespace umavez::fiscal
