#pragma once

// The rules for a provider's settings that hold whatever its scheme: which are taken and needed is data of
// the scheme, how each is written is the same for all. Pure, thread-safe.

#include "webhook/provider.hpp"

#include <umavez/result.hpp>

#include <span>
#include <string_view>

namespace umavez::webhook {

// By the names of the settings; `name`, `scheme` and `secrets` are taken and needed by all.
struct SettingNeeds {
    std::span<const std::string_view> takes;
    std::span<const std::string_view> needs;  // of those
};

// Fails with misconfigured: "setting: what is wrong; the cure". No secret is ever quoted.
Result<void> check_provider(const Provider& provider, const SettingNeeds& needs);

}  // namespace umavez::webhook
