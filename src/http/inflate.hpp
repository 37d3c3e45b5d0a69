#pragma once

// Request bodies in gzip. Pure, thread-safe.

#include "http/framing.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace umavez::http {

// The plain bytes of one gzip member or several (RFC 1952). Stops as soon as they would be more
// than `bytes_max`, which is 413: what a bomb costs is bounded in memory and time. Bytes that are
// no gzip, break off or go on after the end are 400.
std::variant<std::string, Refusal> inflate_gzip(std::string_view packed, std::size_t bytes_max);

}  // namespace umavez::http
