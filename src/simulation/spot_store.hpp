#pragma once

// SpotStore: what one simulated process sees of a transactional store on a real server. The port is handed
// on to `front`, which may be faulty; transactions are refused, delayed, or lose their answer like other
// writes, and are run on the spot (spot_transactions.hpp). Confined to the simulation's thread.

#include "simulation/faulty_store.hpp"
#include "simulation/spot_transactions.hpp"
#include "simulation/transactional_decorator.hpp"

#include <string>

namespace umavez::simulation {

class SpotStore;

// Business rows, the way their process sees them.
class SpotDatabase final : public Database {
public:
    SpotDatabase(SpotStore& store, Database& inner) : store_(store), inner_(inner) {}

    Task<Result<void>> async_transact(Closure closure) override;
    Task<Result<void>> async_read(Closure closure) override;
    Result<void> migrate(std::span<const Migration> migrations) override
    {
        return inner_.migrate(migrations);
    }
    Result<std::vector<MigrationState>> migration_state(std::span<const Migration> migrations) override
    {
        return inner_.migration_state(migrations);
    }
    Dialect dialect() const noexcept override { return inner_.dialect(); }
    const std::string& url() const noexcept override { return inner_.url(); }
    DatabaseHealth health() override { return inner_.health(); }
    LaneStats lane_stats() const override { return inner_.lane_stats(); }
    using Database::backup;
    Result<void> backup(const std::string& path, std::stop_token stop) override
    {
        return inner_.backup(path, stop);
    }
    bool step() override { return false; }

private:
    SpotStore& store_;
    Database& inner_;
};

class SpotStore final : public TransactionalDecorator {
public:
    // `faulty` draws the fates; all of them outlive the store.
    SpotStore(Scene& scene, Store& front, FaultyStore& faulty, SpotTransactions& transactions, NodeId node)
        : TransactionalDecorator(front, transactions.ground().store()),
          scene_(scene),
          faulty_(faulty),
          transactions_(transactions),
          node_(node),
          database_(*this, transactions.ground().database())
    {
    }

    using TransactionalDecorator::find;
    using TransactionalDecorator::insert_or_get;
    using TransactionalDecorator::replace;
    using TransactionalDecorator::sweep;

    Database& database() noexcept override { return database_; }
    Result<Found> insert_or_get(Transaction& transaction, Insertion insertion) override;
    Result<Replaced> replace(Transaction& transaction, Replacement replacement) override;
    Result<Record> insert(Transaction& transaction, Insertion insertion) override;
    Result<Swept> sweep(
        Transaction& transaction, std::size_t count_max, Duration audit_retention
    ) override;
    Task<Result<void>> async_run(Closure closure, RunLimits limits) override;
    Task<Result<void>> async_look(Closure closure) override;

    // Travels, is run, and travels back.
    Task<Result<void>> send(Closure closure, SpotTransactions::Start start);
    void set_time() { transactions_.set_time(); }

private:
    Scene& scene_;
    FaultyStore& faulty_;
    SpotTransactions& transactions_;
    const NodeId node_;
    SpotDatabase database_;
};

}  // namespace umavez::simulation
