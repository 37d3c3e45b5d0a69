#include "redis/redis_benchmark.hpp"

#include "support/requests.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace umavez::bench {

double run_redis_benchmark(
    const std::string& socket_path,
    Pipelines pipelines,
    std::uint64_t count,
    std::uint64_t keys,
    const std::vector<std::string>& command
)
{
    std::string line = fmt::format(
        "redis-benchmark -s {} -c {} -P {} -n {} -r {} --csv",
        socket_path,
        pipelines.connections,
        pipelines.depth,
        count,
        keys
    );
    for (const std::string& word : command) line += " '" + word + "'";
    line += " 2>/dev/null";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe{::popen(line.c_str(), "r"), &::pclose};
    if (!pipe) give_up("redis-benchmark cannot be started");
    std::string said;
    std::array<char, 4096> buffer;
    while (std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) said = buffer.data();
    // "GET …","123456.78","0.1",…: the last line, second column; the command itself may hold
    // commas.
    const std::size_t column = said.find("\",\"");
    if (column == said.npos) give_up("redis-benchmark said nothing");
    return std::atof(said.c_str() + column + 3);
}

}  // namespace umavez::bench
