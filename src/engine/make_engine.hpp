#pragma once

// make_engine: an engine over any store. Programs use open_engine() and open_memory_engine() of
// umavez/engine.hpp; this is for the wiring behind them, for tests and for the simulator.

#include "store/store.hpp"

#include <umavez/engine.hpp>

#include <memory>

namespace umavez {

class TransactionalStore;

// The store outlives the engine.
std::unique_ptr<Engine> make_engine(Store& store, EngineOptions options);
std::unique_ptr<Engine> make_engine(TransactionalStore& store, EngineOptions options);

// The engine owns the store.
std::unique_ptr<Engine> make_engine(std::unique_ptr<Store> store, EngineOptions options);
std::unique_ptr<Engine> make_engine(std::unique_ptr<TransactionalStore> store, EngineOptions options);

}  // namespace umavez
