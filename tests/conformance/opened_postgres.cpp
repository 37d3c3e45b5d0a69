// The PostgreSQL store for the exam: one private server for the program, a schema for every test.

#include "conformance/store_factory.hpp"

#include "store/postgres/postgres_store.hpp"
#include "store/transactional_store.hpp"
#include "support/postgres_server.hpp"

#include <umavez/transaction.hpp>

#include <stdexcept>

namespace umavez::test {
namespace {

// The server's clock is not this machine's: nobody here sets it, and it goes on while the store is closed.
class ServersClock final : public Clock {
public:
    explicit ServersClock(const Clock& clock)
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

class OpenedPostgres final : public OpenedStore {
public:
    explicit OpenedPostgres(const Clock& clock) : clock_(clock) { open(); }
    ~OpenedPostgres() override { close(); }

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
        options.connections = 4;
        auto database = open_database(schema_.url(), options);
        if (!database) throw std::runtime_error(database.error().detail);
        database_ = std::move(*database);
        auto store = open_postgres_store(*database_);
        if (!store) throw std::runtime_error(store.error().detail);
        store_ = std::move(*store);
    }
    void close()
    {
        store_.reset();
        database_.reset();
    }

    const ServersClock clock_;
    PostgresSchema schema_;
    std::unique_ptr<Database> database_;
    std::unique_ptr<TransactionalStore> store_;
};

}  // namespace

std::unique_ptr<OpenedStore> open_fresh_postgres(const Clock& clock)
{
    return std::make_unique<OpenedPostgres>(clock);
}

}  // namespace umavez::test
