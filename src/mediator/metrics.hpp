#pragma once

// The mediator's numbers as Prometheus reads them. Here and not in telemetry/, which belongs to the
// program: an embedding one has its own metrics library and appends this text. Pure.

#include <umavez/mediator/stats.hpp>

#include <string>
#include <vector>

namespace umavez::detail {

std::string to_metrics_text(const std::vector<CommandStats>& commands);

}  // namespace umavez::detail
