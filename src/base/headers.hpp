#pragma once

// Headers by name, without regard to case: for whoever has headers and no server. Pure, thread-safe.

#include <umavez/response.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace umavez {

constexpr bool is_same_header(std::string_view left, std::string_view right) noexcept
{
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    if (left.size() != right.size()) return false;
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i] != right[i] && lower(left[i]) != lower(right[i])) return false;
    }
    return true;
}

// The lines of one name: for headers that may be given once.
struct HeaderLines {
    std::size_t count = 0;
    std::string_view value;  // of the last
};

inline HeaderLines find_lines(std::span<const Header> headers, std::string_view name) noexcept
{
    HeaderLines found;
    for (const Header& header : headers) {
        if (!is_same_header(header.name, name)) continue;
        ++found.count;
        found.value = header.value;
    }
    return found;
}

}  // namespace umavez
