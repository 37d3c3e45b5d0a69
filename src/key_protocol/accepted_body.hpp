#pragma once

// Whether a body is of a type that its route takes. Pure, thread-safe.

#include "http/message.hpp"
#include "http/problem.hpp"
#include "http/route.hpp"

#include <optional>
#include <vector>

namespace umavez::key_protocol {

// 415 with the types that are accepted.
std::optional<http::Problem> check_media_type(
    const http::Body& body, const std::vector<Header>& headers
);

// 400 where a body is needed and there is none.
http::Problem missing_body(const http::Body& body);

// Both. A route without a declared body takes whatever comes.
std::optional<http::Problem> check_body(const http::Route& route, const http::Request& request);

}  // namespace umavez::key_protocol
