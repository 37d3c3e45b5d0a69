// x-signature: ts=…,v1=…: HMAC-SHA256 in hex over "id:<data.id>;request-id:<x-request-id>;ts:<ts>;", where
// data.id is a field of the query in lower case and an absent part is left out. The body is not signed: an
// event only says what to fetch, so the whole signed text is its id, and one event too many costs one request
// too many. The provider documents no window for ts, and shows it in seconds and in milliseconds.

#include "webhook/schemes/mercadopago.hpp"

#include "webhook/body.hpp"
#include "webhook/fields.hpp"
#include "webhook/header_mac.hpp"
#include "webhook/header_text.hpp"
#include "webhook/schemes/schemes.hpp"
#include "webhook/stamp.hpp"
#include "webhook/timed_signature.hpp"

#include <umavez/names.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace umavez::webhook {
namespace {

constexpr std::string_view header_name = "x-signature";
constexpr std::string_view request_header = "x-request-id";
constexpr std::string_view id_prefix = "id:";

// What is signed but for the time.
struct Manifest {
    std::string resource{};
    std::string request_id{};

    bool is_empty() const noexcept { return resource.empty() && request_id.empty(); }

    std::string text(std::string_view time) const
    {
        std::string text;
        if (!resource.empty()) text += std::string{id_prefix} + resource + ";";
        if (!request_id.empty()) text += "request-id:" + request_id + ";";
        return text.append("ts:").append(time).append(";");
    }
};

std::string to_lower(std::string text)
{
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

std::expected<Manifest, Refusal> read_manifest(const Delivery& delivery)
{
    auto resource = find_field(delivery.query, "data.id");
    if (!resource) return std::unexpected(std::move(resource).error());
    const auto request_id = find_header(delivery.headers, request_header);
    if (!request_id) return std::unexpected(request_id.error());
    Manifest manifest{
        to_lower(std::move(*resource).value_or("")), std::string{request_id->value_or("")}
    };
    // A ";" inside would let one part pass for two, under a signature that was made for two.
    if (manifest.resource.contains(';') || manifest.request_id.contains(';'))
        return refuse(Fault::malformed, "data.id and x-request-id may not contain a \";\"");
    return manifest;
}

// A hint, as the body is: not signed.
std::expected<std::string, Refusal> read_type(std::string_view query)
{
    for (const std::string_view name : {"type", "topic"}) {
        auto found = find_field(query, name);
        if (!found) return std::unexpected(std::move(found).error());
        if (!*found) continue;
        if (!Key::parse(**found))
            return refuse(Fault::malformed, "the type in the query cannot be used");
        return **std::move(found);
    }
    return std::string{};
}

class Mercadopago final : public Scheme {
public:
    explicit Mercadopago(const Provider& provider)
        : keys_(make_mac_keys(Algorithm::sha256, provider.secrets)), tolerance_(provider.tolerance)
    {
    }

    std::expected<Event, Refusal> verify(const Delivery& delivery, Instant now) const override
    {
        const auto header = read_signature(delivery.headers, header_name);
        if (!header) return std::unexpected(header.error());
        auto parts = parse_timed_signature(
            *header, {.header = header_name, .time_name = "ts", .blanks = Blanks::are_ignored}
        );
        if (!parts) return std::unexpected(std::move(parts).error());
        auto stamp = parse_stamp(parts->time, StampUnit::by_magnitude, "ts of x-signature");
        if (!stamp) return std::unexpected(std::move(stamp).error());
        auto manifest = read_manifest(delivery);
        if (!manifest) return std::unexpected(std::move(manifest).error());
        std::string text = manifest->text(parts->time);
        if (!is_signed_by_any(keys_, Encoding::hex, {text}, parts->signatures))
            return refuse(Fault::bad_signature, "x-signature was made by none of the secrets");
        if (tolerance_) {
            if (auto young = check_age(*stamp, *tolerance_, now); !young)
                return std::unexpected(std::move(young).error());
        }
        if (manifest->is_empty()) {
            return refuse(
                Fault::missing_id,
                "there is neither data.id in the query nor x-request-id, so nothing names the event"
            );
        }
        return make_event(std::move(text), delivery.query);
    }

    Result<SignedRequest> sign(std::string_view, const SignInput& input, Instant now)
        const override;

    bool body_is_signed() const noexcept override { return false; }

private:
    static std::expected<Event, Refusal> make_event(std::string text, std::string_view query)
    {
        if (const auto key = Key::parse(text); !key) {
            return refuse(
                Fault::malformed, "the signed text cannot be an event id: " + key.error().detail
            );
        }
        auto type = read_type(query);
        if (!type) return std::unexpected(std::move(type).error());
        return Event{
            .id = std::move(text),
            .type = *std::move(type),
            .body_digest = digest_of_unsigned_body(),
            .body_is_signed = false,
        };
    }

    std::vector<MacKey> keys_;
    std::optional<Duration> tolerance_;
};

Result<SignedRequest> Mercadopago::sign(std::string_view, const SignInput& input, Instant now) const
{
    auto request_id = make_header(request_header, input.id, "request id");
    if (!request_id) return std::unexpected(std::move(request_id).error());
    const Manifest manifest{to_lower(input.resource), input.id};
    if (manifest.resource.contains(';') || manifest.request_id.contains(';'))
        return fail(Errc::invalid_argument, "resource and id may not contain a \";\"");
    const auto milliseconds = std::chrono::floor<std::chrono::milliseconds>(now);
    const std::string time = std::to_string(milliseconds.time_since_epoch().count());
    const std::string text = manifest.text(time);
    if (!Key::parse(text)) {
        return fail(
            Errc::invalid_argument,
            "resource and id are too long for one event id, or have characters that none may have"
        );
    }
    const std::string mac = encode(Encoding::hex, keys_.front().sign({text}));
    SignedRequest request{
        .headers = {*std::move(request_id), {std::string{header_name}, "ts=" + time + ",v1=" + mac}}
    };
    if (!input.resource.empty()) request.query = "data.id=" + escape_field(input.resource);
    if (!input.type.empty()) {
        if (!request.query.empty()) request.query += '&';
        request.query += "type=" + escape_field(input.type);
    }
    return request;
}

}  // namespace

MadeScheme make_mercadopago(const Provider& provider)
{
    return std::make_unique<Mercadopago>(provider);
}

std::optional<std::string_view> find_mercadopago_resource(std::string_view event_id) noexcept
{
    if (!event_id.starts_with(id_prefix)) return std::nullopt;
    event_id.remove_prefix(id_prefix.size());
    return event_id.substr(0, event_id.find(';'));
}

}  // namespace umavez::webhook
