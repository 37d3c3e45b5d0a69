#pragma once

// Lists of texts as one text: each part after its length in 8 little-endian bytes, so that no two
// lists share an encoding. What is packed is hashed; changing this changes every fingerprint of a
// form. Pure, thread-safe.

#include <cstdint>
#include <string>
#include <string_view>

namespace umavez::key_protocol {

inline void append_packed(std::string& out, std::string_view part)
{
    for (std::uint64_t size = part.size(), i = 0; i < 8; ++i, size >>= 8) {
        out += static_cast<char>(size & 0xff);
    }
    out += part;
}

}  // namespace umavez::key_protocol
