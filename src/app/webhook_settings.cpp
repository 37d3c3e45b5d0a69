#include "app/webhook_settings.hpp"

#include "app/listed_table.hpp"
#include "app/read_input.hpp"
#include "app/settings.hpp"
#include "app/units.hpp"
#include "base/limits.hpp"
#include "base/nearest.hpp"
#include "base/shown.hpp"
#include "webhook/inbox/ingress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

namespace umavez {
namespace {

using Listed = WebhookSettings::Listed;
using webhook::Provider;

// The keys whose value is a string that is taken as it is.
struct TextKey {
    std::string_view name;
    std::string Provider::* field;
};
constexpr std::array text_keys = {
    TextKey{"name", &Provider::name},
    TextKey{"scheme", &Provider::scheme},
    TextKey{"account", &Provider::account},
    TextKey{"url", &Provider::url},
    TextKey{"header", &Provider::header},
    TextKey{"algorithm", &Provider::algorithm},
    TextKey{"encoding", &Provider::encoding},
    TextKey{"prefix", &Provider::prefix},
    TextKey{"id", &Provider::id},
    TextKey{"type", &Provider::type},
    TextKey{"api", &Provider::api},
    TextKey{"api_token", &Provider::api_token},
};

struct PlaceKey {
    std::string_view name;
    std::string Listed::* field;
};
constexpr std::array place_keys = {
    PlaceKey{"secrets_env", &Listed::secrets_env},
    PlaceKey{"secrets_file", &Listed::secrets_file},
    PlaceKey{"api_token_env", &Listed::api_token_env},
};

std::vector<std::string> known_keys()
{
    std::vector<std::string> keys{"secrets", "tolerance"};
    for (const TextKey& key : text_keys) keys.emplace_back(key.name);
    for (const PlaceKey& key : place_keys) keys.emplace_back(key.name);
    return keys;
}

std::string* find_text(Listed& listed, std::string_view key)
{
    const auto text = std::ranges::find(text_keys, key, &TextKey::name);
    if (text != text_keys.end()) return &(listed.provider.*text->field);
    const auto place = std::ranges::find(place_keys, key, &PlaceKey::name);
    return place == place_keys.end() ? nullptr : &(listed.*place->field);
}

Result<void> take_secrets(const ConfigEntry& entry, Provider& provider)
{
    if (entry.type != ConfigType::array || entry.values.empty()) {
        return fail(
            Errc::misconfigured,
            "wanted an array of strings with one secret at least, such as [\"whsec_…\"]; or use "
            "secrets_env or secrets_file"
        );
    }
    provider.secrets = entry.values;
    return {};
}

Result<void> take_key(const ConfigEntry& entry, const std::string& key, Listed& listed)
{
    if (key == "secrets") return take_secrets(entry, listed.provider);
    if (key == "tolerance") {
        if (auto checked = check_type(entry, "\"300s\""); !checked) return checked;
        const auto tolerance = parse_duration(entry.value);
        if (!tolerance) return std::unexpected(tolerance.error());
        listed.provider.tolerance = *tolerance;
        return {};
    }
    std::string* const text = find_text(listed, key);
    if (text == nullptr) {
        const auto known = known_keys();
        return fail(
            Errc::misconfigured,
            fmt::format("is not a key of [[webhook.provider]]{}", suggestion(key, known))
        );
    }
    if (auto checked = check_type(entry, "\"…\""); !checked) return checked;
    *text = entry.value;
    return {};
}

// One on each line; blanks around them do not count.
std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream{text};
    for (std::string line; stream >> line;) lines.push_back(line);
    return lines;
}

Result<void> add_secrets(
    Listed& listed, const std::function<std::optional<std::string>(const std::string&)>& environment
)
{
    Provider& provider = listed.provider;
    const int places = (provider.secrets.empty() ? 0 : 1) + (listed.secrets_env.empty() ? 0 : 1) +
                       (listed.secrets_file.empty() ? 0 : 1);
    if (places > 1) {
        return fail(
            Errc::misconfigured,
            "secrets, secrets_env and secrets_file: write one of them, not several"
        );
    }
    if (!listed.secrets_env.empty()) {
        const auto text = environment(listed.secrets_env);
        if (!text) {
            return fail(
                Errc::misconfigured,
                fmt::format("secrets_env: the environment has no {}", shown(listed.secrets_env))
            );
        }
        provider.secrets = lines_of(*text);
    }
    if (!listed.secrets_file.empty()) {
        const auto text = read_input(
            listed.secrets_file, limits::config_bytes_max, std::chrono::milliseconds{3000}
        );
        if (!text) return fail(Errc::misconfigured, "secrets_file: " + text.error().detail);
        provider.secrets = lines_of(*text);
    }
    if (!listed.api_token_env.empty()) {
        const auto text = environment(listed.api_token_env);
        if (!text) {
            return fail(
                Errc::misconfigured,
                fmt::format("api_token_env: the environment has no {}", shown(listed.api_token_env))
            );
        }
        provider.api_token = *text;
    }
    return {};
}

Result<void> set_count(std::string_view text, std::size_t most, std::size_t& out)
{
    const char* const end = text.data() + text.size();
    std::size_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc{} && rest == end && number >= 1 && number <= most) {
        out = number;
        return {};
    }
    return fail(
        Errc::misconfigured, fmt::format("\"{}\" is not a number from 1 to {}", shown(text), most)
    );
}

