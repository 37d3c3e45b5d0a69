#include "app/settings.hpp"

#include "app/config_file.hpp"
#include "app/idempotency_settings.hpp"
#include "app/read_input.hpp"
#include "app/units.hpp"
#include "base/limits.hpp"
#include "base/nearest.hpp"
#include "base/shown.hpp"
#include "core/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <filesystem>
#include <ranges>

namespace umavez {
namespace {

constexpr std::string_view default_config = "umavez.toml";

Result<void> set_duration(std::string_view text, Duration& out)
{
    const auto parsed = parse_duration(text);
    if (!parsed) return std::unexpected(parsed.error());
    out = *parsed;
    return {};
}

Result<void> set_database(std::string_view text, Settings& settings)
{
    settings.database = text;
    return {};
}

Result<void> set_listen(std::string_view text, Settings& settings)
{
    auto parsed = parse_listen(text);
    if (!parsed) return std::unexpected(parsed.error());
    settings.listen = *std::move(parsed);
    return {};
}

Result<void> set_http_threads(std::string_view text, Settings& settings)
{
    constexpr std::size_t threads_max = 64;
    const char* const end = text.data() + text.size();
    const auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), settings.http_threads);
    const bool is_number = error == std::errc{} && rest == end;
    if (is_number && settings.http_threads >= 1 && settings.http_threads <= threads_max) return {};
    return fail(
        Errc::misconfigured,
        fmt::format("\"{}\" is not a number from 1 to {}", shown(text), threads_max)
    );
}

Result<void> set_tls_cert(std::string_view text, Settings& settings)
{
    settings.tls_cert = text;
    return {};
}

Result<void> set_tls_key(std::string_view text, Settings& settings)
{
    settings.tls_key = text;
    return {};
}

Result<void> check_tls(const Settings& settings)
{
    if (settings.tls_cert.empty() == settings.tls_key.empty()) return {};
    const bool has_cert = !settings.tls_cert.empty();
    return fail(
        Errc::misconfigured,
        fmt::format(
            "{} is given without {}: a certificate and its key belong together",
            has_cert ? "tls.cert" : "tls.key",
            has_cert ? "tls.key" : "tls.cert"
        )
    );
}

Result<void> set_log_level(std::string_view text, Settings& settings)
{
    static const std::vector<std::string> names{"debug", "info", "warning", "error"};
    const auto found = std::ranges::find(names, text);
    if (found == names.end()) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "\"{}\" is not one of {}{}",
                shown(text),
                fmt::join(names, ", "),
                suggestion(text, names)
            )
        );
    }
    settings.log_level = static_cast<LogLevel>(found - names.begin());
    return {};
}

Result<void> set_drain_limit(std::string_view text, Settings& settings)
{
    return set_duration(text, settings.drain_limit);
}

Result<void> set_audit_retention(std::string_view text, Settings& settings)
{
    if (auto set = set_duration(text, settings.audit_retention); !set) return set;
    if (settings.audit_retention > Duration{0}) return {};
    return fail(
        Errc::misconfigured,
        fmt::format("{} keeps nothing; write a duration above zero, such as 90d", shown(text))
    );
}

Result<void> set_retencao_operacoes(std::string_view text, Settings& settings)
{
    Duration retention{};
    if (auto set = set_duration(text, retention); !set) return set;
    if (retention <= Duration{0}) {
        return fail(
            Errc::misconfigured,
            fmt::format("{} keeps nothing; write a duration above zero, such as 30d", shown(text))
        );
    }
    settings.propostas.retencao_operacoes = retention;
    return {};
}

Result<void> set_one(
    const SettingSpec& spec, std::string_view where, std::string_view text, Settings& settings
)
{
    if (auto set = spec.set(text, settings); !set) {
        return fail(Errc::misconfigured, fmt::format("{}: {}", where, set.error().detail));
    }
    return {};
}

std::string join(const std::vector<std::string>& path)
{
    return fmt::format("{}", fmt::join(path, "."));
}

std::vector<std::string> known_keys()
{
    std::vector<std::string> keys{"operation"};
    for (const SettingSpec& spec : setting_specs()) keys.push_back(spec.key);
    return keys;
}

Result<void> take_operation_entry(const ConfigEntry& entry, Settings& settings)
{
    // [operation] and [operation."name"] that set nothing.
    if (entry.type == ConfigType::table && entry.path.size() < 3) return {};
    if (entry.path.size() != 3) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "{}: settings of an operation stand under [operation.\"name\"]; quote a name that "
                "has dots",
                shown(join(entry.path))
            )
        );
    }
    const std::string& name = entry.path[1];
    const std::string& field = entry.path[2];
    Result<void> taken;
    if (const auto example = policy_field_example(field)) {
        taken = check_type(entry, *example);
        if (!taken) taken.error().detail = fmt::format("{}: {}", field, taken.error().detail);
    }
    Policy probe;
    if (taken) taken = apply_overrides({{field, entry.value}}, probe);
    if (!taken) {
        return fail(
            Errc::misconfigured,
            fmt::format("operation \"{}\": {}", shown(name), taken.error().detail)
        );
    }
    settings.operations[name][field] = entry.value;
    return {};
}

