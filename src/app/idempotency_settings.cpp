#include "app/idempotency_settings.hpp"

#include "app/units.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

namespace umavez {
namespace {

Result<void> set_strict_keys(std::string_view text, Settings& settings)
{
    // The flag alone says yes.
    if (!text.empty() && text != "true" && text != "false") {
        return fail(
            Errc::misconfigured, fmt::format("\"{}\" is not one of true, false", shown(text))
        );
    }
    settings.idempotency.key_syntax =
        text == "false" ? key_protocol::KeySyntax::lenient : key_protocol::KeySyntax::strict;
    return {};
}

Result<void> set_wait_max(std::string_view text, Settings& settings)
{
    constexpr Duration longest = std::chrono::minutes{5};
    const auto parsed = parse_duration(text);
    if (!parsed) return std::unexpected(parsed.error());
    if (*parsed > longest) {
        return fail(
            Errc::misconfigured,
            fmt::format("{} is longer than 5m: proxies would cut the connection first", shown(text))
        );
    }
    settings.idempotency.wait_max = *parsed;
    return {};
}

Result<void> set_mismatch_status(std::string_view text, Settings& settings)
{
    if (text != "409" && text != "422") {
        return fail(Errc::misconfigured, fmt::format("\"{}\" is not one of 409, 422", shown(text)));
    }
    settings.idempotency.mismatch_status = text == "409" ? 409 : 422;
    return {};
}

}  // namespace

std::vector<SettingSpec> idempotency_specs()
{
    return {
        {"idempotency.strict_keys",
         "--strict-keys",
         "UMAVEZ_STRICT_KEYS",
         "",
         "take Idempotency-Key as a quoted string only",
         "true",
         set_strict_keys},
        {"idempotency.wait_max",
         "--wait-max",
         "UMAVEZ_WAIT_MAX",
         "DURATION",
         "the longest Prefer: wait that is granted",
         "\"30s\"",
         set_wait_max},
        {"idempotency.mismatch_status",
         "--mismatch-status",
         "UMAVEZ_MISMATCH_STATUS",
         "409|422",
         "status for a key used with another payload; 422 as in the IETF draft",
         "409",
         set_mismatch_status},
    };
}

}  // namespace umavez
