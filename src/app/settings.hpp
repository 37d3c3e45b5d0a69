#pragma once

// Settings: what the program is told, from flags, environment and file, in that order of strength.
//
// Every setting has the three names in one table. Each error names the setting, where it was found,
// and the cure. Immutable after load_settings.

#include "app/fiscal_settings.hpp"
#include "app/listen_address.hpp"
#include "app/mailing_settings.hpp"
#include "app/policy_settings.hpp"
#include "app/webhook_settings.hpp"
#include "key_protocol/read_request.hpp"
#include "modules/propostas/operations.hpp"
#include "telemetry/log.hpp"

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace umavez {

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
    WebhookSettings webhook;
    MailingSettings mailing;
    FiscalSettings fiscal;
    std::map<std::string, PolicyOverrides> operations;
    std::string config_path;  // empty: none was read
    // " --config a.toml --database sqlite:y.db", of the flags that were given: with them another
    // command finds the same database. Without secrets, and as a shell reads it.
    std::string place_flags;
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

// Without --config and UMAVEZ_CONFIG, umavez.toml is read if it is there. invalid_argument: a flag
// is wrong; misconfigured: the environment or the file is.
Result<Settings> load_settings(const SettingSources& sources);

}  // namespace umavez
