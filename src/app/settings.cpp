#include "app/settings.hpp"

#include "app/config_file.hpp"
#include "app/nearest.hpp"
#include "app/units.hpp"
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
        Errc::misconfigured, fmt::format("\"{}\" is not a number from 1 to {}", text, threads_max)
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
                "\"{}\" is not one of {}{}", text, fmt::join(names, ", "), suggestion(text, names)
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
    return set_duration(text, settings.audit_retention);
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

std::vector<std::string> known_keys()
{
    std::vector<std::string> keys{"operation"};
    for (const SettingSpec& spec : setting_specs()) keys.push_back(spec.key);
    return keys;
}

Result<void> take_entry(const std::string& file, const ConfigEntry& entry, Settings& settings)
{
    const std::string where = fmt::format("{}:{}", file, entry.line);
    if (entry.path.front() == "operation") {
        if (entry.path.size() != 3) {
            return fail(
                Errc::misconfigured,
                fmt::format(
                    "{}: {}: settings of an operation stand under [operation.\"name\"]; quote a "
                    "name that has dots",
                    where,
                    fmt::join(entry.path, ".")
                )
            );
        }
        Policy probe;
        if (auto applied = apply_overrides({{entry.path[2], entry.value}}, probe); !applied) {
            return fail(
                Errc::misconfigured,
                fmt::format(
                    "{}: operation \"{}\": {}", where, entry.path[1], applied.error().detail
                )
            );
        }
        settings.operations[entry.path[1]][entry.path[2]] = entry.value;
        return {};
    }
    const std::string key = fmt::format("{}", fmt::join(entry.path, "."));
    const auto spec = std::ranges::find(setting_specs(), key, &SettingSpec::key);
    if (spec == setting_specs().end()) {
        return fail(
            Errc::misconfigured,
            fmt::format("{}: unknown setting \"{}\"{}", where, key, suggestion(key, known_keys()))
        );
    }
    return set_one(*spec, where + ": " + key, entry.value, settings);
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

}  // namespace

const std::vector<SettingSpec>& setting_specs()
{
    static const std::vector<SettingSpec> specs{
        {"database",
         "--database",
         "UMAVEZ_DATABASE",
         "URL",
         "sqlite:PATH or sqlite::memory:",
         set_database},
        {"listen",
         "--listen",
         "UMAVEZ_LISTEN",
         "ADDRESS:PORT",
         "where to serve; port 0 is any",
         set_listen},
        {"http.threads",
         "--http-threads",
         "UMAVEZ_HTTP_THREADS",
         "N",
         "threads for HTTP",
         set_http_threads},
        {"http.drain_limit",
         "--drain-limit",
         "UMAVEZ_DRAIN_LIMIT",
         "DURATION",
         "how long a stop waits for running requests",
         set_drain_limit},
        {"audit.retention",
         "--audit-retention",
         "UMAVEZ_AUDIT_RETENTION",
         "DURATION",
         "how long the audit is kept",
         set_audit_retention},
        {"log.level",
         "--log-level",
         "UMAVEZ_LOG_LEVEL",
         "LEVEL",
         "debug, info, warning, error",
         set_log_level},
    };
    return specs;
}

Result<Settings> load_settings(const SettingSources& sources)
{
    Settings settings;
    if (auto taken = take_file(sources, settings); !taken) return std::unexpected(taken.error());
    for (const SettingSpec& spec : setting_specs()) {
        if (const auto text = sources.environment(spec.environment)) {
            if (auto set = set_one(spec, spec.environment, *text, settings); !set) {
                return std::unexpected(set.error());
            }
        }
        if (const auto flag = sources.flags.find(spec.flag); flag != sources.flags.end()) {
            if (auto set = set_one(spec, spec.flag, flag->second, settings); !set) {
                return std::unexpected(set.error());
            }
        }
    }
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
                    name,
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
                "\"{}\" is not an address and a port; write 127.0.0.1:8080 or [::1]:8080", text
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
