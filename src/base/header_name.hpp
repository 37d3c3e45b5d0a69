#pragma once

// Names of headers are compared without regard to case: for whoever has headers and no server.
// Pure, thread-safe.

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

}  // namespace umavez
