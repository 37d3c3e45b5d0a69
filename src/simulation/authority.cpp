#include "simulation/authority.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace umavez::simulation {
namespace {

constexpr std::string_view prefix = "effect ";

EffectReply refusal(int status)
{
    return {.done = false, .response = {.status = status, .body = "refused"}};
}

}  // namespace

Response response_of(std::uint64_t effect, const std::string& payload)
{
    return {.status = 201, .body = fmt::format("{}{} of {}", prefix, effect, payload)};
}

std::optional<std::uint64_t> effect_in(const Response& response)
{
    if (!response.body.starts_with(prefix)) return std::nullopt;
    std::uint64_t effect = 0;
    const char* const from = response.body.data() + prefix.size();
    const auto [end, error] = std::from_chars(from, response.body.data() + response.body.size(), effect);
    return error == std::errc{} && end != from ? std::optional{effect} : std::nullopt;
}

EffectReply Authority::perform(AuthorityKind kind, const EffectRequest& request)
{
    Account& account = accounts_[request.effect_key];
    if (kind == AuthorityKind::checks_tokens && request.token.epoch < account.newest_epoch) {
        world_.tell("effect {} refused: older token", name_of(request.id));
        return refusal(409);
    }
    account.newest_epoch = std::max(account.newest_epoch, request.token.epoch);
    if (kind == AuthorityKind::dedupes && account.first) {
        // A known key with other words is a mistake of the caller, and the authority says so.
        if (account.first->payload != request.payload) return refusal(422);
        return {.done = true, .response = response_of(account.first->number, request.payload)};
    }
    const EffectDone effect{
        .number = ++last_, .token = request.token, .payload = request.payload, .at = world_.now()
    };
    world_.tell(
        "effect {} happens as {} of {}", name_of(request.id), effect.number, effect.payload
    );
    evidence_.keys[request.id].effects.push_back(effect);
    if (!account.first) account.first = effect;
    return {.done = true, .response = response_of(effect.number, effect.payload)};
}

std::optional<Response> Authority::enquire(AuthorityKind kind, const EffectRequest& enquiry)
{
    Account& account = accounts_[enquiry.effect_key];
    if (kind == AuthorityKind::checks_tokens) {
        account.newest_epoch = std::max(account.newest_epoch, enquiry.token.epoch);
    }
    world_.tell("enquiry {}: {}", name_of(enquiry.id), account.first ? "happened" : "absent");
    if (account.first) return response_of(account.first->number, account.first->payload);
    evidence_.keys[enquiry.id].absences.push_back({.token = enquiry.token, .at = world_.now()});
    return std::nullopt;
}

}  // namespace umavez::simulation
