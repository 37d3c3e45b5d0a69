#include "conformance/store_factory.hpp"

#include "store/memory/memory_store.hpp"

#if UMAVEZ_CONFORMANCE_SQLITE
#include "store/sqlite/sqlite_store.hpp"
#include "store/transactional_store.hpp"

#include <umavez/transaction.hpp>

#include <filesystem>
#include <stdexcept>

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
#if UMAVEZ_CONFORMANCE_SQLITE
        {"sqlite", open_fresh<OpenedSqlite>},
        {"postgres", open_fresh_postgres},
#endif
    };
    return factories;
}

}  // namespace umavez::test
