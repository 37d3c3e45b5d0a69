#pragma once

// Text from outside inside a sentence for people: long text is cut in its middle, so that the
// sentence around it stays readable, and bytes that would steer a terminal are replaced.
// Thread-safe.

#include <cstddef>
#include <string>
#include <string_view>

namespace umavez {

// 200: longer than any path or value that somebody typed.
inline constexpr std::size_t shown_bytes_max = 200;

// `text` itself if it is short: "/a/b", else both ends and the size: "/aaaa…bbbb (70000 bytes)".
std::string shown(std::string_view text);

}  // namespace umavez
