#pragma once

// Headers of a delivery that may be given once, and the texts that may stand in ours. Pure, thread-safe.
//
// A header given twice is refused whatever its values: a proxy and we might look at different ones.

#include "webhook/refuse.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace umavez::webhook {

// Nullopt where it is absent or empty.
std::expected<std::optional<std::string_view>, Refusal> find_header(
    std::span<const Header> headers, std::string_view name
);

// The header with the signature: absent or empty is Fault::unsigned_.
std::expected<std::string_view, Refusal> read_signature(
    std::span<const Header> headers, std::string_view name
);

// Whether it is the name of a header (a token of RFC 9110).
bool is_header_name(std::string_view text) noexcept;

// For sign(): `value` must be 1 to 255 visible ASCII characters, as no receiver has trouble with those.
Result<Header> make_header(std::string_view name, std::string_view value, std::string_view what);

}  // namespace umavez::webhook
