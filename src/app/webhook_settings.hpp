#pragma once

// [webhook] and [[webhook.provider]]: who sends events, and how they are worked on.
//
// Immutable after load_settings.

#include "app/config_file.hpp"
#include "webhook/provider.hpp"

#include <umavez/result.hpp>
#include <umavez/time.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace umavez {

struct SettingSpec;

struct WebhookSettings {
    // A provider as the file has it; its secrets may stand elsewhere.
    struct Listed {
        webhook::Provider provider;
        std::string secrets_env;
        std::string secrets_file;
        std::string api_token_env;
        int line = 0;
    };
    std::vector<Listed> listed;

    std::size_t threads = 8;
    Duration retention = std::chrono::hours{24 * 30};
    std::uint32_t attempts_max = 15;
    Duration retry_longest = std::chrono::hours{1};
    bool allow_private_destinations = false;

    std::vector<webhook::Provider> providers() const;
};

// An entry whose path begins with webhook.provider.
Result<void> take_provider_entry(const ConfigEntry& entry, WebhookSettings& settings);

// Reads the secrets that stand in the environment or in files, and checks every provider.
Result<void> complete_providers(
    WebhookSettings& settings,
    const std::function<std::optional<std::string>(const std::string&)>& environment
);

std::vector<SettingSpec> webhook_specs();

}  // namespace umavez
