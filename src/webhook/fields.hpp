#pragma once

// One field of a form or a query (application/x-www-form-urlencoded). Pure, thread-safe.

#include "webhook/refuse.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace umavez::webhook {

// The decoded value of the field `name`; nullopt where it is absent or empty. A field given twice is refused,
// as the provider and we might look at different ones, and so is a "%" without two hexadecimal digits.
std::expected<std::optional<std::string>, Refusal> find_field(
    std::string_view form, std::string_view name
);

// "a b&c" as "a%20b%26c".
std::string escape_field(std::string_view text);

}  // namespace umavez::webhook
