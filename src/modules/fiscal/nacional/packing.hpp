#pragma once

// XML as Sefin Nacional carries it inside of JSON: gzip, and base64 around it. Pure, thread-safe.

#include <umavez/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace umavez::fiscal::nacional {

inline constexpr std::size_t unpacked_bytes_max = 8 * 1024 * 1024;

std::string pack(std::string_view xml);

// Also where base64 was applied twice, as the list of events has it. invalid_argument: neither.
Result<std::string> unpack(std::string_view text);

}  // namespace umavez::fiscal::nacional
