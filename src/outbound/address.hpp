#pragma once

// Address: where a connection really goes, and whether strangers may send us there.
//
// Whoever registers a URL chooses the host, and a name may point anywhere: into our own machine, our
// network, the metadata service of a cloud. So the judgement is made on the address that is connected to,
// not on the name. Plain values; pure, thread-safe.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>

namespace umavez::outbound {

class Address {
public:
    // "203.0.113.7", "2001:db8::1"; nullopt: not a literal address.
    static std::optional<Address> parse(std::string_view text);
    // Nullopt: another family than IPv4 and IPv6.
    static std::optional<Address> from(const sockaddr& address);

    std::string text() const;

    // IPv6 in network order; an IPv4 address in its mapped form ::ffff:a.b.c.d.
    const std::array<std::uint8_t, 16>& bytes() const noexcept { return bytes_; }

private:
    std::array<std::uint8_t, 16> bytes_{};
};

// Whether the address belongs to the public internet: not loopback, private, link-local, shared (CGNAT),
// multicast, unspecified, reserved or for documentation, nor an IPv6 form that leads to one of these.
bool is_public(const Address& address) noexcept;

}  // namespace umavez::outbound
