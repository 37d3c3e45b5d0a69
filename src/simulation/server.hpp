#pragma once

// The server side of one attempt: the call of the engine that a request leads to, and its answer as
// evidence. Confined to the simulation's thread.

#include "simulation/client.hpp"
#include "simulation/mailbox.hpp"

#include <memory>

namespace umavez::simulation {

// Called in an event of `node`. The ending is put into `box` unless the process dies first.
void serve(
    Scene& scene, Node& node, const Intent& intent, std::shared_ptr<Mailbox<Ending>> box
);

}  // namespace umavez::simulation
