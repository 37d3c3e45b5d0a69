// Standard Webhooks, and Svix, which had it first: webhook-id, webhook-timestamp and webhook-signature, the
// last a list "v1,… v1a,…" of signatures over id, "." , timestamp, "." and body. v1 is HMAC-SHA256 in
// base64 under the bytes behind "whsec_"; v1a is ed25519 with "whpk_" to verify and "whsk_" to sign. The
// scheme svix takes its own header names as well, and never mixes the two sets.

#include "webhook/ed25519.hpp"
#include "webhook/header_mac.hpp"
#include "webhook/header_text.hpp"
#include "webhook/read_event.hpp"
#include "webhook/schemes/schemes.hpp"
#include "webhook/stamp.hpp"
#include "webhook/timed_signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace umavez::webhook {
namespace {

using SigningKey = std::variant<MacKey, Ed25519Key>;

enum class Dialect : std::uint8_t { standard, svix };

struct HeaderNames {
    std::string_view id;
    std::string_view timestamp;
    std::string_view signature;
};
constexpr HeaderNames standard_names{"webhook-id", "webhook-timestamp", "webhook-signature"};
constexpr HeaderNames svix_names{"svix-id", "svix-timestamp", "svix-signature"};

// What is signed, as views.
struct Message {
    std::string_view id;
    std::string_view timestamp;
    std::string_view body;
};

struct Signatures {
    std::vector<std::string_view> v1;
    std::vector<std::string_view> v1a;
};

std::expected<Signatures, Refusal> parse_signatures(std::string_view text, std::string_view header)
{
    Signatures found;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const std::string_view one = text.substr(begin, end - begin);
        if (one.starts_with("v1,")) found.v1.push_back(one.substr(3));
        if (one.starts_with("v1a,")) found.v1a.push_back(one.substr(4));
        begin = end + 1;
    }
    const std::size_t count = found.v1.size() + found.v1a.size();
    if (count == 0)
        return refuse(Fault::unsigned_, fmt::format("{} has neither a v1 nor a v1a", header));
    if (count > signatures_max) {
        return refuse(
            Fault::malformed, fmt::format("{} has more than {} signatures", header, signatures_max)
        );
    }
    return found;
}

bool is_signed(const SigningKey& key, const Message& message, const Signatures& given)
{
    bool is_found = false;
    if (const auto* const mac = std::get_if<MacKey>(&key)) {
        const std::string right =
            to_base64(mac->sign({message.id, ".", message.timestamp, ".", message.body}));
        for (const std::string_view text : given.v1) is_found |= is_same_secretly(right, text);
        return is_found;
    }
    if (given.v1a.empty()) return false;
    // Nothing here is secret, and ed25519 wants the message in one piece.
    const std::string whole = fmt::format("{}.{}.{}", message.id, message.timestamp, message.body);
    return std::ranges::any_of(given.v1a, [&](std::string_view text) {
        const auto bytes = parse_base64(text);
        return bytes && std::get<Ed25519Key>(key).is_signed(whole, *bytes);
    });
}

// Empty for a key that can only verify.
std::string sign_by(const SigningKey& key, const Message& message)
{
    if (const auto* const mac = std::get_if<MacKey>(&key)) {
        return "v1," +
               to_base64(mac->sign({message.id, ".", message.timestamp, ".", message.body}));
    }
    const auto& pair = std::get<Ed25519Key>(key);
    if (!pair.can_sign()) return {};
    const std::string whole = fmt::format("{}.{}.{}", message.id, message.timestamp, message.body);
    return "v1a," + to_base64(pair.sign(whole));
}

class StandardWebhooks final : public Scheme {
public:
    StandardWebhooks(const Provider& provider, std::vector<SigningKey> keys, Dialect dialect)
        : keys_(std::move(keys)),
          tolerance_(provider.tolerance.value_or(tolerance_default)),
          layout_{.type = Place::in_body("/type"), .account = provider.account},
          dialect_(dialect)
    {
    }

    std::expected<Event, Refusal> verify(const Delivery& delivery, Instant now) const override
    {
        const HeaderNames& names = names_in(delivery.headers);
        const auto header = read_signature(delivery.headers, names.signature);
        if (!header) return std::unexpected(header.error());
        auto given = parse_signatures(*header, names.signature);
        if (!given) return std::unexpected(std::move(given).error());
        auto message = read_message(delivery, names);
        if (!message) return std::unexpected(std::move(message).error());
        auto stamp = parse_stamp(message->timestamp, StampUnit::seconds, names.timestamp);
        if (!stamp) return std::unexpected(std::move(stamp).error());
        bool is_found = false;
        for (const SigningKey& key : keys_) is_found |= is_signed(key, *message, *given);
        if (!is_found) {
            return refuse(
                Fault::bad_signature,
                fmt::format("no signature in {} was made by one of the secrets", names.signature)
            );
        }
        if (auto young = check_age(*stamp, tolerance_, now); !young)
            return std::unexpected(std::move(young).error());
        const Body body{delivery.body};
        auto id = read_id(delivery, body, Place::in_header(names.id));
        if (!id) return std::unexpected(std::move(id).error());
        return make_event(*std::move(id), delivery, body, layout_);
    }

