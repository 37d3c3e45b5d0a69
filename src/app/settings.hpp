#pragma once

// Settings: what the program is told, from flags, environment and file, in that order of strength.
//
// Every setting has the three names in one table. Each error names the setting, where it was found,
// and the cure. Immutable after load_settings.

#include "app/policy_settings.hpp"
#include "key_protocol/read_request.hpp"
#include "modules/propostas/operations.hpp"
#include "telemetry/log.hpp"

#include <umavez/operation.hpp>
#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace umavez {

struct ListenAddress {
    std::string address;  // an IP address, without brackets
    std::uint16_t port = 0;
    bool is_loopback() const noexcept;
    friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

// "127.0.0.1:8080", "[::1]:8080", "localhost:8080"
Result<ListenAddress> parse_listen(std::string_view text);

struct Settings {
    std::string database = "sqlite:umavez.db";
    ListenAddress listen{"127.0.0.1", 8080};
    std::size_t http_threads = 2;
    std::string tls_cert;  // files; both or none
    std::string tls_key;
    Duration drain_limit = std::chrono::seconds{10};
    Duration audit_retention = std::chrono::hours{24 * 90};
    LogLevel log_level = LogLevel::info;
    key_protocol::ProtocolSettings idempotency;
    propostas::Settings propostas;
    std::map<std::string, PolicyOverrides> operations;
    std::string config_path;  // empty: none was read
};

struct SettingSpec {
    std::string key;          // "http.threads"
    std::string flag;         // "--http-threads"
    std::string environment;  // "UMAVEZ_HTTP_THREADS"
    std::string value_name;   // "N"; empty: the flag is a switch, whose text is empty
    std::string help;
    std::string example;  // as the file has it: a string in quotes, an integer or a boolean
    Result<void> (*set)(std::string_view text, Settings& settings);
};

const std::vector<SettingSpec>& setting_specs();

struct SettingSources {
    std::map<std::string, std::string> flags;  // "--listen" to its value; "--config" too
    std::function<std::optional<std::string>(const std::string&)> environment;
};

// Without --config and UMAVEZ_CONFIG, umavez.toml is read if it is there.
Result<Settings> load_settings(const SettingSources& sources);

// Puts the overrides of the file on the operations that exist, and checks the result. Refuses a
// name that nobody declared, with the names that are.
Result<void> configure_operations(
    const std::map<std::string, PolicyOverrides>& overrides, std::span<OperationSpec> operations
);

}  // namespace umavez
