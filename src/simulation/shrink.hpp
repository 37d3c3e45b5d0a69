#pragma once

// Shrinking: a failing seed with fewer faults and fewer clients that still fails in the same way. Pure.

#include "simulation/universe.hpp"

#include <string>
#include <vector>

namespace umavez::simulation {

// Takes away one fault kind, planned crash or client after the other as long as a violation of the same
// invariant remains. At most a few dozen runs.
SeedPlan shrink(SeedPlan plan, const std::string& violation);

// The options that are left, in one line.
std::string describe(const SeedPlan& plan);

// The trace lines about the key of the first violation.
std::vector<std::string> story_of(SeedPlan plan);

}  // namespace umavez::simulation
