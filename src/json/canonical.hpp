#pragma once

// The canonical text of a tree: RFC 8785, except that numbers are exact
// (docs/reference/fingerprint.md). Thread-safe.

#include "json/output.hpp"
#include "json/tree.hpp"

namespace umavez {

// Two trees print alike if and only if they are equal. The text is JSON, and is its own canonical
// text.
void print_canonical(const JsonTree& tree, Output& output);

}  // namespace umavez
