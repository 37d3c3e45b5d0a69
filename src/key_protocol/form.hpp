#pragma once

// application/x-www-form-urlencoded: the pairs of a form or a query, and their canonical text.
//
// Fields of different names have no order between them, as a reader asks for them by name; the
// order inside one name is kept, because it is the order of a list. Pure, thread-safe.

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace umavez::key_protocol {

using FormPairs = std::vector<std::pair<std::string, std::string>>;

struct FormFault {
    std::size_t offset = 0;  // of a "%" that two hexadecimal digits do not follow
};

// In the order of the text, decoded: "+" is a space, "%41" is "A". A field without "=" has an empty
// value; nothing between two "&" is no field.
std::expected<FormPairs, FormFault> parse_form(std::string_view text);

// Injective up to the order of fields with different names.
std::string to_canonical(const FormPairs& pairs);

}  // namespace umavez::key_protocol
