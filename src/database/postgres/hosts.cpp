#include "database/postgres/hosts.hpp"

#include <algorithm>
#include <string_view>

namespace umavez::pg {
namespace {

// Those of libpq that are lists, a place for each host.
bool is_list(std::string_view name)
{
    return name == "host" || name == "hostaddr" || name == "port";
}

std::vector<std::string> split(std::string_view list)
{
    std::vector<std::string> parts;
    while (true) {
        const std::size_t end = std::min(list.find(','), list.size());
        parts.emplace_back(list.substr(0, end));
        if (end == list.size()) return parts;
        list.remove_prefix(end + 1);
    }
}

}  // namespace

bool Hosts::are_lists_even(const Parameters& parameters)
{
    const auto count = [&](std::string_view list) -> std::size_t {
        const auto found = std::ranges::find(parameters, list, &Parameters::value_type::first);
        return found == parameters.end() ? 0 : split(found->second).size();
    };
    const std::size_t hosts = count("host");
    const std::size_t addresses = count("hostaddr");
    const std::size_t ports = count("port");
    if (hosts != 0 && addresses != 0 && hosts != addresses) return false;
    return ports <= 1 || ports == std::max(hosts, addresses);
}

Hosts::Hosts(const Parameters& parameters)
{
    std::size_t count = 1;
    for (const auto& [name, value] : parameters) {
        if (is_list(name)) count = std::max(count, split(value).size());
    }
    for (std::size_t host = 0; host < count; ++host) {
        Parameters own;
        for (const auto& [name, value] : parameters) {
            if (!is_list(name)) {
                own.emplace_back(name, value);
                continue;
            }
            const std::vector<std::string> parts = split(value);
            const std::string& part = host < parts.size() ? parts[host] : parts[0];
            if (!part.empty()) own.emplace_back(name, part);
        }
        hosts_.push_back(std::move(own));
    }
}

std::string Hosts::place(std::size_t host) const
{
    std::string name_of_host;
    std::string port;
    for (const auto& [name, value] : hosts_[host]) {
        if (name == "host" || (name == "hostaddr" && name_of_host.empty())) name_of_host = value;
        if (name == "port") port = value;
    }
    const bool is_v6 = name_of_host.contains(':') && !name_of_host.starts_with('/');  // not a folder
    const std::string shown = is_v6 ? "[" + name_of_host + "]" : name_of_host;
    return port.empty() ? shown : shown + ":" + port;
}

Result<std::unique_ptr<Connection>> Hosts::connect(ConnectOptions options)
{
    Error told{Errc::misconfigured, "", std::source_location::current()};
    const std::size_t first = first_;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
        const std::size_t host = (first + i) % hosts_.size();
        options.parameters = hosts_[host];
        auto connection = Connection::open(options);
        if (connection) {
            first_ = host;
            return connection;
        }
        Error& error = connection.error();
        if (hosts_.size() == 1) return std::unexpected(std::move(error));
        // While one of them may come back, waiting is worth it.
        if (error.code != Errc::misconfigured) told.code = error.code;
        told.detail += (i == 0 ? "" : "; ") + place(host) + ": " + error.detail;
    }
    return std::unexpected(std::move(told));
}

}  // namespace umavez::pg
