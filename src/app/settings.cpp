#include "app/settings.hpp"

#include "app/config_file.hpp"
#include "app/idempotency_settings.hpp"
#include "app/operation_settings.hpp"
#include "app/read_input.hpp"
#include "base/limits.hpp"
#include "base/nearest.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace umavez {
namespace {

constexpr std::string_view default_config = "umavez.toml";

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

// `where` the text was found: "--listen", "UMAVEZ_LISTEN".
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
    std::vector<std::string> keys{
        "operation", "webhook.provider", "fiscal.emitente", "fiscal.sefaz"
    };
    for (const SettingSpec& spec : setting_specs()) keys.push_back(spec.key);
    return keys;
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
    const auto is_of = [&entry](std::string_view table, std::string_view list) {
        return entry.path.size() > 1 && entry.path[0] == table && entry.path[1] == list;
    };
    const auto taken = is_operation                   ? take_operation_entry(entry, settings)
                       : is_of("webhook", "provider") ? take_provider_entry(entry, settings.webhook)
                       : is_of("fiscal", "emitente")  ? take_emitente_entry(entry, settings.fiscal)
                       : is_of("fiscal", "sefaz")     ? take_sefaz_entry(entry, settings.fiscal)
                                                      : take_setting_entry(entry, settings);
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

std::string quoted_for_shell(const std::string& text)
{
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@,=+";
    if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
    return quoted + "'";
}

// A URL that may hold a password is not repeated.
std::string to_place_flags(const std::map<std::string, std::string>& flags)
{
    std::string all;
    if (const auto config = flags.find("--config"); config != flags.end()) {
        all += " --config " + quoted_for_shell(shown(config->second));
    }
    if (const auto database = flags.find("--database"); database != flags.end()) {
        const bool is_plain = database->second.starts_with("sqlite:");
        all += " --database " + (is_plain ? quoted_for_shell(shown(database->second)) : "URL");
    }
    return all;
}

}  // namespace

Result<Settings> load_settings(const SettingSources& sources)
{
    Settings settings;
    settings.place_flags = to_place_flags(sources.flags);
    if (auto taken = take_file(sources, settings); !taken) return std::unexpected(taken.error());
    for (const SettingSpec& spec : setting_specs()) {
        if (auto set = take_variable(spec, sources, settings); !set) {
            return std::unexpected(set.error());
        }
        if (const auto flag = sources.flags.find(spec.flag); flag != sources.flags.end()) {
            if (auto set = set_one(spec, spec.flag, flag->second, settings); !set) {
                return fail(Errc::invalid_argument, std::move(set.error().detail));
            }
        }
    }
    if (auto checked = check_tls(settings); !checked) return std::unexpected(checked.error());
    if (auto completed = complete_providers(settings.webhook, sources.environment); !completed) {
        return std::unexpected(completed.error());
    }
    if (auto checked = check_sefaz(settings.fiscal); !checked) {
        return std::unexpected(checked.error());
    }
    if (auto completed = complete_emitentes(settings.fiscal, sources.environment); !completed) {
        return std::unexpected(completed.error());
    }
    return settings;
}

}  // namespace umavez
