#pragma once

// multipart bodies (RFC 2046, 7578): their parts without the boundary.
//
// A client makes a fresh random boundary for every attempt, so the boundary must not be in a
// fingerprint; everything between the boundaries must. Preamble and epilogue mean nothing and are
// left out. Pure, thread-safe. Parts are views into the body.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::key_protocol {

struct Part {
    std::vector<std::pair<std::string, std::string_view>> headers;  // names in lower case, in order
    std::string_view content;
};

struct MultipartFault {
    std::uint64_t offset = 0;
    std::string_view reason;  // a clause in English: "the closing boundary is missing"
    std::string_view reason_portuguese;
};

// `boundary` is the parameter of the media type, unquoted.
std::expected<std::vector<Part>, MultipartFault> parse_multipart(
    std::string_view body, std::string_view boundary
);

// Injective: parts, their headers and their contents, in the order in which they were sent.
std::string to_canonical(const std::vector<Part>& parts);

}  // namespace umavez::key_protocol
