#pragma once

// Members of a JSON body that operators send. Pure, thread-safe.

#include "key_protocol/exchange.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace umavez::operators {

// Nullopt where there is none or it is of another type.
std::optional<std::string> find_text(const key_protocol::Exchange& exchange, std::string_view name);
std::optional<std::int64_t> find_integer(
    const key_protocol::Exchange& exchange, std::string_view name
);
bool has_field(const key_protocol::Exchange& exchange, std::string_view name);

}  // namespace umavez::operators
