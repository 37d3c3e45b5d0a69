#include "store/pgbench.hpp"

#include "support/postgres_server.hpp"
#include "support/requests.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

namespace umavez::bench {

double Pgbench::rate(const std::string& script, std::chrono::seconds window) const
{
    const std::string path = folder_ + "/script.sql";
    std::ofstream{path} << script;
    const std::string command = fmt::format(
        "{}/pgbench -n -h {} -U postgres -M prepared -c 32 -j 2 -T {} -f {} postgres 2>&1",
        test::PostgresServer::binaries(),
        socket_,
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
