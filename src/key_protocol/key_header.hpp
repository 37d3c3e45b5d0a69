#pragma once

// The Idempotency-Key header: from the lines of a request to a key, or to the rule they break.
//
//     Idempotency-Key: 8e03978e-40d5        bare, what payment clients send today
//     Idempotency-Key: "8e03978e-40d5"      an RFC 8941 string, what the IETF draft asks for
//
// Both are the same key. X-Idempotency-Key is an alias; given together the two must agree. Nothing
// is cut, folded or repaired: a key that breaks a rule is refused before any look-up, because two
// clients whose keys were repaired into one would get each other's answers. Pure, thread-safe.

#include "http/problem.hpp"

#include <umavez/names.hpp>
#include <umavez/policy.hpp>
#include <umavez/response.hpp>

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <vector>

namespace umavez::key_protocol {

enum class KeySyntax : std::uint8_t {
    lenient,  // bare or quoted
    strict,   // quoted only, as the draft has it
};

// Nullopt where neither header is there; an `idempotency-key-invalid` whose detail names the rule.
std::expected<std::optional<Key>, http::Problem> parse_key_headers(
    const std::vector<Header>& headers, KeySyntax syntax
);

// The same under the method and the rule of an operation: GET, HEAD and OPTIONS have no key
// whatever they carry, and a missing key that is required is `idempotency-key-missing`.
std::expected<std::optional<Key>, http::Problem> read_key(
    std::string_view method, const std::vector<Header>& headers, KeySyntax syntax, KeyRule rule
);

}  // namespace umavez::key_protocol
