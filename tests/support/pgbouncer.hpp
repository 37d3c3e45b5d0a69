#pragma once

// PgBouncer: a private pooler in transaction mode before a private PostgreSQL, on a loopback port.
//
// It runs as the user `postgres` where the test runs as root, and dies with the test. One that cannot be
// started throws. Confined to the thread that made it, which outlives it.

#include "support/postgres_server.hpp"

namespace umavez::test {

class PgBouncer {
public:
    // `server_connections`: for all clients together, so that they have to share.
    // `settings`: more lines of its file.
    PgBouncer(
        const PostgresServer& server, int server_connections, const std::string& settings = {}
    );
    ~PgBouncer();
    PgBouncer(const PgBouncer&) = delete;
    PgBouncer& operator=(const PgBouncer&) = delete;

    std::string url(const std::string& parameters) const;
    int port() const noexcept { return port_; }

private:
    void write_settings(int server_connections, const std::string& more) const;

    const PostgresServer& server_;
    std::filesystem::path folder_;
    int port_ = 0;
    pid_t pid_ = -1;
};

}  // namespace umavez::test
