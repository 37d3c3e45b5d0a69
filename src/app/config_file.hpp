#pragma once

// A configuration file, read and flattened; what its keys mean is decided in settings.hpp. The only
// file pair that sees the TOML parser. Thread-safe.

#include <umavez/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace umavez {

enum class ConfigType : std::uint8_t { string, integer, number, boolean, array, date, table };

struct ConfigEntry {
    std::vector<std::string> path;  // {"operation", "pedidos.criar", "lease"}
    ConfigType type = ConfigType::string;
    std::string value;  // strings as they are; integers, numbers and booleans as their text
    int line = 0;
    std::vector<std::string> values = {};  // of an array of strings
};

// Refuses a value of another type than `example`, which is written as the file has it: in quotes,
// an integer or a boolean. "found the integer 5, wanted a string such as \"30s\""
Result<void> check_type(const ConfigEntry& entry, std::string_view example);

// Every value of the file in its order, and tables that hold none. The n-th table of an array of tables has n
// in its path: {"webhook", "provider", "0", "name"}.
Result<std::vector<ConfigEntry>> read_config_file(const std::string& path);
Result<std::vector<ConfigEntry>> parse_config(std::string_view text, std::string_view source);

}  // namespace umavez
