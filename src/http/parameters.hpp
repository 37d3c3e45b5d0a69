#pragma once

// The parameters of a request: taken from its path and query by the types of the route, and read by
// the handler. Pure, thread-safe.

#include "http/message.hpp"
#include "http/route.hpp"
#include "http/validation.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez::http {

// What to tell a client whose query has a name that is not declared: a slip of the fingers that was
// ignored would look like an answer. Where nothing is declared, everything goes.
std::optional<Text> find_unknown_parameter(
    const std::vector<Field>& declared, std::string_view query
);

// Adds the declared parameters of the query to the request's, form-decoded.
// All that is wrong is told at once.
std::vector<FieldError> take_query(const std::vector<Field>& declared, Request& request);

// Of path and query. Nullopt: not given.
std::optional<std::string_view> find_parameter(
    const Request& request, std::string_view name
) noexcept;
// The same as a number; for parameters that are declared as integers.
std::optional<std::int64_t> find_integer(const Request& request, std::string_view name) noexcept;

// For parameters that must be there, as those of the path are: a missing one is a bug.
std::string_view get_parameter(const Request& request, std::string_view name);
std::int64_t get_integer(const Request& request, std::string_view name);

// Nullopt where a % is not followed by two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);
std::optional<std::string> form_decode(std::string_view text);  // "+" is a space

}  // namespace umavez::http
