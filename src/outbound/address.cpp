#include "outbound/address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <netinet/in.h>

namespace umavez::outbound {
namespace {

using Bytes = std::array<std::uint8_t, 16>;

constexpr std::array<std::uint8_t, 12> mapped_prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
// RFC 6052: how hosts without IPv4 reach it; the last four bytes are the address.
constexpr std::array<std::uint8_t, 12> nat64_prefix = {0, 0x64, 0xff, 0x9b};

struct Range4 {
    std::uint32_t base;
    int bits;
};

// The special purpose registry of IANA, without what is globally reachable.
constexpr auto special4 = std::to_array<Range4>({
    {0x00000000, 8},   // "this network", unspecified
    {0x0a000000, 8},   // private
    {0x64400000, 10},  // shared: CGNAT
    {0x7f000000, 8},   // loopback
    {0xa9fe0000, 16},  // link-local, metadata services of clouds
    {0xac100000, 12},  // private
    {0xc0000000, 24},  // protocol assignments
    {0xc0000200, 24},  // documentation
    {0xc0586300, 24},  // 6to4 relays
    {0xc0a80000, 16},  // private
    {0xc6120000, 15},  // benchmarks
    {0xc6336400, 24},  // documentation
    {0xcb007100, 24},  // documentation
    {0xe0000000, 4},   // multicast
    {0xf0000000, 4},   // reserved, broadcast
});

struct Range6 {
    std::uint32_t base;  // the first four bytes
    int bits;
};

// Of 2000::/3, which is all that is global.
constexpr auto special6 = std::to_array<Range6>({
    {0x20010000, 23},  // protocol assignments, Teredo
    {0x20010db8, 32},  // documentation
    {0x20020000, 16},  // 6to4: an IPv4 address inside, and a relay of nobody's
    {0x3fff0000, 20},  // documentation
});

constexpr std::uint32_t to_word(const std::uint8_t* bytes) noexcept
{
    return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U |
           std::uint32_t{bytes[2]} << 8U | bytes[3];
}

template <typename Ranges>
bool is_in(const Ranges& ranges, std::uint32_t word) noexcept
{
    return std::ranges::any_of(ranges, [word](const auto& range) {
        const std::uint32_t mask = ~std::uint32_t{0} << (32 - range.bits);
        return (word & mask) == range.base;
    });
}

bool has_prefix(const Bytes& bytes, const std::array<std::uint8_t, 12>& prefix) noexcept
{
    return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

Bytes to_mapped(const in_addr& address) noexcept
{
    Bytes bytes{};
    std::ranges::copy(mapped_prefix, bytes.begin());
    std::memcpy(bytes.data() + mapped_prefix.size(), &address, sizeof address);
    return bytes;
}

}  // namespace

std::optional<Address> Address::parse(std::string_view text)
{
    const std::string terminated{text};
    Address address;
    if (in_addr four{}; ::inet_pton(AF_INET, terminated.c_str(), &four) == 1) {
        address.bytes_ = to_mapped(four);
        return address;
    }
    if (::inet_pton(AF_INET6, terminated.c_str(), address.bytes_.data()) == 1) return address;
    return std::nullopt;
}

std::optional<Address> Address::from(const sockaddr& address)
{
    Address found;
    if (address.sa_family == AF_INET) {
        sockaddr_in four{};
        std::memcpy(&four, &address, sizeof four);
        found.bytes_ = to_mapped(four.sin_addr);
        return found;
    }
    if (address.sa_family == AF_INET6) {
        sockaddr_in6 six{};
        std::memcpy(&six, &address, sizeof six);
        std::memcpy(found.bytes_.data(), &six.sin6_addr, found.bytes_.size());
        return found;
    }
    return std::nullopt;
}

std::string Address::text() const
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (has_prefix(bytes_, mapped_prefix)) {
        ::inet_ntop(AF_INET, bytes_.data() + mapped_prefix.size(), text.data(), text.size());
    } else {
        ::inet_ntop(AF_INET6, bytes_.data(), text.data(), text.size());
    }
    return text.data();
}

bool is_public(const Address& address) noexcept
{
    const Bytes& bytes = address.bytes();
    if (has_prefix(bytes, mapped_prefix) || has_prefix(bytes, nat64_prefix)) {
        return !is_in(special4, to_word(bytes.data() + mapped_prefix.size()));
    }
    const bool is_global = (bytes[0] & 0xe0U) == 0x20U;
    return is_global && !is_in(special6, to_word(bytes.data()));
}

}  // namespace umavez::outbound
