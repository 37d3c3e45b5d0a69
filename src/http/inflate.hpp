#pragma once

// Request bodies in gzip: as a whole, or as they arrive. The function is pure and thread-safe; an inflater is
// confined to its connection.

#include "http/framing.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace umavez::http {

// The plain bytes of one gzip member or several (RFC 1952). Stops as soon as they would be more
// than `bytes_max`, which is 413: what a bomb costs is bounded in memory and time. Bytes that are
// no gzip, break off or go on after the end are 400.
class GzipInflater {
public:
    explicit GzipInflater(std::uint64_t bytes_max);
    ~GzipInflater();
    GzipInflater(GzipInflater&&) noexcept;
    GzipInflater& operator=(GzipInflater&&) = delete;

    // Takes the plain bytes, a few kilobytes at a time; its refusal ends everything.
    using Out = std::function<std::optional<Refusal>(std::string_view plain)>;
    std::optional<Refusal> put(std::string_view packed, const Out& out);
    // Nothing more will come.
    std::optional<Refusal> finish() const;

private:
    struct Stream;
    std::unique_ptr<Stream> stream_;
    std::vector<char> buffer_;
    std::uint64_t bytes_left_;
    bool at_end_of_member_ = false;
};

std::variant<std::string, Refusal> inflate_gzip(std::string_view packed, std::size_t bytes_max);

}  // namespace umavez::http
