#pragma once

// Where the parts of a multipart body are (RFC 2046, 5.1.1): one set of rules for bodies in memory
// and in files. Pure but for what the bytes do; confined to its thread.

#include "key_protocol/multipart.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::key_protocol {

// A body, wherever it is.
class MultipartBytes {
public:
    virtual ~MultipartBytes() = default;
    virtual std::uint64_t size() const noexcept = 0;
    virtual std::optional<std::uint64_t> find(std::string_view wanted, std::uint64_t from) = 0;
    // At most so many bytes; valid until the next call.
    virtual std::string_view at(std::uint64_t offset, std::size_t bytes_max) = 0;
};

// What may be looked at in one piece, and how many parts there may be.
struct MultipartLimits {
    std::size_t parts_max = std::numeric_limits<std::size_t>::max();
    std::size_t head_bytes_max = std::numeric_limits<std::size_t>::max();  // of one part
    std::size_t blanks_max = std::numeric_limits<std::size_t>::max() / 2;  // after a boundary
};

struct ScannedPart {
    // Names in lower case, in order; values are views into what at() gave.
    std::vector<std::pair<std::string, std::string_view>> headers;
    std::uint64_t offset = 0;  // of its content
    std::uint64_t bytes = 0;
};

// Calls `on_part` for every part in order; its fault ends the scan.
using OnPart = std::function<std::optional<MultipartFault>(ScannedPart)>;
std::optional<MultipartFault> scan_multipart(
    MultipartBytes& body,
    std::string_view boundary,
    const MultipartLimits& limits,
    const OnPart& on_part
);

}  // namespace umavez::key_protocol
