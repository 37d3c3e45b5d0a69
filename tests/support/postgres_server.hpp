#pragma once

// PostgresServer: a private PostgreSQL for one test program, in a folder of its own that goes away
// with it.
//
// It runs as the user `postgres` where the test runs as root, and dies with the test even if that
// is killed. A server that cannot be started throws: the test fails, it is not skipped. Confined to
// the thread that made it, which outlives it.

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace umavez::test {

struct PostgresOptions {
    bool durable = false;               // with fsync: where durability is the subject
    bool listens = false;               // on a loopback port too, not on its socket alone
    std::vector<std::string> settings;  // "name=value"
    std::string parent = "/tmp";        // of its folder; short, as a socket's path must be
    // A standby of that server, which listens: made from its data, following it under the name "standby".
    const class PostgresServer* follows = nullptr;
};

class PostgresServer {
public:
    explicit PostgresServer(PostgresOptions options = {});
    ~PostgresServer();
    PostgresServer(const PostgresServer&) = delete;
    PostgresServer& operator=(const PostgresServer&) = delete;

    // By its socket, or with `listens` by its port.
    std::string url(const std::string& parameters = {}) const;
    std::string url_of(const std::string& host, int port, const std::string& parameters = {}) const;
    static std::string binaries();  // the folder of pgbench and the others
    const std::filesystem::path& folder() const noexcept { return folder_; }
    int port() const noexcept { return port_; }
    pid_t pid() const noexcept { return pid_; }

    void start();  // again, on the same data
    void kill();   // SIGKILL to the server and all its processes
    void stop();   // a fast shutdown
    void signal(int number) const;
    void freeze(bool frozen) const;  // SIGSTOP to the server and all its processes, or SIGCONT
    // Its commits wait until a standby of that name has them; without a name, for nobody. Returns when so.
    void require_standby(const std::string& name) const;
    // The same for the one that `follows`. Returns when it does.
    void wait_for_standby() const;
    void promote() const;  // a standby becomes the primary

    // Runs `sql` and gives the first value of its rows; throws if it failed.
    std::string run(const std::string& sql) const { return run_in("postgres", sql); }
    std::string run_in(const std::string& database, const std::string& sql) const;

private:
    void make_data() const;
    void wait_until_ready();
    void ask_until(const std::string& truth) const;
    void stop_starting_children() const;
    void reap();

    const PostgresOptions options_;
    std::filesystem::path folder_;
    int port_ = 5432;
    pid_t pid_ = -1;
};

// One for the whole program, started by the first who asks; and one that loses nothing, for
// programs that insist on it.
PostgresServer& shared_postgres();
PostgresServer& shared_durable_postgres();

// A schema of its own on that server: a fresh database for one test, in milliseconds.
class PostgresSchema {
public:
    explicit PostgresSchema(PostgresServer& server = shared_postgres());
    ~PostgresSchema();
    PostgresSchema(const PostgresSchema&) = delete;
    PostgresSchema& operator=(const PostgresSchema&) = delete;

    std::string url(const std::string& more = {}) const;

private:
    PostgresServer& server_;
    std::string name_;
};

// The database of a test that runs on both: SQLite in `folder`, or, with UMAVEZ_TEST_POSTGRES in
// the environment, a schema of its own.
class TestDatabase {
public:
    explicit TestDatabase(std::string folder, bool durable = false) : folder_(std::move(folder))
    {
        if (std::getenv("UMAVEZ_TEST_POSTGRES") == nullptr) return;
        schema_ = std::make_unique<PostgresSchema>(
            durable ? shared_durable_postgres() : shared_postgres()
        );
    }
    std::string url() const
    {
        return schema_ ? schema_->url("umavez_connections=8") : "sqlite:" + folder_ + "/test.db";
    }
    bool is_postgres() const noexcept { return schema_ != nullptr; }

private:
    const std::string folder_;
    std::unique_ptr<PostgresSchema> schema_;
};

}  // namespace umavez::test
