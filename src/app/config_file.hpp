#pragma once

// A configuration file, read and flattened; what its keys mean is decided in settings.hpp. The only
// file pair that sees the TOML parser. Thread-safe.

#include <umavez/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace umavez {

struct ConfigEntry {
    std::vector<std::string> path;  // {"operation", "pedidos.criar", "lease"}
    std::string value;  // strings as they are; integers, reals and booleans as their text
    int line = 0;
};

// Every value of the file in its order. Arrays and dates have no place in this configuration.
Result<std::vector<ConfigEntry>> read_config_file(const std::string& path);
Result<std::vector<ConfigEntry>> parse_config(std::string_view text, std::string_view source);

}  // namespace umavez
