// open_engine, open_memory_engine, open_redis_engine: an engine together with its store. The only part of the
// library that knows which stores there are.

#include "engine/make_engine.hpp"
#include "store/memory/memory_store.hpp"
#include "store/postgres/postgres_store.hpp"
#include "store/redis/redis_store.hpp"
#include "store/sqlite/sqlite_store.hpp"
#include "store/transactional_store.hpp"

#include <umavez/engine.hpp>

#include <utility>

namespace umavez {

Result<std::unique_ptr<Engine>> open_engine(Database& database, EngineOptions options)
{
    auto store = database.dialect() == Dialect::postgres ? open_postgres_store(database)
                                                         : open_sqlite_store(database);
    if (!store) return std::unexpected(store.error());
    return make_engine(*std::move(store), options);
}

Result<std::unique_ptr<Engine>> open_memory_engine(EngineOptions options)
{
    return make_engine(make_memory_store({.clock = options.clock, .audit = options.audit}), options);
}

Result<std::unique_ptr<Engine>> open_redis_engine(std::string_view url, EngineOptions options)
{
    auto store = open_redis_store(url, {.audit = options.audit});
    if (!store) return std::unexpected(store.error());
    return make_engine(*std::move(store), options);
}

}  // namespace umavez
