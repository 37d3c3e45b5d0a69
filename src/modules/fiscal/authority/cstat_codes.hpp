#pragma once

// The codes (cStat) of SEFAZ 4.00. Pure, thread-safe.
//
// Never ask about the outer code of a batch: 104 and 128 are envelopes, and say nothing. Old lists differ:
// 220, 301 to 303, 420 and 452 have changed their meaning.

#include "modules/fiscal/authority/code_meaning.hpp"

#include <span>
#include <string_view>

namespace umavez::fiscal {

// Whether the answer had a protocol of its own (nProt): then 301 to 303 are a denial, which uses the number
// up, and else a rejection.
enum class HasProtocol : bool { no, yes };

// Of 201 to 998, what is not listed is the rejection of an emission, a cancellation or a voiding: all of the
// authority's own catalogue are. Everything else that is not listed is unknown, without a meaning.
CodeMeaning cstat_meaning(
    std::string_view code, Call call, HasProtocol has_protocol = HasProtocol::no
) noexcept;

std::span<const CodeRow> cstat_rows() noexcept;

}  // namespace umavez::fiscal
