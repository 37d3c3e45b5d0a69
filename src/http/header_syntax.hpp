#pragma once

// The pieces that header values are made of (RFC 9110, 5.6): lists, tokens, quoted strings,
// parameters. Pure, thread-safe. Views point into the text that was given.

#include "base/char_set.hpp"

#include <umavez/response.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::http {

std::string_view trim(std::string_view text) noexcept;  // spaces and tabs at both ends
std::string to_lower_ascii(std::string_view text);

// What a value is made of: tabs, and bytes that are neither control characters nor DEL (RFC 9110, 5.5).
inline constexpr CharSet value_chars{[](unsigned char byte) {
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}};

// One character or more of `!#$%&'*+-.^_`|~`, digits and letters.
bool is_token(std::string_view text) noexcept;

// Splits at `separator` except inside double quotes; at least one piece. A quote that is not closed
// reaches to the end: what follows it can no longer be told apart.
std::vector<std::string_view> split_outside_quotes(std::string_view text, char separator);

// The elements of all lines of one name, in order, trimmed; empty ones are left out.
std::vector<std::string_view> list_elements(
    const std::vector<Header>& headers, std::string_view name
);

// `name = value`, both trimmed. The value is empty without "="; a quoted one keeps its quotes.
struct Parameter {
    std::string_view name;
    std::string_view value;
};
Parameter split_parameter(std::string_view text) noexcept;

// The `q` among the pieces after the first, in thousandths; 1000 without one, nullopt where it
// cannot be read (RFC 9110, 12.4.2).
std::optional<int> find_quality(const std::vector<std::string_view>& pieces);

// A token as it is, a quoted string without quotes and escapes; nullopt for anything else.
std::optional<std::string> unquote(std::string_view value);

}  // namespace umavez::http
