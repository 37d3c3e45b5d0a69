// A private, durable PostgreSQL for bench_webhook, with the settings of bench_store, and the atomic mode on
// it.
//
// Says its URL, then obeys lines: `atomic MS` measures atomic/s with one insert by 64 callers; `sql TEXT`
// runs it and says the first value. Ends with its input.

#include "support/engine_side.hpp"
#include "support/postgres_server.hpp"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string>

namespace {

void obey(
    const std::string& line,
    const umavez::test::PostgresServer& server,
    std::optional<umavez::bench::EngineSide>& engine
)
{
    if (line.starts_with("atomic ")) {
        if (!engine) engine.emplace(server.url("umavez_connections=32"));
        const std::chrono::milliseconds window{std::atoi(line.c_str() + 7)};
        std::cout << engine->atomic_by_tasks(window) << std::endl;
        return;
    }
    std::cout << server.run_in("postgres", line.substr(4)) << std::endl;
}

}  // namespace

int main()
{
    try {
        umavez::test::PostgresServer server{
            {.durable = true, .settings = {"shared_buffers=128MB"}, .parent = "/var/tmp"}
        };
        std::cout << server.url() << std::endl;
        std::optional<umavez::bench::EngineSide> engine;
        for (std::string line; std::getline(std::cin, line);) obey(line, server, engine);
        return EXIT_SUCCESS;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return EXIT_FAILURE;
    }
}
