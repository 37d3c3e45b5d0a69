#pragma once

// Pista: what a call of SEFAZ that came to no end has learnt, as the document keeps it (Said::pista). Plain
// values, pure.
//
//     recibo:351000012345678:1788350415   a receipt, and from which second on it may be asked about
//     chave:3526…                         the number is in use under this other key

#include <umavez/time.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace umavez::fiscal::sefaz {

// Before that no receipt is asked about, and after "still in process" not again.
inline constexpr std::chrono::seconds receipt_pause{15};

struct Pista {
    std::string recibo = {};
    Instant recibo_from{};
    std::string outra_chave = {};
};

// Empty for what is not of these forms: then the key of the document itself is asked about.
Pista parse_pista(std::string_view text);

std::string to_text(const Pista& pista);  // "" where nothing was learnt

// Of digits, 1 to 20 of them.
bool is_recibo(std::string_view text) noexcept;

}  // namespace umavez::fiscal::sefaz
