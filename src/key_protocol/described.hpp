#pragma once

// What the protocol adds to the documentation of a route. Pure, thread-safe.

#include "http/route.hpp"

#include <umavez/policy.hpp>

namespace umavez::key_protocol {

// The headers a write may carry, those of its answers, and the problems it may meet.
http::Route described_write(http::Route route, const Policy& policy);

// The problems every request with a caller may meet. Those of the router are not among them.
http::Route described_read(http::Route route);

}  // namespace umavez::key_protocol
