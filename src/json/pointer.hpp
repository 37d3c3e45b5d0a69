#pragma once

// JSON pointers (RFC 6901): the text by which a configuration names a place in a document.
//
// "" is the document itself, "/data/object/id" a member of a member, "/charges/0/status" counts the elements
// of an array from 0. In a name "~1" stands for "/" and "~0" for "~". Pure, thread-safe.

#include "json/tree.hpp"

#include <optional>
#include <string_view>

namespace umavez {

// Whether `text` follows the grammar: empty, or begun by "/", each "~" followed by 0 or 1.
bool is_json_pointer(std::string_view text) noexcept;

// The value at that place; absent too where `pointer` is none. The place behind the last element ("-") and
// indexes with a sign or a zero in front name nothing. The value borrows the tree of `root`.
std::optional<JsonValue> find_pointer(JsonValue root, std::string_view pointer);

}  // namespace umavez
