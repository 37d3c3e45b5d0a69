#pragma once

// Inscricao: the CNPJ or CPF of whoever issues a document. Text, never a number: since July of 2026 the
// first twelve positions of a CNPJ may be letters, and leading zeros count. Immutable after construction.

#include "modules/fiscal/ids/fault.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace umavez::fiscal {

// As `tpInsc`. Two public libraries have it the other way round; rule E0004 and real documents do not.
enum class InscricaoKind : std::uint8_t { cpf = 1, cnpj = 2 };

class Inscricao {
public:
    static constexpr std::size_t cpf_length = 11;
    static constexpr std::size_t cnpj_length = 14;

    // Without punctuation, capitals only (see normalise_inscricao): 11 digits, or 12 of [0-9A-Z] and 2
    // digits, with the right check digits and not all equal.
    static Parsed<Inscricao> parse(std::string_view text);

    // As it stands inside longer identifiers: 14 positions, a CPF behind "000".
    static Parsed<Inscricao> parse_padded(InscricaoKind kind, std::string_view text);

    InscricaoKind kind() const noexcept;
    const std::string& text() const noexcept { return text_; }
    std::string padded() const;  // 14 positions
    friend auto operator<=>(const Inscricao&, const Inscricao&) = default;

private:
    explicit Inscricao(std::string text) noexcept : text_(std::move(text)) {}
    std::string text_;
};

// As people write it to as it is parsed: "12.abc.345/01de-35" is "12ABC34501DE35". Drops '.', '/', '-' and
// blanks, and nothing else: a letter that is dropped makes another company of it.
std::string normalise_inscricao(std::string_view text);

}  // namespace umavez::fiscal
