#include "conformance/store_factory.hpp"

#include "store/memory/memory_store.hpp"
#include "store/redis/redis_store.hpp"
#include "support/redis_server.hpp"

#include <stdexcept>

#if UMAVEZ_CONFORMANCE_SQLITE
#include "store/sqlite/sqlite_store.hpp"
#include "store/transactional_store.hpp"

#include <umavez/transaction.hpp>

#include <filesystem>
#include <stdlib.h>
#endif

namespace umavez::test {
namespace {

class OpenedMemory final : public OpenedStore {
public:
    explicit OpenedMemory(const Clock& clock) : store_(make_memory_store({.clock = &clock})) {}
    Store& store() override { return *store_; }

private:
    const std::unique_ptr<Store> store_;
};

// The server's clock is not this machine's: nobody here sets it, and it goes on while the store is closed.
class ServerClock final : public Clock {
public:
    explicit ServerClock(const Clock& clock)
        : clock_(clock), began_at_(clock.realtime()), began_boottime_(clock.boottime())
    {
    }
    Instant realtime() const override { return began_at_ + (clock_.boottime() - began_boottime_); }
    Duration boottime() const override { return clock_.boottime(); }

private:
    const Clock& clock_;
    const Instant began_at_;
    const Duration began_boottime_;
};

// One server for the program, emptied for every test.
class OpenedRedis final : public OpenedStore {
public:
    explicit OpenedRedis(const Clock& clock) : clock_(clock)
    {
        server().command({"FLUSHALL"});
        open();
    }

    Store& store() override { return *store_; }
    bool reopen() override
    {
        store_.reset();
        open();
        return true;
    }

private:
    static RedisServer& server()
    {
        static RedisServer one;
        return one;
    }
    void open()
    {
        // No stall of the machine is a server that does not answer.
        const std::string limits = "?connect_timeout=3600s&answer_timeout=3600s";
        auto store = open_redis_store(server().socket_url() + limits, {.clock = &clock_});
        if (!store) throw std::runtime_error(store.error().detail);
        store_ = *std::move(store);
    }

    const ServerClock clock_;
    std::unique_ptr<Store> store_;
};

#if UMAVEZ_CONFORMANCE_SQLITE

class OpenedSqlite final : public OpenedStore {
public:
    explicit OpenedSqlite(const Clock& clock) : clock_(clock)
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "umavez-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp: " + pattern);
        folder_ = pattern;
        open();
    }
    ~OpenedSqlite() override
    {
        close();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    Store& store() override { return *store_; }
    bool reopen() override
    {
        close();
        open();
        return true;
    }

private:
    void open()
    {
        DatabaseOptions options;
        options.clock = &clock_;
        options.durable = false;  // no test here cuts the power
        auto database = open_database("sqlite:" + (folder_ / "x.db").string(), options);
        if (!database) throw std::runtime_error(database.error().detail);
        database_ = std::move(*database);
        auto store = open_sqlite_store(*database_);
        if (!store) throw std::runtime_error(store.error().detail);
        store_ = std::move(*store);
    }
    void close()
    {
        store_.reset();
        database_.reset();
    }

    const Clock& clock_;
    std::filesystem::path folder_;
    std::unique_ptr<Database> database_;
    std::unique_ptr<TransactionalStore> store_;
};

#endif

template <typename Opened>
std::unique_ptr<OpenedStore> open_fresh(const Clock& clock)
{
    return std::make_unique<Opened>(clock);
}

}  // namespace

const std::vector<StoreFactory>& store_factories()
{
    static const std::vector<StoreFactory> factories = {
        {"memory", open_fresh<OpenedMemory>},
        {"redis", open_fresh<OpenedRedis>},
#if UMAVEZ_CONFORMANCE_SQLITE
        {"sqlite", open_fresh<OpenedSqlite>},
        {"postgres", open_fresh_postgres},
#endif
    };
    return factories;
}

}  // namespace umavez::test
