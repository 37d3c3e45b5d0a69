#include "webhook/examples_test.hpp"

#include <gtest/gtest.h>

namespace umavez::webhook {
namespace {

constexpr const char* event_body =
    R"({"id":"evt_1","type":"payment.updated","event":"PAYMENT_RECEIVED","account":"acct_7","value":1.50})";

std::vector<Example> make_examples()
{
    const std::string key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const std::string other_key = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    // The seeds of RFC 8032, 7.1, tests 1 and 2.
    const std::string pair = "whsk_nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=";
    const std::string other_pair = "whsk_TM0Imyj/ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U+4pvs=";
    const Provider by_header{
        .name = "p",
        .scheme = "hmac",
        .secrets = {"s1"},
        .header = "X-Mac",
        .algorithm = "sha512",
        .encoding = "base64",
        .id = "header:X-Event",
        .type = "header:X-Type",
    };
    Provider by_body{
        .name = "p", .scheme = "hmac", .secrets = {"s1"}, .header = "X-Mac", .prefix = "mac:"
    };
    by_body.id = "/id";
    by_body.type = "/type";
    const Provider token{
        .name = "p",
        .scheme = "token",
        .secrets = {"t1"},
        .header = "Authorization",
        .prefix = "Bearer ",
        .type = "/event",
    };
    const std::string form = "id=16&event=transaction_status_changed&current_status=paid&x=%C3%A9";
    const std::string order =
        R"({"id":"ORDE_1","charges":[{"status":"DECLINED"},{"status":"PAID","id":"CHAR_1"}]})";
    const std::string square = R"({"event_id":"6a8f","type":"payment.updated"})";
    const std::string manifest = "id:12ab;request-id:r-1;ts:1760000000000;";
    return {
        {"stripe",
         {"p", "stripe", {"whsec_1"}},
         "whsec_2",
         event_body,
         {},
         "evt_1",
         "payment.updated"},
        {"standard-webhooks",
         {"p", "standard-webhooks", {key}},
         other_key,
         event_body,
         {"msg_1"},
         "msg_1",
         "payment.updated"},
        {"svix", {"p", "svix", {key}}, other_key, event_body, {"msg_1"}, "msg_1", "payment.updated"
        },
        {"v1a",
         {"p", "standard-webhooks", {pair}},
         other_pair,
         event_body,
         {"msg_1"},
         "msg_1",
         "payment.updated"},
        {"github", {"p", "github", {"s1"}}, "s2", "Hello, World!", {"72d3", "push"}, "72d3", "push"
        },
        {"mercadopago",
         {"p", "mercadopago", {"s1"}},
         "s2",
         event_body,
         {"r-1", "payment", "12AB"},
         manifest,
         "payment",
         true},
        {"shopify",
         {"p", "shopify", {"s1"}},
         "s2",
         event_body,
         {"98-a", "orders/create"},
         "98-a",
         "orders/create"},
        {"pagarme",
         {"p", "pagarme", {"s1"}},
         "s2",
         form,
         {},
         "16:paid",
         "transaction_status_changed"},
        {"pagbank", {"p", "pagbank", {"s1"}}, "s2", order, {}, "ORDE_1:DECLINED,PAID", "PAID"},
        {"square",
         {"p", "square", {"s1"}, {}, "", "https://a.example/sq"},
         "s2",
         square,
         {},
         "6a8f",
         "payment.updated"},
        {"asaas", {"p", "asaas", {"s1"}}, "s2", event_body, {}, "evt_1", "PAYMENT_RECEIVED", true},
        {"token", token, "t2", event_body, {}, "evt_1", "PAYMENT_RECEIVED", true},
        {"hmac in body", by_body, "s2", event_body, {}, "evt_1", "payment.updated"},
        {"hmac in header", by_header, "s2", "\x01 no JSON", {"e-1", "paid"}, "e-1", "paid"},
    };
}

}  // namespace

const std::vector<Example>& examples()
{
    static const std::vector<Example> all = make_examples();
    return all;
}

std::unique_ptr<const Scheme> make(const Provider& provider)
{
    auto made = make_scheme(provider);
    if (!made) {
        ADD_FAILURE() << made.error().detail;
        return nullptr;
    }
    return *std::move(made);
}

SignedRequest sign(const Scheme& scheme, std::string_view body, const SignInput& input, Instant now)
{
    auto request = scheme.sign(body, input, now);
    if (!request) {
        ADD_FAILURE() << request.error().detail;
        return {};
    }
    return *std::move(request);
}

Delivery delivery_of(std::string_view body, const SignedRequest& request)
{
    return {body, request.headers, request.query};
}

std::string outcome(const std::expected<Event, Refusal>& verified)
{
    return verified ? verified->id : std::string{to_text(verified.error().fault)};
}

std::string fault_of(const std::expected<Event, Refusal>& verified)
{
    return verified ? "accepted" : std::string{to_text(verified.error().fault)};
}

}  // namespace umavez::webhook