    Result<SignedRequest> sign(std::string_view body, const SignInput& input, Instant now)
        const override;

private:
    const HeaderNames& names_in(std::span<const Header> headers) const
    {
        const auto is_given = [&](std::string_view name) {
            const auto found = find_header(headers, name);
            return !found || *found;
        };
        const bool has_svix = is_given(svix_names.signature) || is_given(svix_names.id) ||
                              is_given(svix_names.timestamp);
        return dialect_ == Dialect::svix && has_svix ? svix_names : standard_names;
    }

    static std::expected<Message, Refusal> read_message(
        const Delivery& delivery, const HeaderNames& names
    );

    std::vector<SigningKey> keys_;
    Duration tolerance_;
    EventLayout layout_;
    Dialect dialect_;
};

std::expected<Message, Refusal> StandardWebhooks::read_message(
    const Delivery& delivery, const HeaderNames& names
)
{
    const auto id = find_header(delivery.headers, names.id);
    if (!id) return std::unexpected(id.error());
    if (!*id) return refuse(Fault::missing_id, fmt::format("there is no header {}", names.id));
    // The specification forbids it: with a "." inside, an id and a body could pass for another pair.
    if ((*id)->contains('.')) {
        return refuse(Fault::malformed, fmt::format("the id in {} contains a \".\"", names.id));
    }
    const auto timestamp = find_header(delivery.headers, names.timestamp);
    if (!timestamp) return std::unexpected(timestamp.error());
    if (!*timestamp) {
        return refuse(Fault::bad_timestamp, fmt::format("there is no header {}", names.timestamp));
    }
    return Message{**id, **timestamp, delivery.body};
}

Result<SignedRequest> StandardWebhooks::sign(
    std::string_view body, const SignInput& input, Instant now
) const
{
    const HeaderNames& names = dialect_ == Dialect::svix ? svix_names : standard_names;
    auto id = make_header(names.id, input.id, "event id");
    if (!id) return std::unexpected(std::move(id).error());
    if (input.id.contains('.'))
        return fail(Errc::invalid_argument, "the event id may not contain a \".\"");
    const std::string timestamp = to_stamp(now);
    std::string signatures;
    for (const SigningKey& key : keys_) {
        const std::string one = sign_by(key, {input.id, timestamp, body});
        if (!signatures.empty() && !one.empty()) signatures += ' ';
        signatures += one;
    }
    if (signatures.empty()) {
        return fail(
            Errc::misconfigured,
            "a \"whpk_\" key can only verify; give the \"whsk_\" key to sign with"
        );
    }
    Header stamp{std::string{names.timestamp}, timestamp};
    Header list{std::string{names.signature}, std::move(signatures)};
    return SignedRequest{.headers = {*std::move(id), std::move(stamp), std::move(list)}};
}

std::optional<SigningKey> parse_key(std::string_view secret)
{
    // 192 to 512 bits, says the specification.
    constexpr std::size_t mac_bytes_min = 24;
    constexpr std::size_t mac_bytes_max = 64;
    const auto bytes_after = [secret](std::string_view prefix) {
        return parse_base64(secret.substr(prefix.size()));
    };
    if (secret.starts_with("whpk_")) {
        const auto bytes = bytes_after("whpk_");
        return bytes ? std::optional<SigningKey>{Ed25519Key::from_public(*bytes)} : std::nullopt;
    }
    if (secret.starts_with("whsk_")) {
        const auto bytes = bytes_after("whsk_");
        return bytes ? std::optional<SigningKey>{Ed25519Key::from_secret(*bytes)} : std::nullopt;
    }
    const auto bytes = bytes_after(secret.starts_with("whsec_") ? "whsec_" : "");
    if (!bytes || bytes->size() < mac_bytes_min || bytes->size() > mac_bytes_max)
        return std::nullopt;
    return MacKey{Algorithm::sha256, *bytes};
}

MadeScheme make_either(const Provider& provider, Dialect dialect)
{
    std::vector<SigningKey> keys;
    for (std::size_t i = 0; i < provider.secrets.size(); ++i) {
        auto key = parse_key(provider.secrets[i]);
        if (!key) {
            return fail(
                Errc::misconfigured,
                fmt::format(
                    "secrets: number {} is neither \"whsec_\" and 24 to 64 bytes in base64 nor a "
                    "\"whpk_\" or \"whsk_\" key of ed25519; copy it whole, with its \"=\"",
                    i + 1
                )
            );
        }
        keys.push_back(*std::move(key));
    }
    return std::make_unique<StandardWebhooks>(provider, std::move(keys), dialect);
}

}  // namespace

MadeScheme make_standard_webhooks(const Provider& provider)
{
    return make_either(provider, Dialect::standard);
}

MadeScheme make_svix(const Provider& provider)
{
    return make_either(provider, Dialect::svix);
}

}  // namespace umavez::webhook
