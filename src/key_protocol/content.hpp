#pragma once

// Which fingerprint the body of a request gets: what was said, without how it was spelled.
//
// - no body, whatever the type: nothing; all empty bodies are one
// - application/json: by value (docs/reference/fingerprint.md), 64 levels
// - any other …+json: by media type and value
// - application/x-www-form-urlencoded: decoded fields, sorted by name; order inside a name kept
// - multipart/…: media type without boundary, parts in their order
// - anything else, or none: media type and bytes
//
// Media types are compared without regard to case, order and quoting of their parameters; a charset
// of utf-8 on JSON or a form says what is so anyway. A false mismatch is an error that somebody
// sees, a false match is an effect that silently does not happen: so whatever is not known to mean
// the same differs. Pure, thread-safe.

#include "http/problem.hpp"
#include "json/tree.hpp"

#include <umavez/fingerprint.hpp>
#include <umavez/response.hpp>

#include <expected>
#include <optional>
#include <string_view>
#include <vector>

namespace umavez::key_protocol {

// A body, read once.
struct ReadBody {
    Fingerprint fingerprint;
    std::optional<JsonTree> json;  // where it is JSON; borrows the text of the body
};

// `malformed-body` where the body is not what its type says, with the place;
// `unsupported-media-type` where the type cannot be read or JSON is not UTF-8. The server has
// unpacked what was compressed.
std::expected<ReadBody, http::Problem> read_body(
    const std::vector<Header>& headers, std::string_view body
);

}  // namespace umavez::key_protocol
