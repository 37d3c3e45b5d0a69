#pragma once

// What the log and the metrics learn about every answer. Thread-safe.

#include "http/server.hpp"
#include "telemetry/log.hpp"
#include "telemetry/metrics.hpp"
#include "webhook/inbox/processor.hpp"

namespace umavez {

// One line per request, one more for a request that was a duplicate. Neither keys nor bodies are
// logged. Both outlive the server.
http::OnAnswered note_answers(Log& log, Metrics& metrics);

// What becomes of webhook events. Null metrics: a worker has none. Thread-safe.
std::function<void(const webhook::ProcessedEvent&)> note_processed(Log& log, Metrics* metrics);

}  // namespace umavez
