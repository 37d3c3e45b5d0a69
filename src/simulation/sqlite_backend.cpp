// One process at a time over a real SQLite file.
//
// A crash leaves the files as they are at that moment; the next process opens a copy of them. The dead
// process keeps its own, so nothing it still holds can reach what its successor sees.

#include "engine/make_engine.hpp"
#include "simulation/backend.hpp"
#include "simulation/faulty_transactional_store.hpp"
#include "simulation/sqlite_evidence.hpp"
#include "store/sqlite/sqlite_store.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

#include <stdlib.h>

namespace umavez::simulation {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
public:
    TemporaryFolder()
    {
        const fs::path shared = "/dev/shm";
        const fs::path parent = fs::is_directory(shared) ? shared : fs::temp_directory_path();
        std::string name = (parent / "umavez-simulation-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the simulation");
        path_ = name;
    }
    ~TemporaryFolder()
    {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const fs::path& path() const noexcept { return path_; }

private:
    fs::path path_;
};

template <typename T>
T must(Result<T> result)
{
    if (!result) throw std::runtime_error(result.error().detail);
    return *std::move(result);
}

class SqliteNodeStore final : public NodeStore {
public:
    SqliteNodeStore(Scene& scene, NodeId node, const NodeClock& clock, const fs::path& path)
        : database_(must(open_database(
              "sqlite:" + path.string(),
              {.clock = &clock, .threads = false, .durable = false, .readers = 1}
          ))),
          store_(must(open_sqlite_store(*database_))),
          faulty_(scene, *store_, node)
    {
        const auto prepared = prepare_evidence(*database_);
        if (!prepared) throw std::runtime_error(prepared.error().detail);
    }

    std::unique_ptr<Engine> make_engine(EngineOptions options) override
    {
        return umavez::make_engine(static_cast<TransactionalStore&>(faulty_), std::move(options));
    }
    Database* database() noexcept override { return database_.get(); }
    TransactionalStore& store() noexcept { return *store_; }
    bool step() override { return database_->step(); }

private:
    std::unique_ptr<Database> database_;
    std::unique_ptr<TransactionalStore> store_;
    FaultyTransactionalStore faulty_;
};

class SqliteBackend final : public Backend {
public:
    explicit SqliteBackend(Scene& scene) : scene_(scene) {}

    std::unique_ptr<NodeStore> attach(NodeId node, const NodeClock& clock) override
    {
        const fs::path before = path_;
        path_ = folder_.path() / fmt::format("{}.db", node);
        if (!before.empty()) {
            copy(before, path_, "");
            copy(before, path_, "-wal");
        }
        auto store = std::make_unique<SqliteNodeStore>(scene_, node, clock, path_);
        newest_ = store.get();
        return store;
    }

    void gather() override
    {
        const auto gathered = gather_evidence(*newest_->database(), scene_.evidence);
        if (!gathered) scene_.evidence.faults.push_back("the evidence cannot be read");
    }

    Left left() override
    {
        Left left;
        auto page = wait(newest_->store().scan({.count_max = 1000}));
        if (page) left.records = std::move(page->records);
        const auto read = newest_->database()->read([&left](Transaction& transaction) -> Result<void> {
            left.now = transaction.now();
            return {};
        });
        if (!page || !read) scene_.evidence.faults.push_back("the records cannot be read");
        return left;
    }

private:
    static void copy(const fs::path& from, const fs::path& to, const char* suffix)
    {
        const fs::path source = from.string() + suffix;
        if (fs::exists(source)) fs::copy_file(source, to.string() + suffix);
    }

    Scene& scene_;
    TemporaryFolder folder_;
    fs::path path_;
    SqliteNodeStore* newest_ = nullptr;
};

}  // namespace

std::unique_ptr<Backend> make_sqlite_backend(Scene& scene)
{
    return std::make_unique<SqliteBackend>(scene);
}

}  // namespace umavez::simulation
