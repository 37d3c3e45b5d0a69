#pragma once

// What stores that write rows share: the bytes of headers, the words of enums, the limits of a draft.
// Whatever comes out of a database is checked: what no version of this program wrote is corrupt_record.
// Thread-safe.

#include "core/draft.hpp"

#include <umavez/record.hpp>
#include <umavez/result.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez {

// For each header: name and value, each preceded by its length as 4 little-endian bytes.
std::string encode_headers(const std::vector<Header>& headers);
Result<std::vector<Header>> decode_headers(std::string_view bytes);

std::optional<Status> parse_status(std::string_view text) noexcept;
std::optional<Mode> parse_mode(std::string_view text) noexcept;

template <std::size_t size>
std::string_view as_bytes(const std::array<std::uint8_t, size>& array) noexcept
{
    return {reinterpret_cast<const char*>(array.data()), size};
}

std::unexpected<Error> fail_corrupt(std::string_view what);

// A limit of ours has a name; without this it would be a constraint that failed.
Result<void> check_limits(const Draft& draft);

}  // namespace umavez
