#pragma once

// The canonical text of a tree: RFC 8785, except that numbers are exact
// (docs/reference/fingerprint.md). Thread-safe.

#include "json/output.hpp"
#include "json/tree.hpp"

#include <umavez/fingerprint.hpp>

#include <string>
#include <string_view>

namespace umavez {

// Two trees print alike if and only if they are equal. The text is JSON, and is its own canonical
// text.
void print_canonical(const JsonTree& tree, Output& output);

// The same of one value in a tree.
void print_canonical(JsonValue value, Output& output);

// A string in quotes, from valid UTF-8.
void print_canonical_string(std::string_view text, Output& output);

// For whoever has the canonical text already: what fingerprint_json gives for it.
Fingerprint fingerprint_of_canonical(std::string_view text);

// For whoever needs the tree as well: what canonical_json and fingerprint_json of
// umavez/fingerprint.hpp give for its text.
std::string canonical_text(const JsonTree& tree);
Fingerprint fingerprint_of(const JsonTree& tree);

}  // namespace umavez
