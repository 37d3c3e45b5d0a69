#pragma once

// The tables of codes as people read them: `umavez fiscal codes`, and docs/reference/fiscal-codes.md, which a
// test compares with what is written here. Pure, thread-safe.

#include "modules/fiscal/authority/code_meaning.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::fiscal {

struct CodeTable {
    std::string_view authority;  // "sefaz", "nfse-nacional", "nfse-sp"
    std::string_view title;      // "SEFAZ (NF-e, NFC-e)"
    std::span<const CodeRow> rows;
};
std::span<const CodeTable> code_tables() noexcept;

// What umavez does after this word, in one sentence.
std::string_view describe(Word word) noexcept;

// "emit, receipt", or "any".
std::string calls_text(std::uint8_t calls);

// The whole document.
std::string codes_markdown();

}  // namespace umavez::fiscal
