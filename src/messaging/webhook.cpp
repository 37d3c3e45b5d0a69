#include "messaging/webhook.hpp"

#include "base/headers.hpp"
#include "base/json_object.hpp"
#include "messaging/secret.hpp"
#include "outbound/retry_after.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

namespace umavez::messaging {
namespace {

std::string hmac_sha256(std::string_view key, std::string_view text)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    HMAC(
        EVP_sha256(),
        key.data(),
        static_cast<int>(key.size()),
        reinterpret_cast<const unsigned char*>(text.data()),
        text.size(),
        digest.data(),
        &size
    );
    return {reinterpret_cast<const char*>(digest.data()), size};
}

std::string_view to_words(Effect effect)
{
    switch (effect) {
        case Effect::none: return "it was not sent";
        case Effect::applied: return "it arrived";
        case Effect::unknown: return "it may have arrived";
    }
    return {};
}

Verdict judge_reply(const outbound::Reply& reply, Instant now)
{
    if (reply.status >= 200 && reply.status < 300) return {.kind = Verdict::Kind::delivered};
    if (reply.status == 410) {
        return {.kind = Verdict::Kind::gone, .why = "status 410: the receiver wants nothing more"};
    }
    Verdict verdict{.why = fmt::format("status {}", reply.status)};
    if (reply.status >= 300 && reply.status < 400) {
        verdict.why += ": redirects are not followed, register the address it leads to";
    }
    const HeaderLines after = find_lines(reply.headers, "Retry-After");
    if (after.count == 1) {
        verdict.wait_min = outbound::parse_retry_after(after.value, now).value_or(Duration{0});
    }
    return verdict;
}

}  // namespace

std::string webhook_body(std::string_view type, Instant happened_at, std::string_view data)
{
    JsonObject json;
    json.text("type", type).instant("timestamp", happened_at).raw("data", data);
    return json.str();
}

std::string sign_webhook(
    const std::vector<std::string>& secrets,
    std::string_view message_id,
    std::int64_t seconds,
    std::string_view body
)
{
    const std::string signed_text = fmt::format("{}.{}.{}", message_id, seconds, body);
    std::string signatures;
    for (const std::string& secret : secrets) {
        const auto key = decode_secret(secret);
        if (!key) continue;
        if (!signatures.empty()) signatures += ' ';
        signatures += "v1," + to_base64(hmac_sha256(*key, signed_text));
    }
    return signatures;
}

std::vector<Header> webhook_headers(
    const std::vector<std::string>& secrets,
    std::string_view message_id,
    Instant sent_at,
    std::string_view body
)
{
    const auto seconds =
        std::chrono::floor<std::chrono::seconds>(sent_at).time_since_epoch().count();
    return {
        {"Content-Type", "application/json"},
        {"User-Agent", "umavez/" UMAVEZ_VERSION},
        {"webhook-id", std::string{message_id}},
        {"webhook-timestamp", std::to_string(seconds)},
        {"webhook-signature", sign_webhook(secrets, message_id, seconds, body)},
    };
}

Verdict judge(const std::expected<outbound::Reply, outbound::CallError>& outcome, Instant now)
{
    if (outcome) return judge_reply(*outcome, now);
    const outbound::CallError& error = outcome.error();
    const bool is_cut = error.failure == outbound::CallFailure::cut;
    return {
        .kind = is_cut ? Verdict::Kind::cut : Verdict::Kind::failed,
        .why = fmt::format("{}; {}", error.detail, to_words(error.effect)),
    };
}

}  // namespace umavez::messaging
