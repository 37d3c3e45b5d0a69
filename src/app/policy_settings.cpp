#include "app/policy_settings.hpp"

#include "app/nearest.hpp"
#include "app/units.hpp"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <initializer_list>
#include <utility>

namespace umavez {
namespace {

using Setter = std::function<Result<void>(std::string_view, Policy&)>;

template <typename E>
Setter choice(E Policy::* field, std::vector<std::pair<std::string, E>> words)
{
    return [field,
            words = std::move(words)](std::string_view text, Policy& policy) -> Result<void> {
        std::vector<std::string> known;
        for (const auto& [word, value] : words) {
            known.push_back(word);
            if (word != text) continue;
            policy.*field = value;
            return {};
        }
        return fail(
            Errc::misconfigured,
            fmt::format(
                "\"{}\" is not one of {}{}", text, fmt::join(known, ", "), suggestion(text, known)
            )
        );
    };
}

Setter duration(Duration Policy::* field)
{
    return [field](std::string_view text, Policy& policy) -> Result<void> {
        const auto parsed = parse_duration(text);
        if (!parsed) return std::unexpected(parsed.error());
        policy.*field = *parsed;
        return {};
    };
}

Setter retention(std::optional<Duration> Policy::* field)
{
    return [field](std::string_view text, Policy& policy) -> Result<void> {
        const auto parsed = parse_retention(text);
        if (!parsed) return std::unexpected(parsed.error());
        policy.*field = *parsed;
        return {};
    };
}

Result<void> set_takeovers_max(std::string_view text, Policy& policy)
{
    const char* const end = text.data() + text.size();
    const auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), policy.takeovers_max);
    if (error == std::errc{} && rest == end) return {};
    return fail(Errc::misconfigured, fmt::format("\"{}\" is not a whole number", text));
}

Result<void> set_response_bytes_max(std::string_view text, Policy& policy)
{
    const auto parsed = parse_size(text);
    if (!parsed) return std::unexpected(parsed.error());
    policy.response_bytes_max = *parsed;
    return {};
}

const std::map<std::string, Setter, std::less<>>& setters()
{
    static const std::map<std::string, Setter, std::less<>> all{
        {"guarantee",
         choice<Guarantee>(
             &Policy::guarantee,
             {{"atomic", Guarantee::atomic},
              {"leased", Guarantee::leased},
              {"cached", Guarantee::cached}}
         )},
        {"key",
         choice<KeyRule>(
             &Policy::key,
             {{"required", KeyRule::required},
              {"optional", KeyRule::optional},
              {"derived", KeyRule::derived}}
         )},
        {"lease", duration(&Policy::lease)},
        {"run_limit", duration(&Policy::run_limit)},
        {"takeovers_max", set_takeovers_max},
        {"settle", duration(&Policy::settle)},
        {"retention", retention(&Policy::retention)},
        {"retry_horizon", retention(&Policy::retry_horizon)},
        {"on_mismatch",
         choice<OnMismatch>(
             &Policy::on_mismatch,
             {{"reject", OnMismatch::reject}, {"original", OnMismatch::original}}
         )},
        {"replay",
         choice<Replaying>(
             &Policy::replay, {{"stored", Replaying::stored}, {"current", Replaying::current}}
         )},
        {"on_duplicate",
         choice<OnDuplicate>(
             &Policy::on_duplicate,
             {{"conflict", OnDuplicate::conflict}, {"wait", OnDuplicate::wait}}
         )},
        {"duplicate_wait", duration(&Policy::duplicate_wait)},
        {"on_abandoned",
         choice<OnAbandoned>(
             &Policy::on_abandoned,
             {{"automatic", OnAbandoned::automatic},
              {"reconcile", OnAbandoned::reconcile},
              {"hold", OnAbandoned::hold},
              {"rerun", OnAbandoned::rerun}}
         )},
        {"effect",
         choice<RepeatedEffect>(
             &Policy::effect,
             {{"harmful", RepeatedEffect::harmful},
              {"deduplicated", RepeatedEffect::deduplicated},
              {"harmless", RepeatedEffect::harmless}}
         )},
        {"finality",
         choice<Finality>(
             &Policy::finality, {{"standard", Finality::standard}, {"success", Finality::success}}
         )},
        {"on_store_error",
         choice<OnStoreError>(
             &Policy::on_store_error,
             {{"closed", OnStoreError::closed}, {"open", OnStoreError::open}}
         )},
        {"response_bytes_max", set_response_bytes_max},
        {"atomic_run_limit", duration(&Policy::atomic_run_limit)},
    };
    return all;
}

}  // namespace

const std::vector<std::string>& policy_fields()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const auto& [name, setter] : setters()) all.push_back(name);
        return all;
    }();
    return names;
}

Result<void> apply_overrides(const PolicyOverrides& overrides, Policy& policy)
{
    for (const auto& [name, text] : overrides) {
        const auto setter = setters().find(name);
        if (setter == setters().end()) {
            return fail(
                Errc::misconfigured,
                fmt::format("unknown setting \"{}\"{}", name, suggestion(name, policy_fields()))
            );
        }
        if (auto set = setter->second(text, policy); !set) {
            return fail(Errc::misconfigured, fmt::format("{}: {}", name, set.error().detail));
        }
    }
    return {};
}

}  // namespace umavez
