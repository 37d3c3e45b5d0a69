#pragma once

// Order documents as shops send them: nested, members unsorted, decimals, escapes, some UTF-8.
// Thread-safe.

#include <cstddef>
#include <string>

namespace umavez::bench {

// A document of about `bytes` bytes; the same one every time.
std::string make_order(std::size_t bytes);

}  // namespace umavez::bench
