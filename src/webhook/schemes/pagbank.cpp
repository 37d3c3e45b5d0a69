// x-authenticity-token: the plain SHA-256, in hex, of the token, "-" and the body. Each change of a status is
// an event: the id and the status together name it, and an order has the status of its charges.

#include "base/digest.hpp"
#include "webhook/encoding.hpp"
#include "webhook/header_text.hpp"
#include "webhook/read_event.hpp"
#include "webhook/schemes/schemes.hpp"

#include <umavez/names.hpp>

#include <utility>

namespace umavez::webhook {
namespace {

constexpr std::string_view header_name = "x-authenticity-token";

// "PAID", or "DECLINED,PAID" of an order with two charges; and what became of it: paid, if any charge was,
// else the last status.
struct Status {
    std::string all;
    std::string outcome;
};

std::expected<Status, Refusal> read_status(const Delivery& delivery, const Body& body)
{
    auto own = read_text(delivery, body, Place::in_body("/status"), "status");
    if (!own) return std::unexpected(std::move(own).error());
    if (!own->empty()) return Status{*own, *own};
    Status status;
    const auto charges = body.find("/charges");
    const std::size_t count =
        charges && charges->kind() == JsonKind::array ? charges->elements().size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string pointer = "/charges/" + std::to_string(i) + "/status";
        auto next = read_text(delivery, body, Place::in_body(pointer), "status");
        if (!next) return std::unexpected(std::move(next).error());
        if (next->empty()) continue;
        if (!status.all.empty()) status.all += ',';
        status.all += *next;
        if (status.outcome != "PAID") status.outcome = *std::move(next);
    }
    if (status.all.empty()) {
        return refuse(
            Fault::missing_id,
            "there is no status at /status nor in /charges, so a redelivery could not be told"
        );
    }
    return status;
}

class Pagbank final : public Scheme {
public:
    explicit Pagbank(const Provider& provider) : layout_{.account = provider.account}
    {
        for (const std::string& secret : provider.secrets) {
            Hasher begun;
            begun.raw(secret);
            begun.raw("-");
            begun_.push_back(begun);
        }
    }

    std::expected<Event, Refusal> verify(const Delivery& delivery, Instant) const override
    {
        const auto given = read_signature(delivery.headers, header_name);
        if (!given) return std::unexpected(given.error());
        bool is_found = false;
        for (const Hasher& begun : begun_)
            is_found |= is_same_secretly(digest(begun, delivery.body), *given);
        if (!is_found) {
            return refuse(
                Fault::bad_signature, "x-authenticity-token was made by none of the secrets"
            );
        }
        const Body body{delivery.body};
        auto id = read_id(delivery, body, Place::in_body("/id"));
        if (!id) return std::unexpected(std::move(id).error());
        auto status = read_status(delivery, body);
        if (!status) return std::unexpected(std::move(status).error());
        auto event = make_event(join(*id, status->all), delivery, body, layout_);
        if (event) event->type = std::move(status->outcome);
        return event;
    }

    Result<SignedRequest> sign(std::string_view body, const SignInput&, Instant) const override
    {
        return SignedRequest{.headers = {{std::string{header_name}, digest(begun_.front(), body)}}};
    }

private:
    static std::string digest(Hasher begun, std::string_view body)
    {
        begun.raw(body);
        return to_hex(begun.finish());
    }

    // An order whose list of statuses is too long for an id is named by the digest of both.
    static std::string join(const std::string& id, const std::string& status)
    {
        std::string joined = id + ":" + status;
        return Key::parse(joined) ? joined : to_hex(sha256(joined));
    }

    std::vector<Hasher> begun_;  // each has the token and the dash behind it
    EventLayout layout_;
};

}  // namespace

MadeScheme make_pagbank(const Provider& provider)
{
    return std::make_unique<Pagbank>(provider);
}

}  // namespace umavez::webhook
