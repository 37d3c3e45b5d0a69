#pragma once

// IdFault: why a text is not the identifier it should be, and how to say so to a client. Plain values, pure.

#include <cstdint>
#include <expected>
#include <string_view>

namespace umavez::fiscal {

enum class IdFault : std::uint8_t {
    length,        // not as many characters as the identifier has
    characters,    // a character that may not stand where it stands
    all_equal,     // a CNPJ or CPF of one repeated character, which no registry gives out
    check_digits,  // typed wrongly somewhere
    wrong_kind,    // a CNPJ where the identifier announces a CPF, or another such contradiction
    unknown_uf,    // not the IBGE code of a state
    month,         // of AAMM: not 01 to 12
    model,         // of an access key: neither 55 nor 65
    number_zero,   // documents are numbered from 1
    out_of_range,  // a part that does not fit its printed width
};

template <typename T>
using Parsed = std::expected<T, IdFault>;

// Completes a sentence about the field: "must have …", "deve ter …".
struct FaultText {
    std::string_view en;
    std::string_view pt;
};

std::string_view to_text(IdFault fault) noexcept;  // "check_digits": for logs
FaultText describe(IdFault fault) noexcept;        // for clients

}  // namespace umavez::fiscal
