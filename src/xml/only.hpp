#pragma once

// What must stand exactly once in an element. Of two of the same name, we and whoever reads the document
// after us might look at different ones; so a second one is an error, wherever something hangs on it. Pure,
// thread-safe.

#include "xml/document.hpp"

#include <umavez/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace umavez::xml {

// The child of this name in the parent's namespace. invalid_argument: "serie stands twice in ide",
// "ide has no serie".
Result<Element> only_child(const Element& parent, std::string_view name);
Result<std::string> only_text(const Element& parent, std::string_view name);

// Decimal digits, at most `digits_max` (18) of them.
Result<std::int64_t> only_number(
    const Element& parent, std::string_view name, std::size_t digits_max
);

}  // namespace umavez::xml
