#pragma once

// What the log and the metrics learn about every answer. Thread-safe.

#include "http/server.hpp"
#include "telemetry/log.hpp"
#include "telemetry/metrics.hpp"

namespace umavez {

// One line per request, one more for a request that was a duplicate. Neither keys nor bodies are
// logged. Both outlive the server.
http::OnAnswered note_answers(Log& log, Metrics& metrics);

}  // namespace umavez
