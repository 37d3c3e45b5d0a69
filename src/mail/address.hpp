#pragma once

// E-mail addresses: one rule for what a file may hold and what a sender may be.
//
// Stricter than RFC 5321 where nobody loses by it: no quoted local parts, no address literals, at least
// two labels in a domain. Only ASCII: an address that needs SMTPUTF8 is refused, a domain with accents is
// written in its `xn--` form. Pure, thread-safe.

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

namespace umavez::mail {

inline constexpr std::size_t address_bytes_max = 254;  // RFC 5321 with its erratum 1690
inline constexpr std::size_t local_part_bytes_max = 64;
inline constexpr std::size_t mailbox_name_bytes_max = 200;

// Without blanks around it (also those that no eye sees, which spreadsheets leave) and in lower case. The
// error is a reason for people, shown beside the line of a file: "sem @", "domínio inválido".
std::expected<std::string, std::string> normalise_address(std::string_view text);

struct Mailbox {
    std::string name;     // "Loja"; may be empty
    std::string address;  // "news@loja.example"
};

// "news@loja.example", "Loja <news@loja.example>" or "\"Loja, Ltda\" <news@loja.example>".
std::expected<Mailbox, std::string> parse_mailbox(std::string_view text);

std::string domain_of(std::string_view address);

}  // namespace umavez::mail
