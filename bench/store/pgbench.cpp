#include "store/pgbench.hpp"

#include "support/postgres_server.hpp"
#include "support/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

namespace umavez::bench {

double Pgbench::rate(const std::string& script, std::chrono::seconds window) const
{
    return run(script, window, 32, "");
}

double Pgbench::rate_of_batches(const std::string& script, std::chrono::seconds window, int clients)
    const
{
    constexpr const char* plans =
        "PGOPTIONS='-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off' ";
    return run(script, window, clients, plans);
}

double Pgbench::run(
    const std::string& script, std::chrono::seconds window, int clients, const char* plans
) const
{
    const std::string path = folder_ + "/script.sql";
    std::ofstream{path} << script;
    const std::string command = fmt::format(
        "{}{}/pgbench -n -h {} -U postgres -M prepared -c {} -j {} -T {} -f {} postgres 2>&1",
        plans,
        test::PostgresServer::binaries(),
        socket_,
        clients,
        std::min(clients, 2),
        window.count(),
        path
    );
    const std::unique_ptr<FILE, int (*)(FILE*)> output{::popen(command.c_str(), "r"), ::pclose};
    if (!output) give_up("pgbench cannot be started");
    std::string said;
    char line[512];
    while (std::fgets(line, sizeof line, output.get()) != nullptr) said += line;
    const std::size_t found = said.find("tps = ");
    if (found == std::string::npos) give_up("pgbench: " + said);
    return std::atof(said.c_str() + found + 6);
}

}  // namespace umavez::bench
