#pragma once

// Pgbench: PostgreSQL's own load generator, running one script with prepared statements. Confined
// to its thread.

#include <chrono>
#include <string>

namespace umavez::bench {

class Pgbench {
public:
    // `folder` keeps the script; `socket` is the folder of the server's socket.
    Pgbench(std::string folder, std::string socket)
        : folder_(std::move(folder)), socket_(std::move(socket))
    {
    }

    // Scripts per second by 32 clients.
    double rate(const std::string& script, std::chrono::seconds window) const;

    // The same for scripts that join a list with the table. With the plans that our lanes have: planned on a
    // small table, such an UPDATE would stay a sequential scan.
    double rate_of_batches(const std::string& script, std::chrono::seconds window, int clients)
        const;

private:
    double run(
        const std::string& script, std::chrono::seconds window, int clients, const char* plans
    ) const;

    const std::string folder_;
    const std::string socket_;
};

}  // namespace umavez::bench