// The last words of the keys that stand in this table: "threads, drain_limit". Empty: no such
// table.
std::string keys_of_table(const std::string& table)
{
    std::vector<std::string> keys;
    for (const SettingSpec& spec : setting_specs()) {
        if (spec.key.starts_with(table + ".")) keys.push_back(spec.key.substr(table.size() + 1));
    }
    return fmt::format("{}", fmt::join(keys, ", "));
}

Result<void> take_setting_entry(const ConfigEntry& entry, Settings& settings)
{
    const std::string key = join(entry.path);
    const auto spec = std::ranges::find(setting_specs(), key, &SettingSpec::key);
    if (spec != setting_specs().end()) {
        auto taken = check_type(entry, spec->example);
        if (taken) taken = spec->set(entry.value, settings);
        if (!taken) {
            return fail(Errc::misconfigured, fmt::format("{}: {}", key, taken.error().detail));
        }
        return {};
    }
    const std::string inside = keys_of_table(key);
    if (!inside.empty() && entry.type == ConfigType::table) return {};
    return fail(
        Errc::misconfigured,
        fmt::format(
            "unknown setting \"{}\"{}",
            shown(key),
            inside.empty() ? suggestion(key, known_keys())
                           : fmt::format("; it is a table: [{}] with {}", key, inside)
        )
    );
}

Result<void> take_entry(const std::string& file, const ConfigEntry& entry, Settings& settings)
{
    const bool is_operation = entry.path.front() == "operation";
    const auto taken =
        is_operation ? take_operation_entry(entry, settings) : take_setting_entry(entry, settings);
    if (taken) return {};
    return fail(
        Errc::misconfigured, fmt::format("{}:{}: {}", shown(file), entry.line, taken.error().detail)
    );
}

Result<void> take_file(const SettingSources& sources, Settings& settings)
{
    const auto flag = sources.flags.find("--config");
    const auto variable = sources.environment("UMAVEZ_CONFIG");
    if (flag != sources.flags.end()) {
        settings.config_path = flag->second;
    } else if (variable) {
        settings.config_path = *variable;
    } else if (std::filesystem::exists(default_config)) {
        settings.config_path = default_config;
    } else {
        return {};
    }
    const auto entries = read_config_file(settings.config_path);
    if (!entries) return std::unexpected(entries.error());
    for (const ConfigEntry& entry : *entries) {
        if (auto taken = take_entry(settings.config_path, entry, settings); !taken) return taken;
    }
    return {};
}

// UMAVEZ_DATABASE, or UMAVEZ_DATABASE_FILE with the path of a file that holds it: for secrets.
Result<void> take_variable(
    const SettingSpec& spec, const SettingSources& sources, Settings& settings
)
{
    const std::string file_variable = spec.environment + "_FILE";
    const auto text = sources.environment(spec.environment);
    const auto path = sources.environment(file_variable);
    if (text && path) {
        return fail(
            Errc::misconfigured,
            fmt::format("{} and {} are both set; unset one", spec.environment, file_variable)
        );
    }
    if (text) return set_one(spec, spec.environment, *text, settings);
    if (!path) return {};
    auto held = read_input(*path, limits::config_bytes_max, std::chrono::milliseconds{3000});
    if (!held) {
        return fail(Errc::misconfigured, fmt::format("{}: {}", file_variable, held.error().detail));
    }
    held->erase(held->find_last_not_of(" \t\r\n") + 1);
    return set_one(spec, file_variable, *held, settings);
}

}  // namespace

