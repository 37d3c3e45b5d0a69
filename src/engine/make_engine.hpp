#pragma once

// make_engine: an engine over any store. Programs use open_engine() and open_memory_engine() of
// umavez/engine.hpp; this is for the wiring behind them, for tests and for the simulator.

#include "store/store.hpp"

#include <umavez/engine.hpp>

#include <memory>

namespace umavez {

// The store outlives the engine. `transactional` is the same object where it is one, else null.
std::unique_ptr<Engine> make_engine(
    Store& store, class TransactionalStore* transactional, EngineOptions options
);

}  // namespace umavez
