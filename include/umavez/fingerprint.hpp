#pragma once

// Target and Fingerprint: digests of what was addressed and of what was said.
//
// Two requests mean the same when both are equal. JSON is compared by value (docs/reference/fingerprint.md),
// everything else by its bytes; all parts are length-prefixed before hashing, so no two lists of parts share
// an encoding. Immutable after construction.

#include <umavez/result.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace umavez {

using Digest = std::array<std::uint8_t, 32>;  // SHA-256

// What was addressed: method, route, path parameters, query; for commands the command type.
struct Target {
    Digest digest{};
    friend bool operator==(const Target&, const Target&) = default;
};

// What was said: media type and canonical body. `version` names the rules that made the digest; a record
// keeps it, and older versions stay computable.
struct Fingerprint {
    std::uint16_t version = 0;
    Digest digest{};
    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

inline constexpr std::uint16_t fingerprint_version = 1;

// ("POST", "/api/v1/clientes") and ("POST/api", "/v1/clientes") are different targets.
Target make_target(std::initializer_list<std::string_view> parts);

// The fingerprint of a JSON document, whatever its spelling. Refuses what I-JSON refuses: duplicate member
// names, lone surrogates, invalid UTF-8, a BOM, numbers beyond a double, nesting beyond `depth_max`.
// The error tells the place (byte offset) and the reason.
Result<Fingerprint> fingerprint_json(std::string_view text, std::size_t depth_max = 512);

// The canonical text behind fingerprint_json, for people who want to understand a mismatch.
Result<std::string> canonical_json(std::string_view text, std::size_t depth_max = 512);

// The fingerprint of bytes that are compared as they are. Never equal to that of a JSON document, nor to
// that of the same bytes under another media type.
Fingerprint fingerprint_bytes(std::string_view media_type, std::string_view bytes);

}  // namespace umavez
