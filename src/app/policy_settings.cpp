#include "app/policy_settings.hpp"

#include "app/units.hpp"
#include "base/nearest.hpp"
#include "base/shown.hpp"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <initializer_list>
#include <utility>

namespace umavez {
namespace {

struct Field {
    std::function<Result<void>(std::string_view, Policy&)> set;
    std::string example;  // as the file has it
};

template <typename E>
Field choice(E Policy::* field, std::vector<std::pair<std::string, E>> words)
{
    std::string example = fmt::format("\"{}\"", words.front().first);
    auto set = [field,
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
                "\"{}\" is not one of {}{}",
                shown(text),
                fmt::join(known, ", "),
                suggestion(text, known)
            )
        );
    };
    return {std::move(set), std::move(example)};
}

Field duration(Duration Policy::* field)
{
    auto set = [field](std::string_view text, Policy& policy) -> Result<void> {
        const auto parsed = parse_duration(text);
        if (!parsed) return std::unexpected(parsed.error());
        policy.*field = *parsed;
        return {};
    };
    return {std::move(set), "\"30s\""};
}

Field retention(std::optional<Duration> Policy::* field)
{
    auto set = [field](std::string_view text, Policy& policy) -> Result<void> {
        const auto parsed = parse_retention(text);
        if (!parsed) return std::unexpected(parsed.error());
        policy.*field = *parsed;
        return {};
    };
    return {std::move(set), "\"24h\""};
}

Result<void> set_takeovers_max(std::string_view text, Policy& policy)
{
    const char* const end = text.data() + text.size();
    const auto [rest, error] =
        std::from_chars(text.data(), text.data() + text.size(), policy.takeovers_max);
    if (error == std::errc{} && rest == end) return {};
    return fail(Errc::misconfigured, fmt::format("\"{}\" is not a whole number", shown(text)));
}

Result<void> set_response_bytes_max(std::string_view text, Policy& policy)
{
    const auto parsed = parse_size(text);
    if (!parsed) return std::unexpected(parsed.error());
    policy.response_bytes_max = *parsed;
    return {};
}

const std::map<std::string, Field, std::less<>>& fields()
{
    static const std::map<std::string, Field, std::less<>> all{
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
        {"takeovers_max", {set_takeovers_max, "5"}},
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
        {"response_bytes_max", {set_response_bytes_max, "\"1MiB\""}},
        {"atomic_run_limit", duration(&Policy::atomic_run_limit)},
    };
    return all;
}

}  // namespace

const std::vector<std::string>& policy_fields()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const auto& [name, field] : fields()) all.push_back(name);
        return all;
    }();
    return names;
}

std::optional<std::string> policy_field_example(std::string_view name)
{
    const auto field = fields().find(name);
    return field == fields().end() ? std::nullopt : std::optional{field->second.example};
}

Result<void> apply_overrides(const PolicyOverrides& overrides, Policy& policy)
{
    for (const auto& [name, text] : overrides) {
        const auto field = fields().find(name);
        if (field == fields().end()) {
            return fail(
                Errc::misconfigured,
                fmt::format(
                    "unknown setting \"{}\"{}", shown(name), suggestion(name, policy_fields())
                )
            );
        }
        if (auto set = field->second.set(text, policy); !set) {
            return fail(Errc::misconfigured, fmt::format("{}: {}", name, set.error().detail));
        }
    }
    return {};
}

}  // namespace umavez
