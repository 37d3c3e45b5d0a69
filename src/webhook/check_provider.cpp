#include "webhook/check_provider.hpp"

#include "base/char_set.hpp"
#include "base/limits.hpp"
#include "base/shown.hpp"
#include "json/pointer.hpp"
#include "webhook/header_text.hpp"
#include "webhook/place.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace umavez::webhook {
namespace {

// A rotation needs two, and each costs its own HMAC for every delivery.
constexpr std::size_t secrets_max = 8;
constexpr std::size_t name_chars_max = 64;

constexpr CharSet name_chars{[](unsigned char byte) {
    return is_among("abcdefghijklmnopqrstuvwxyz0123456789._-", byte);
}};
constexpr CharSet line_chars{[](unsigned char byte) { return byte >= 0x20 && byte != 0x7f; }};
constexpr CharSet ascii_chars{[](unsigned char byte) { return byte >= 0x20 && byte < 0x7f; }};

struct Setting {
    std::string_view name;
    bool (*is_given)(const Provider&);
    std::string_view why_not;  // a scheme does not take it
};

constexpr std::string_view is_fixed = "what the scheme looks at is fixed";
constexpr std::string_view is_not_fetched = "nothing is fetched for it";

constexpr std::array settings{
    Setting{
        "tolerance", [](const Provider& p) { return p.tolerance.has_value(); }, "it signs no time"
    },
    Setting{
        "account",
        [](const Provider& p) { return !p.account.empty(); },
        "its body is no signed JSON"
    },
    Setting{"url", [](const Provider& p) { return !p.url.empty(); }, "it signs no address"},
    Setting{"header", [](const Provider& p) { return !p.header.empty(); }, is_fixed},
    Setting{"algorithm", [](const Provider& p) { return !p.algorithm.empty(); }, is_fixed},
    Setting{"encoding", [](const Provider& p) { return !p.encoding.empty(); }, is_fixed},
    Setting{"prefix", [](const Provider& p) { return !p.prefix.empty(); }, is_fixed},
    Setting{"id", [](const Provider& p) { return !p.id.empty(); }, is_fixed},
    Setting{"type", [](const Provider& p) { return !p.type.empty(); }, is_fixed},
    Setting{
        "api", [](const Provider& p) { return p.api != mercadopago_api_default; }, is_not_fetched
    },
    Setting{"api_token", [](const Provider& p) { return !p.api_token.empty(); }, is_not_fetched},
};

bool has(std::span<const std::string_view> names, std::string_view name)
{
    return std::ranges::find(names, name) != names.end();
}

Result<void> check_name(const Provider& provider)
{
    const std::string& name = provider.name;
    const bool is_dots = name.find_first_not_of('.') == std::string::npos;
    if (!is_dots && name.size() <= name_chars_max && name_chars.has_all(name)) return {};
    return fail(
        Errc::misconfigured,
        fmt::format(
            "name: \"{}\" cannot stand in the route /webhooks/{{name}}; give 1 to {} characters of "
            "a-z, 0-9, \".\", \"_\" and \"-\"",
            shown(name),
            name_chars_max
        )
    );
}

Result<void> check_secrets(const std::vector<std::string>& secrets)
{
    if (secrets.empty()) {
        return fail(
            Errc::misconfigured,
            "secrets: there is none, so every delivery would be refused; give the secret that the "
            "provider shows"
        );
    }
    if (secrets.size() > secrets_max) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "secrets: {} are too many; remove the revoked ones, {} are the limit",
                secrets.size(),
                secrets_max
            )
        );
    }
    for (std::size_t i = 0; i < secrets.size(); ++i) {
        const std::string& secret = secrets[i];
        if (secret.empty()) {
            return fail(
                Errc::misconfigured,
                fmt::format("secrets: number {} is empty; anybody could sign with it", i + 1)
            );
        }
        if (secret.front() == ' ' || secret.back() == ' ' || !line_chars.has_all(secret)) {
            return fail(
                Errc::misconfigured,
                fmt::format(
                    "secrets: number {} has a blank at an end or a control character, such as the "
                    "line break of a file; remove it",
                    i + 1
                )
            );
        }
    }
    return {};
}

Result<void> check_taken(const Provider& provider, const SettingNeeds& needs)
{
    for (const Setting& setting : settings) {
        const bool is_given = setting.is_given(provider);
        if (is_given && !has(needs.takes, setting.name)) {
            return fail(
                Errc::misconfigured,
                fmt::format(
                    "{}: the scheme \"{}\" takes none: {}; remove it",
                    setting.name,
                    provider.scheme,
                    setting.why_not
                )
            );
        }
        if (!is_given && has(needs.needs, setting.name)) {
            return fail(
                Errc::misconfigured,
                fmt::format("{}: the scheme \"{}\" needs it; add it", setting.name, provider.scheme)
            );
        }
    }
    return {};
}

Result<void> check_place(std::string_view setting, const std::string& text)
{
    if (const auto place = Place::parse(text); !place)
        return fail(Errc::misconfigured, fmt::format("{}: {}", setting, place.error().detail));
    return {};
}

Result<void> check_times_and_addresses(const Provider& provider)
{
    if (provider.tolerance && (*provider.tolerance < std::chrono::seconds{1} ||
                               *provider.tolerance > limits::duration_max)) {
        return fail(
            Errc::misconfigured,
            "tolerance: it must be at least 1 s and below a hundred years; 5 minutes are usual"
        );
    }
    for (const auto& [setting, text] :
         {std::pair{"url", &provider.url}, std::pair{"api", &provider.api}}) {
        const bool is_address = text->starts_with("https://") || text->starts_with("http://");
        if (text->empty() || (is_address && ascii_chars.has_all(*text) && !text->contains(' ')))
            continue;
        return fail(
            Errc::misconfigured,
            fmt::format(
                "{}: \"{}\" is no address; write it whole, from \"https://\" on",
                setting,
                shown(*text)
            )
        );
    }
    return {};
}

Result<void> check_places(const Provider& provider)
{
    if (!is_json_pointer(provider.account)) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "account: \"{}\" is no JSON pointer; write one such as \"/account\"",
                shown(provider.account)
            )
        );
    }
    if (!provider.header.empty() && !is_header_name(provider.header)) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "header: \"{}\" is no name of a header; write one such as \"X-Signature\"",
                shown(provider.header)
            )
        );
    }
    if (!ascii_chars.has_all(provider.prefix) || provider.prefix.starts_with(' ')) {
        return fail(
            Errc::misconfigured,
            fmt::format(
                "prefix: \"{}\" cannot begin a header; write ASCII such as \"sha256=\"",
                shown(provider.prefix)
            )
        );
    }
    if (auto checked = check_place("id", provider.id); !checked) return checked;
    return check_place("type", provider.type);
}

}  // namespace

Result<void> check_provider(const Provider& provider, const SettingNeeds& needs)
{
    if (auto checked = check_name(provider); !checked) return checked;
    if (auto checked = check_secrets(provider.secrets); !checked) return checked;
    if (auto checked = check_taken(provider, needs); !checked) return checked;
    if (auto checked = check_times_and_addresses(provider); !checked) return checked;
    return check_places(provider);
}

}  // namespace umavez::webhook
