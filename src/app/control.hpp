#pragma once

// What a running server answers on its control socket: one word in, one line out. Thread-safe.

#include <umavez/engine.hpp>

#include <string>
#include <string_view>

namespace umavez {

// "ping" → "pong"; "sweep" → the report as JSON. An answer that begins with "error: " is a failure.
std::string answer_control(Engine& engine, std::string_view line);

// {"records":3,"audit_entries":0}
std::string to_json(const SweepReport& report);

}  // namespace umavez