Result<void> set_threads(std::string_view text, Settings& settings)
{
    return set_count(text, 64, settings.webhook.threads);
}

Result<void> set_attempts_max(std::string_view text, Settings& settings)
{
    std::size_t attempts = 0;
    if (auto set = set_count(text, 1000, attempts); !set) return set;
    settings.webhook.attempts_max = static_cast<std::uint32_t>(attempts);
    return {};
}

Result<void> set_above_zero(std::string_view text, Duration& out)
{
    const auto parsed = parse_duration(text);
    if (!parsed) return std::unexpected(parsed.error());
    if (*parsed <= Duration{0}) {
        return fail(Errc::misconfigured, fmt::format("{} is not above zero", shown(text)));
    }
    out = *parsed;
    return {};
}

Result<void> set_retention(std::string_view text, Settings& settings)
{
    return set_above_zero(text, settings.webhook.retention);
}

Result<void> set_retry_longest(std::string_view text, Settings& settings)
{
    return set_above_zero(text, settings.webhook.retry_longest);
}

Result<void> set_allow_private(std::string_view text, Settings& settings)
{
    if (text != "true" && text != "false" && !text.empty()) {
        return fail(Errc::misconfigured, fmt::format("\"{}\" is not true or false", shown(text)));
    }
    settings.webhook.allow_private_destinations = text != "false";
    return {};
}

}  // namespace

std::vector<Provider> WebhookSettings::providers() const
{
    std::vector<Provider> all;
    for (const Listed& one : listed) all.push_back(one.provider);
    return all;
}

Result<void> take_provider_entry(const ConfigEntry& entry, WebhookSettings& settings)
{
    return take_listed_entry(
        entry,
        settings.listed,
        "write each provider as [[webhook.provider]], with two brackets, and its name, scheme and "
        "secrets below",
        take_key
    );
}

Result<void> complete_providers(
    WebhookSettings& settings,
    const std::function<std::optional<std::string>(const std::string&)>& environment
)
{
    for (Listed& listed : settings.listed) {
        if (auto added = add_secrets(listed, environment); !added) {
            return fail(
                Errc::misconfigured,
                fmt::format(
                    "webhook.provider \"{}\": {}", shown(listed.provider.name), added.error().detail
                )
            );
        }
    }
    const auto schemes = webhook::make_schemes(settings.providers());
    if (!schemes) return std::unexpected(schemes.error());
    return {};
}

std::vector<SettingSpec> webhook_specs()
{
    return {
        {"webhook.threads",
         "--webhook-threads",
         "UMAVEZ_WEBHOOK_THREADS",
         "N",
         "threads that work on accepted events, and as many that deliver ours",
         "8",
         set_threads},
        {"webhook.retention",
         "--webhook-retention",
         "UMAVEZ_WEBHOOK_RETENTION",
         "DURATION",
         "how long processed events and delivered ones are kept",
         "\"30d\"",
         set_retention},
        {"webhook.attempts_max",
         "--webhook-attempts-max",
         "UMAVEZ_WEBHOOK_ATTEMPTS_MAX",
         "N",
         "failed attempts after which an event is dead",
         "15",
         set_attempts_max},
        {"webhook.retry_longest",
         "--webhook-retry-longest",
         "UMAVEZ_WEBHOOK_RETRY_LONGEST",
         "DURATION",
         "the longest wait between two attempts",
         "\"1h\"",
         set_retry_longest},
        {"webhook.allow_private_destinations",
         "--webhook-allow-private-destinations",
         "UMAVEZ_WEBHOOK_ALLOW_PRIVATE_DESTINATIONS",
         "",
         "deliver events to loopback and private addresses too",
         "true",
         set_allow_private},
    };
}

}  // namespace umavez
