#include "redis/cpu.hpp"

#include "support/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/resource.h>

namespace umavez::bench {
namespace {

// The number behind `name`, 0 where there is none.
double number_behind(const std::string& text, std::string_view name)
{
    const std::size_t at = text.find(name);
    return at == text.npos ? 0 : std::atof(text.c_str() + at + name.size());
}

double micros_of(int who)
{
    rusage used{};
    ::getrusage(who, &used);
    const auto micros = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
    };
    return micros(used.ru_utime) + micros(used.ru_stime);
}

Cost cost_so_far(const test::RedisServer& server)
{
    const std::string cpu = server.command({"INFO", "cpu"});
    const std::string commands = server.command({"INFO", "commandstats"});
    return {
        .server_us = (number_behind(cpu, "used_cpu_user:") + number_behind(cpu, "used_cpu_sys:")) *
                     1e6,
        .client_us = micros_of(RUSAGE_SELF) + micros_of(RUSAGE_CHILDREN),
        .calls = number_behind(commands, "cmdstat_evalsha:calls="),
    };
}

// "12.34 13.57": the least and the median.
std::string brief(const std::vector<Cost>& all, double Cost::*figure)
{
    std::vector<double> figures;
    for (const Cost& cost : all) figures.push_back(cost.*figure);
    return fmt::format("{:6.2f} {:6.2f}", std::ranges::min(figures), median(figures));
}

}  // namespace

Cost cost_of(const test::RedisServer& server, const std::function<double()>& work)
{
    const Cost before = cost_so_far(server);
    const double count = work();
    const Cost after = cost_so_far(server);
    return {
        .server_us = (after.server_us - before.server_us) / count,
        .client_us = (after.client_us - before.client_us) / count,
        .calls = (after.calls - before.calls) / count,
    };
}

void Costs::show() const
{
    fmt::print(
        "  {:<14} | server {} | client {} | calls {}\n",
        what_,
        brief(all_, &Cost::server_us),
        brief(all_, &Cost::client_us),
        brief(all_, &Cost::calls)
    );
    std::fflush(stdout);
}

}  // namespace umavez::bench
