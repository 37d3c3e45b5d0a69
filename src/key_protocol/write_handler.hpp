#pragma once

// The handler of a protected write endpoint: admission, body, key, validation, then the engine, and
// the engine's outcome as an answer. Thread-safe.

#include "http/router.hpp"
#include "key_protocol/protect.hpp"

namespace umavez::key_protocol {

http::Handler write_handler(AtomicRoute route, const ApiNeeds& needs);
http::Handler write_handler(LeasedRoute route, const ApiNeeds& needs);

}  // namespace umavez::key_protocol
