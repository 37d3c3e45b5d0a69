#pragma once

// What the protocol adds to the documentation of a route. Pure, thread-safe.

#include "http/route.hpp"

#include <umavez/policy.hpp>

namespace umavez::key_protocol {

// Key and preference headers, the headers of the answers, and the problems every write may meet.
http::Route described_write(http::Route route, const Policy& policy);

// The problems every request with a caller may meet.
http::Route described_read(http::Route route);

}  // namespace umavez::key_protocol
