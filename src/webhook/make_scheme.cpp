#include "base/nearest.hpp"
#include "base/shown.hpp"
#include "webhook/check_provider.hpp"
#include "webhook/scheme.hpp"
#include "webhook/schemes/schemes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace umavez::webhook {
namespace {

struct SchemeSpec {
    std::string_view name;
    MadeScheme (*make)(const Provider&);
    std::vector<std::string_view> takes;
    std::vector<std::string_view> needs;
};

const std::vector<SchemeSpec>& scheme_specs()
{
    static const std::vector<SchemeSpec> specs{
        {"stripe", make_stripe, {"tolerance", "account"}, {}},
        {"standard-webhooks", make_standard_webhooks, {"tolerance", "account"}, {}},
        {"svix", make_svix, {"tolerance", "account"}, {}},
        {"github", make_github, {"account"}, {}},
        {"mercadopago", make_mercadopago, {"tolerance", "api", "api_token"}, {}},
        {"shopify", make_shopify, {"account"}, {}},
        {"pagarme", make_pagarme, {}, {}},
        {"pagbank", make_pagbank, {"account"}, {}},
        {"square", make_square, {"url", "account"}, {"url"}},
        {"asaas", make_asaas, {"account"}, {}},
        {"token", make_token, {"header", "prefix", "id", "type", "account"}, {"header"}},
        {"hmac",
         make_hmac,
         {"header", "algorithm", "encoding", "prefix", "id", "type", "account"},
         {"header", "id"}},
    };
    return specs;
}

std::string for_provider(const Provider& provider, std::string_view detail)
{
    return fmt::format("webhook provider \"{}\": {}", shown(provider.name), detail);
}

std::string unknown_scheme(const Provider& provider)
{
    std::vector<std::string> names;
    for (const SchemeSpec& spec : scheme_specs()) names.emplace_back(spec.name);
    return fmt::format(
        "scheme: \"{}\" is not one of {}{}",
        shown(provider.scheme),
        fmt::join(names, ", "),
        suggestion(provider.scheme, names)
    );
}

}  // namespace

std::string_view to_text(Fault fault) noexcept
{
    switch (fault) {
        case Fault::unsigned_: return "unsigned";
        case Fault::bad_signature: return "bad_signature";
        case Fault::bad_timestamp: return "bad_timestamp";
        case Fault::missing_id: return "missing_id";
        case Fault::malformed: return "malformed";
    }
    return {};
}

Result<std::unique_ptr<const Scheme>> make_scheme(const Provider& provider)
{
    const auto found = std::ranges::find(scheme_specs(), provider.scheme, &SchemeSpec::name);
    if (found == scheme_specs().end())
        return fail(Errc::misconfigured, for_provider(provider, unknown_scheme(provider)));
    const SettingNeeds needs{found->takes, found->needs};
    if (const auto checked = check_provider(provider, needs); !checked)
        return fail(Errc::misconfigured, for_provider(provider, checked.error().detail));
    auto made = found->make(provider);
    if (!made) return fail(Errc::misconfigured, for_provider(provider, made.error().detail));
    return made;
}

}  // namespace umavez::webhook
