#include "support/requests.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace umavez::bench {
namespace {

// SplitMix64.
std::uint64_t scatter(std::uint64_t number)
{
    number += 0x9e3779b97f4a7c15u;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
    return number ^ (number >> 31);
}

}  // namespace

std::string make_key(std::uint64_t number)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::uint64_t bits = scatter(number);
    std::string key(36, '-');
    for (std::size_t i = 0; i < key.size(); ++i) {
        if (i == 18) bits = scatter(~number);
        if (i == 8 || i == 13 || i == 18 || i == 23) continue;
        key[i] = digits[bits & 15];
        bits >>= 4;
    }
    return key;
}

Requests::Requests(std::string_view operation)
    : tenant_id_(must(TenantId::parse(tenant_text))),
      operation_(must(Operation::parse(operation))),
      target_(make_target({"POST", "/pedidos"})),
      fingerprint_(fingerprint_bytes("text/plain", "one order"))
{
}

Request Requests::make(std::uint64_t number) const
{
    return {
        .tenant_id = tenant_id_,
        .operation = operation_,
        .key = must(Key::parse(make_key(number))),
        .target = target_,
        .fingerprint = fingerprint_,
        .wait = std::nullopt,
    };
}

Response make_response()
{
    return {.status = 201, .headers = {}, .body = std::string(200, 'x'), .entity = std::nullopt};
}

void give_up(std::string_view why)
{
    fmt::print(stderr, "{}\n", why);
    std::exit(EXIT_FAILURE);
}

}  // namespace umavez::bench
