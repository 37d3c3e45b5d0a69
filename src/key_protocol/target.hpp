#pragma once

// What an HTTP request addressed: method, route, path parameters, query.
//
// The parameters are compared decoded, so `%41` in a path is `A`. The query is compared as a form
// is: decoded, sorted by name, order inside one name kept; a client library that orders its
// parameters differently after an upgrade still gets its replay. A query that does not decode is
// compared as it was sent. Pure, thread-safe.

#include "http/message.hpp"

#include <umavez/fingerprint.hpp>

#include <string_view>

namespace umavez::key_protocol {

// `pattern` is the route as it was registered: "/api/v1/propostas/{id}/submeter". The router has
// filled in the parameters.
Target target_of(const http::Request& request, std::string_view pattern);

}  // namespace umavez::key_protocol