const std::vector<SettingSpec>& setting_specs()
{
    static const std::vector<SettingSpec> specs = [] {
        std::vector<SettingSpec> made{
            {"database",
             "--database",
             "UMAVEZ_DATABASE",
             "URL",
             "sqlite:PATH or sqlite::memory:",
             "\"sqlite:umavez.db\"",
             set_database},
            {"listen",
             "--listen",
             "UMAVEZ_LISTEN",
             "ADDRESS:PORT",
             "where to serve; port 0 is any",
             "\"127.0.0.1:8080\"",
             set_listen},
            {"http.threads",
             "--http-threads",
             "UMAVEZ_HTTP_THREADS",
             "N",
             "threads for HTTP",
             "2",
             set_http_threads},
            {"http.drain_limit",
             "--drain-limit",
             "UMAVEZ_DRAIN_LIMIT",
             "DURATION",
             "how long a stop waits for running requests",
             "\"10s\"",
             set_drain_limit},
            {"tls.cert",
             "--tls-cert",
             "UMAVEZ_TLS_CERT",
             "FILE",
             "certificate and its chain in PEM: serve HTTPS; read again on SIGHUP",
             "\"umavez.pem\"",
             set_tls_cert},
            {"tls.key",
             "--tls-key",
             "UMAVEZ_TLS_KEY",
             "FILE",
             "private key of the certificate in PEM, without a passphrase",
             "\"umavez.key\"",
             set_tls_key},
            {"audit.retention",
             "--audit-retention",
             "UMAVEZ_AUDIT_RETENTION",
             "DURATION",
             "how long the audit is kept",
             "\"90d\"",
             set_audit_retention},
            {"log.level",
             "--log-level",
             "UMAVEZ_LOG_LEVEL",
             "LEVEL",
             "debug, info, warning, error",
             "\"info\"",
             set_log_level},
            {"propostas.retencao_operacoes",
             "--propostas-retencao-operacoes",
             "UMAVEZ_PROPOSTAS_RETENCAO_OPERACOES",
             "DURATION",
             "how long the operations of Propostas are kept; for ever without it",
             "\"30d\"",
             set_retencao_operacoes},
        };
        for (SettingSpec& spec : idempotency_specs()) made.push_back(std::move(spec));
        return made;
    }();
    return specs;
}

Result<Settings> load_settings(const SettingSources& sources)
{
    Settings settings;
    if (auto taken = take_file(sources, settings); !taken) return std::unexpected(taken.error());
    for (const SettingSpec& spec : setting_specs()) {
        if (auto set = take_variable(spec, sources, settings); !set) {
            return std::unexpected(set.error());
        }
        if (const auto flag = sources.flags.find(spec.flag); flag != sources.flags.end()) {
            if (auto set = set_one(spec, spec.flag, flag->second, settings); !set) {
                return std::unexpected(set.error());
            }
        }
    }
    if (auto checked = check_tls(settings); !checked) return std::unexpected(checked.error());
    return settings;
}

Result<void> configure_operations(
    const std::map<std::string, PolicyOverrides>& overrides, std::span<OperationSpec> operations
)
{
    for (const auto& [name, fields] : overrides) {
        const auto found = std::ranges::find(operations, name, &OperationSpec::name);
        if (found == operations.end()) {
            std::vector<std::string> known;
            for (const OperationSpec& operation : operations) known.push_back(operation.name);
            return fail(
                Errc::misconfigured,
                fmt::format(
                    "unknown operation \"{}\"{}; known: {}",
                    shown(name),
                    suggestion(name, known),
                    known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))
                )
            );
        }
        if (auto applied = apply_overrides(fields, found->policy); !applied) {
            return fail(
                Errc::misconfigured,
                fmt::format("operation \"{}\": {}", name, applied.error().detail)
            );
        }
        Policy policy = found->policy;
        policy.has_reconciler = static_cast<bool>(found->reconcile);
        const Offered offered{
            .store_name = "SQLite", .atomic = true, .leased = true, .cached = false
        };
        const Registered registered{.has_current = static_cast<bool>(found->current)};
        if (auto checked = validate(name, policy, offered, registered); !checked) return checked;
    }
    return {};
}

bool ListenAddress::is_loopback() const noexcept
{
    return address.starts_with("127.") || address == "::1";
}

Result<ListenAddress> parse_listen(std::string_view text)
{
    const auto refuse = [text] {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "\"{}\" is not an address and a port; write 127.0.0.1:8080 or [::1]:8080",
                shown(text)
            )
        );
    };
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return refuse();
    ListenAddress listen{std::string{text.substr(0, colon)}, 0};
    const std::string_view port = text.substr(colon + 1);
    const auto [rest, error] = std::from_chars(port.data(), port.data() + port.size(), listen.port);
    if (port.empty() || error != std::errc{} || rest != port.data() + port.size()) return refuse();

    if (listen.address == "localhost") listen.address = "127.0.0.1";
    unsigned char parsed[sizeof(in6_addr)];
    if (listen.address.starts_with('[') && listen.address.ends_with(']')) {
        listen.address = listen.address.substr(1, listen.address.size() - 2);
        if (::inet_pton(AF_INET6, listen.address.c_str(), parsed) != 1) return refuse();
    } else if (::inet_pton(AF_INET, listen.address.c_str(), parsed) != 1) {
        return refuse();
    }
    return listen;
}

}  // namespace umavez
