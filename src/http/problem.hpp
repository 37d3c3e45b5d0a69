#pragma once

// Problem details (RFC 9457): the errors of the server itself, as every client sees them.
// Thread-safe.

#include "http/message.hpp"

#include <string>
#include <string_view>

namespace umavez::http {

struct Problem {
    int status = 400;
    std::string name;    // last segment of `type`: "not-found"
    std::string title;   // the same for every problem of that name
    std::string detail;  // what happened this time; may be empty
};

// The problem that goes with a status of the server's own: "not-found", "too-large",
// "malformed-request" …
Problem problem_for(int status, std::string detail = {});

// application/problem+json; `instance` is the path that was asked for.
Response to_response(
    const Problem& problem, std::string_view instance, std::string_view request_id
);

}  // namespace umavez::http
