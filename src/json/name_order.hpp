#pragma once

// The order of member names: by UTF-16 code units (RFC 8785, 3.2.3), computed on UTF-8.
//
// The two orders differ in one place. Code points above U+FFFF are surrogate pairs (D800…DFFF) in
// UTF-16 and so sort before U+E000…U+FFFF; in UTF-8 their lead bytes F0…F4 stand after EE and EF.
// Lifting EE and EF above F4 makes bytes compare like code units; no continuation byte is as high.
// Thread-safe.

#include "json/bytes.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string_view>

namespace umavez {

constexpr std::uint8_t name_byte_rank(char c) noexcept
{
    const auto byte = static_cast<std::uint8_t>(c);
    return byte == 0xee || byte == 0xef ? static_cast<std::uint8_t>(byte + 0x10) : byte;
}

// Both names are valid UTF-8.
constexpr bool is_name_before(std::string_view left, std::string_view right) noexcept
{
    const auto [l, r] = std::ranges::mismatch(left, right);
    if (r == right.end()) return false;
    return l == left.end() || name_byte_rank(*l) < name_byte_rank(*r);
}

// The first eight bytes of a name as a number that compares like the name: most names differ here,
// so a sort rarely looks at the text. `readable` bytes may be read at the name, which is as long or
// shorter.
inline std::uint64_t name_prefix(std::string_view name, std::size_t readable) noexcept
{
    if (readable >= 8) {
        std::uint64_t bytes = load_eight(std::to_address(name.begin()));
        if (name.size() < 8) bytes &= (std::uint64_t{1} << name.size() * 8) - 1;
        if ((bytes & each_high_bit) == 0) return std::byteswap(bytes);
    }
    std::uint64_t prefix = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        prefix = prefix << 8 | (i < name.size() ? name_byte_rank(name[i]) : 0u);
    }
    return prefix;
}

}  // namespace umavez
