#pragma once

// Members of a JSON body that operators send. Pure, thread-safe.

#include "http/problem.hpp"
#include "key_protocol/exchange.hpp"

#include <cstdint>
#include <expected>
#include <initializer_list>
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

// `reason` as the audit has it: who, then why. The problem asks for one.
std::expected<std::string, http::Problem> read_reason(const key_protocol::Exchange& exchange);

// A member that is not known is a typing error that would look like success.
std::optional<http::Problem> refuse_unknown(
    const key_protocol::Exchange& exchange, std::initializer_list<std::string_view> known
);

}  // namespace umavez::operators
