#pragma once

// The words of the settings "algorithm" and "encoding". Pure, thread-safe.

#include "webhook/encoding.hpp"
#include "webhook/mac.hpp"

#include <umavez/result.hpp>

#include <string_view>

namespace umavez::webhook {

// Empty is the default: sha256, hex. Else misconfigured, with the words there are.
Result<Algorithm> parse_algorithm(std::string_view text);
Result<Encoding> parse_encoding(std::string_view text);

}  // namespace umavez::webhook
