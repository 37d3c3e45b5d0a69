#pragma once

// The canonical form of one element (Canonical XML 1.0, inclusive or exclusive): the bytes that digests and
// signatures are about. Thread-safe.

#include "xml/document.hpp"

#include <cstdint>
#include <string>

namespace umavez::xml {

enum class Canonical : std::uint8_t {
    inclusive,
    inclusive_with_comments,
    exclusive,
    exclusive_with_comments,
};

// Of the element with all that is inside, but for the element `without`, if one is given.
std::string to_canonical(
    const Element& element, Canonical kind, std::optional<Element> without = std::nullopt
);

}  // namespace umavez::xml
